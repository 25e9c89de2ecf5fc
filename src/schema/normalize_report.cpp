#include "schema/normalize_report.h"

#include "base/json_pointer.h"

namespace toolgate {
namespace {

constexpr std::string_view kEllipsis = "…";

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

}  // namespace

std::string shorten(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t kept = most - std::min(most, kEllipsis.size());
  std::size_t head = kept - kept / 2;
  std::size_t tail = text.size() - kept / 2;
  while (head > 0 && continues_character(text[head])) --head;
  if (head > 0 && text[head - 1] == '~') --head;
  if (tail < text.size() && text[tail - 1] == '~') ++tail;
  while (tail < text.size() && continues_character(text[tail])) ++tail;
  std::string out(text.substr(0, head));
  out += kEllipsis;
  return out += text.substr(tail);
}

void append_short_step(std::string& path, std::string_view name) {
  if (name.size() <= kLongestName)
    append_pointer_step(path, name);
  else
    append_pointer_step(path, shorten(name));
}

std::string shorten_pointer(std::string_view pointer) {
  if (pointer.size() <= kLongestName) return std::string(pointer);
  std::string out;
  while (!pointer.empty()) {
    const std::string_view step = pointer.substr(0, pointer.find('/', 1));
    out += step.size() <= kLongestName ? std::string(step) : shorten(step);
    pointer.remove_prefix(step.size());
  }
  return shorten(out, kLongestPath);
}

}  // namespace toolgate
