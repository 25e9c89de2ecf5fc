// What `git status --porcelain=v1 -z --no-renames` prints. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

enum class GitState : std::uint8_t { Staged, Unstaged, Conflict, Untracked };

struct GitStatus {
  std::array<std::vector<std::string>, 4> paths;  // by GitState; a file may have two

  std::vector<std::string>& of(GitState state) { return paths[static_cast<std::size_t>(state)]; }
  const std::vector<std::string>& of(GitState state) const {
    return paths[static_cast<std::size_t>(state)];
  }
};

GitStatus parse_git_status(std::string_view output);

}  // namespace toolgate
