// Base64 as it stands in data URLs: just enough for the header of an image and for the size of a
// document. Called by image_size.cpp and costs.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate {

std::string encode_base64(std::string_view bytes);

// The bytes up to the first character that is no base64 digit; reads no more than `max_digits`.
std::string decode_base64_prefix(std::string_view text, std::size_t max_digits);

// How many bytes the text stands for.
std::size_t base64_bytes(std::string_view text);

struct DataUrl {
  std::string_view media_type;  // up to the first semicolon
  bool base64 = false;
  std::string_view data;
};

// Nothing when `url` does not begin with `data:` or has no comma.
std::optional<DataUrl> parse_data_url(std::string_view url);
}  // namespace toolgate
