// Kinds and case of ASCII letters, whatever the locale says: names of tools, in HTTP, settings,
// URLs.
#pragma once

#include <algorithm>
#include <string_view>

namespace toolgate {

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

constexpr bool is_ascii_letter_or_digit(char c) {
  return (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z') || (c >= '0' && c <= '9');
}

// What the APIs of models take as the name of a tool.
inline constexpr std::size_t kMostToolNameBytes = 64;
constexpr bool is_tool_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostToolNameBytes &&
         std::ranges::all_of(
             name, [](char c) { return is_ascii_letter_or_digit(c) || c == '_' || c == '-'; });
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, ascii_lower, ascii_lower);
}

}  // namespace toolgate
