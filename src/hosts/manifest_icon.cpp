#include "hosts/manifest_icon.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/ascii.h"

namespace toolgate {
namespace {

bool is_letter(char c) {
  return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

// "$(zap)", "$(sync~spin)".
bool is_theme_icon(std::string_view icon) {
  if (!icon.starts_with("$(") || !icon.ends_with(')')) return false;
  icon = icon.substr(2, icon.size() - 3);
  const std::string_view name = icon.substr(0, icon.find('~'));
  const auto is_name_character = [](char c) { return is_ascii_letter_or_digit(c) || c == '-'; };
  if (name.empty() || !std::ranges::all_of(name, is_name_character)) return false;
  if (name.size() == icon.size()) return true;
  const std::string_view modifier = icon.substr(name.size() + 1);
  return !modifier.empty() && std::ranges::all_of(modifier, is_letter);
}

// An absolute path is taken as one below the root, as everything in a manifest.
std::string icon_path(std::string_view path, const std::string& root) {
  std::string joined = root;
  if (!root.empty() && !path.empty()) joined += '/';
  joined += path;
  std::string normal = std::filesystem::path(joined).lexically_normal().generic_string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal.empty() ? "." : normal;
}

}  // namespace

std::string icon_of(const json::value* icon, const std::string& root) {
  if (icon == nullptr) return {};
  if (icon->is_string()) {
    const std::string_view text = icon->get_string();
    return is_theme_icon(text) ? std::string(text) : icon_path(text, root);
  }
  json::object paths;
  for (const std::string_view key : {"light", "dark"}) {
    const json::value* path = find(*icon, key);
    if (path != nullptr && path->is_string()) paths[key] = icon_path(path->get_string(), root);
  }
  if (paths.empty()) return {};
  const auto& first = paths.begin()->value();
  if (paths.size() == 1 || first == paths.at("dark")) return std::string(first.as_string());
  return write_json(paths);
}

}  // namespace toolgate
