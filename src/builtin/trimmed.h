// Text without the blanks around it.
#pragma once

#include <string_view>

namespace toolgate {

// A text with ASCII spaces and line breaks at its ends taken off.
constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\r\f";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

}  // namespace toolgate
