// Where a path really leads, as the kernel would go: link by link, ".." after a link included.
#pragma once

#include <filesystem>
#include <string>

namespace toolgate {

// `path` is absolute. What does not exist yet stays as it is written, the target of a link that
// leads nowhere too. The error number of the first component that cannot be looked at, ELOOP for
// links in a circle.
struct RealPath {
  std::string path;
  int error = 0;
};
RealPath find_real_path(const std::filesystem::path& path);

}  // namespace toolgate
