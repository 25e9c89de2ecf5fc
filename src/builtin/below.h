// Whether one place in the file system is another or lies below it, by their texts alone.
#pragma once

#include <string_view>

namespace toolgate {

// Both absolute and normal: without "..", and without '/' at the end.
constexpr bool is_below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace toolgate
