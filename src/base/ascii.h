// Upper and lower case of ASCII letters, whatever the locale says: names in HTTP, settings, URLs.
#pragma once

#include <algorithm>
#include <string_view>

namespace toolgate {

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, ascii_lower, ascii_lower);
}

}  // namespace toolgate
