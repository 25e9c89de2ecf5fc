#include "builtin/image_file.h"

#include "builtin/file_bytes.h"
#include "invoke/visible_text.h"
#include "tokens/costs.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::size_t kMostImageBytes = std::size_t{5} << 20;

}  // namespace

std::optional<std::string_view> image_type(std::string_view beginning) {
  if (beginning.starts_with("\x89PNG\r\n\x1A\n"sv)) return "image/png";
  if (beginning.starts_with("\xFF\xD8\xFF"sv)) return "image/jpeg";
  if (beginning.starts_with("GIF87a"sv) || beginning.starts_with("GIF89a"sv)) return "image/gif";
  if (beginning.starts_with("RIFF"sv) && beginning.size() >= 12 && beginning.substr(8, 4) == "WEBP")
    return "image/webp";
  return std::nullopt;
}

Result<ToolResult> read_image(const OpenedFile& file, std::string_view shown) {
  const auto size = static_cast<std::uint64_t>(file.facts.st_size);
  if (size > kMostImageBytes)
    return fail(Errc::TooLarge, "{} has {} bytes; pictures are shown up to {} bytes", shown, size,
                kMostImageBytes);
  auto bytes = read_bytes(file.descriptor.get(), 0, size, shown);
  if (!bytes) return std::unexpected(bytes.error());
  const auto type = image_type(*bytes);
  if (!type)
    return fail(Errc::UnsupportedMedia,
                "{} is no PNG, JPEG, GIF or WebP picture; read_file shows files with text", shown);
  const auto pixels = image_size(*bytes);
  if (!pixels)
    return fail(Errc::UnsupportedMedia, "{} begins like {}, but says no size: it is damaged", shown,
                *type);
  ToolResult result = text_result(fmt::format("{}: {}, {} × {} pixels, {} bytes", shown, *type,
                                              pixels->width, pixels->height, bytes->size()));
  result.content.push_back({.text = std::move(*bytes), .mime_type = std::string(*type)});
  return result;
}

}  // namespace toolgate
