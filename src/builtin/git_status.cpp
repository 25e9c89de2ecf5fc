#include "builtin/git_status.h"

namespace toolgate {
namespace {

bool is_conflict(char index, char tree) {
  return index == 'U' || tree == 'U' || (index == tree && (index == 'A' || index == 'D'));
}

}  // namespace

// Entries are "XY path": what the index and what the work tree has of it.
GitStatus parse_git_status(std::string_view output) {
  constexpr std::size_t kPathAt = 3;
  GitStatus status;
  for (std::size_t end = output.find('\0'); end != std::string_view::npos;
       end = output.find('\0')) {
    const std::string_view entry = output.substr(0, end);
    output.remove_prefix(end + 1);
    if (entry.size() <= kPathAt || entry[2] != ' ') continue;
    const char index = entry[0];
    const char tree = entry[1];
    const std::string path(entry.substr(kPathAt));
    if (index == '!') continue;
    if (index == '?') {
      status.of(GitState::Untracked).push_back(path);
    } else if (is_conflict(index, tree)) {
      status.of(GitState::Conflict).push_back(path);
    } else {
      if (index != ' ') status.of(GitState::Staged).push_back(path);
      if (tree != ' ') status.of(GitState::Unstaged).push_back(path);
    }
  }
  return status;
}

}  // namespace toolgate
