// A name or another text on one line, for questions and messages: those are made visible as a
// whole where they are shown.
#pragma once

#include <string>
#include <string_view>

namespace toolgate {

// Line feeds, returns and tabs as \n, \r and \t, so that a name cannot pass for a line.
inline std::string name_on_one_line(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
  return out;
}

}  // namespace toolgate
