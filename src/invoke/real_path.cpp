#include "invoke/real_path.h"

#include <cerrno>
#include <ranges>
#include <string_view>
#include <system_error>
#include <vector>

namespace toolgate {
namespace {

namespace fs = std::filesystem;

// The kernel's limit.
constexpr int kMostLinks = 40;

// The first component is the last of the list.
void push_components(std::vector<std::string>& pending, std::string_view path) {
  std::vector<std::string> names;
  for (const auto name : std::views::split(path, '/'))
    if (!name.empty()) names.emplace_back(std::string_view(name));
  pending.insert(pending.end(), names.rbegin(), names.rend());
}

bool is_missing(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

}  // namespace

RealPath find_real_path(const fs::path& path) {
  std::vector<std::string> pending;
  push_components(pending, path.native());
  fs::path place = "/";
  int links = 0;
  while (!pending.empty()) {
    const std::string name = std::move(pending.back());
    pending.pop_back();
    if (name == ".") continue;
    if (name == "..") {
      place = place.parent_path();
      continue;
    }
    const fs::path next = place / name;
    std::error_code error;
    const bool is_link = fs::is_symlink(fs::symlink_status(next, error));
    if (error && !is_missing(error)) return {{}, error.value()};
    if (!is_link) {
      place = next;
      continue;
    }
    const fs::path target = fs::read_symlink(next, error);
    if (error) return {{}, error.value()};
    if (++links > kMostLinks) return {{}, ELOOP};
    if (target.is_absolute()) place = "/";
    push_components(pending, target.native());
  }
  return {place.native()};
}

}  // namespace toolgate
