// What a look at the workspace's folder tells about it, for `when` clauses. tool_catalog sets the
// context keys.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace toolgate {

struct WorkspaceFacts {
  int git_repositories = 0;         // the folder, and those right in it
  std::set<std::string> languages;  // VS Code's ids: "cpp", "typescript" …
};

// A short look: a few levels, a bounded number of names, no link followed and no file opened.
WorkspaceFacts look_at_workspace(const std::filesystem::path& folder);

}  // namespace toolgate
