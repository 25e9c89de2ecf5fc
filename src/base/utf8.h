// UTF-8 as it arrives from models and tools: cut anywhere, sometimes wrong.
#pragma once

#include <string>
#include <string_view>

namespace toolgate {

bool is_valid_utf8(std::string_view text);

// Every ill-formed sequence becomes U+FFFD.
std::string mend_utf8(std::string_view text);

// How many bytes at the end are the beginning of a character whose rest is still to come (0 to 3).
std::size_t incomplete_utf8_tail(std::string_view text);

// The beginning, at most so many bytes, that ends with a whole character.
std::string_view first_characters(std::string_view text, std::size_t most);

}  // namespace toolgate
