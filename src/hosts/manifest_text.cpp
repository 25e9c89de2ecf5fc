#include "hosts/manifest_text.h"

#include <algorithm>

namespace toolgate {
namespace {

constexpr std::size_t kMaxMissing = 20;  // more say nothing new

}  // namespace

ManifestTexts::ManifestTexts(std::string_view nls) {
  if (nls.empty()) return;
  const auto parsed = parse_jsonc(nls);
  if (!parsed || !parsed->is_object()) {
    error_ = parsed ? "it must hold an object" : parsed.error().message;
    return;
  }
  for (const auto& [key, value] : parsed->get_object()) {
    // Either the text, or {"message": text, "comment": […]}.
    const json::value* text = value.is_object() ? find(value, "message") : &value;
    if (text != nullptr && text->is_string()) texts_.emplace(key, text->get_string());
  }
}

void ManifestTexts::resolve(json::value& value) {
  if (value.is_string()) resolve(value.get_string());
  if (value.is_array())
    for (json::value& item : value.get_array()) resolve(item);
  if (value.is_object())
    for (auto& member : value.get_object()) resolve(member.value());
}

void ManifestTexts::resolve(json::string& text) {
  const std::string_view view = text;
  if (view.size() < 3 || !view.starts_with('%') || !view.ends_with('%')) return;
  const std::string key(view.substr(1, view.size() - 2));
  if (const auto found = texts_.find(key); found != texts_.end())
    text = found->second;
  else if (missing_.size() < kMaxMissing && std::ranges::find(missing_, key) == missing_.end())
    missing_.push_back(key);
}

}  // namespace toolgate
