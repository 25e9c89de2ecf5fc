// Names and values as the headers of HTTP and what borrows from them write them.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/ascii.h"

namespace toolgate {

constexpr bool is_header_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return is_ascii_letter_or_digit(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
  });
}

// Without blanks at both ends.
constexpr std::string_view trim_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

}  // namespace toolgate
