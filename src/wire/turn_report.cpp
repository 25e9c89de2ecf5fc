// Writes the turn report; agent/ and the stream normaliser fill it.
#include "wire/turn_report.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/utf8.h"

namespace toolgate {

void append_turn_report(std::string& out, const TurnReport& report) {
  fmt::format_to(std::back_inserter(out), R"({{"rounds":{},"invocations":[],"warnings":[)",
                 report.rounds);
  bool first = true;
  for (const std::string& warning : report.warnings) {
    if (!first) out += ',';
    first = false;
    append_json_string(out, is_valid_utf8(warning) ? warning : mend_utf8(warning));
  }
  out += R"(],"fixes":[]})";
}

}  // namespace toolgate
