// Whether one place in the file system is another or lies below it, by their texts alone.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace toolgate {

// Both absolute, or both from the same folder, and normal: without "..", and without '/' at the
// end.
constexpr bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

inline bool is_below_any(std::string_view path, std::span<const std::string> folders) {
  return std::ranges::any_of(folders, [&](const auto& folder) { return is_below(path, folder); });
}

// The path as seen from the folder, empty for the folder itself; nothing: it is elsewhere.
constexpr std::optional<std::string_view> path_below(std::string_view path,
                                                     std::string_view folder) {
  if (!is_below(path, folder)) return std::nullopt;
  path.remove_prefix(folder == "/" ? 0 : folder.size());
  return path.starts_with('/') ? path.substr(1) : path;
}

}  // namespace toolgate
