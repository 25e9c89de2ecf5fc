// Width and height from the first bytes of a picture, and what a picture of that size costs.
#include <algorithm>
#include <cmath>

#include "base/ascii.h"
#include "tokens/base64.h"
#include "tokens/costs.h"

namespace toolgate {
namespace {

using std::string_view_literals::operator""sv;

// A JPEG may have colour profiles and a preview before its size.
constexpr std::size_t kMaxHeaderDigits = std::size_t{512} << 10;
constexpr ImageSize kUnreadable{2048, 2048};

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | byte_at(bytes, at + i);
  return value;
}

std::uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = size; i > 0; --i) value = value << 8 | byte_at(bytes, at + i - 1);
  return value;
}

ImageSize png_size(std::string_view bytes) {
  if (bytes.size() < 24 || bytes.substr(12, 4) != "IHDR") return {};
  return {big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)};
}

ImageSize gif_size(std::string_view bytes) {
  if (bytes.size() < 10) return {};
  return {little_endian(bytes, 6, 2), little_endian(bytes, 8, 2)};
}

bool is_start_of_frame(std::uint32_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

bool has_no_length(std::uint32_t marker) {
  return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD9);
}

ImageSize jpeg_size(std::string_view bytes) {
  std::size_t at = 2;
  while (at + 4 <= bytes.size()) {
    if (byte_at(bytes, at) != 0xFF) return {};
    const std::uint32_t marker = byte_at(bytes, at + 1);
    if (marker == 0xFF) {
      ++at;
      continue;
    }
    at += 2;
    if (has_no_length(marker)) continue;
    const std::uint32_t length = big_endian(bytes, at, 2);
    if (length < 2) return {};
    if (is_start_of_frame(marker)) {
      if (at + 7 > bytes.size()) return {};
      return {big_endian(bytes, at + 5, 2), big_endian(bytes, at + 3, 2)};
    }
    at += length;
  }
  return {};
}

ImageSize webp_size(std::string_view bytes) {
  if (bytes.size() < 30) return {};
  const std::string_view kind = bytes.substr(12, 4);
  if (kind == "VP8X") return {little_endian(bytes, 24, 3) + 1, little_endian(bytes, 27, 3) + 1};
  if (kind == "VP8L" && byte_at(bytes, 20) == 0x2F) {
    const std::uint32_t bits = little_endian(bytes, 21, 4);
    return {(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1};
  }
  if (kind == "VP8 " && bytes.substr(23, 3) == "\x9D\x01\x2A"sv)
    return {little_endian(bytes, 26, 2) & 0x3FFF, little_endian(bytes, 28, 2) & 0x3FFF};
  return {};
}

ImageSize size_by_signature(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1A\n"sv)) return png_size(bytes);
  if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return gif_size(bytes);
  if (bytes.starts_with("\xFF\xD8"sv)) return jpeg_size(bytes);
  if (bytes.starts_with("RIFF"sv) && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP")
    return webp_size(bytes);
  return {};
}

struct Scaled {
  double width;
  double height;

  Scaled by(double factor) const {
    return {std::max(1.0, std::floor(width * factor + 0.5)),
            std::max(1.0, std::floor(height * factor + 0.5))};
  }
};

}  // namespace

std::optional<ImageSize> image_size(std::string_view bytes) {
  const ImageSize size = size_by_signature(bytes);
  if (size.width == 0 || size.height == 0) return std::nullopt;
  return size;
}

std::size_t image_cost(ImageSize size, std::string_view detail) {
  constexpr std::size_t kBase = 85;
  constexpr double kTileCost = 170;
  if (detail == "low") return kBase;
  Scaled scaled{static_cast<double>(std::max(size.width, 1u)),
                static_cast<double>(std::max(size.height, 1u))};
  const double longer = std::max(scaled.width, scaled.height);
  if (longer > 2048) scaled = scaled.by(2048 / longer);
  scaled = scaled.by(768 / std::min(scaled.width, scaled.height));
  const double tiles = std::ceil(scaled.width / 512) * std::ceil(scaled.height / 512);
  return static_cast<std::size_t>(tiles * kTileCost) + kBase;
}

std::size_t image_url_cost(std::string_view url, std::string_view detail, Encoding encoding) {
  const auto data = parse_data_url(url);
  if (!data || !equal_ignoring_case(data->media_type.substr(0, 6), "image/"))
    return count_tokens(encoding, url);
  if (!data->base64) return image_cost(kUnreadable, detail);
  const std::string header = decode_base64_prefix(data->data, kMaxHeaderDigits);
  return image_cost(image_size(header).value_or(kUnreadable), detail);
}

}  // namespace toolgate
