// Runs git in a repository of the workspace so that nothing of the repository's own runs: its
// configuration may name programs (filters, file monitors, external diffs, hooks, ssh commands),
// and whoever can write it must not get code run outside of a sandbox by it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/workspace.h"
#include "net/child_process.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"

namespace toolgate {

struct GitSetting {
  std::string name;
  std::string value;
};

// From `git config --list --show-scope --name-only -z`: empties those programs that the repository
// itself names and that no switch turns off.
std::vector<GitSetting> silence_filters(std::string_view listed);

class GitRepository {
 public:
  // The repository that `given`, a folder of the workspace, is in. All of it must be in the
  // workspace: its files and its own folder.
  static Task<Result<GitRepository>> open(const Workspace& workspace, std::string given,
                                          const Cancel& cancel);

  const std::string& folder() const { return folder_; }

  struct Output {
    std::string text;
    bool is_cut = false;
  };
  // With these arguments after `git`. What git says it cannot do is an error.
  Task<Result<Output>> run(std::vector<std::string> arguments, std::size_t most_bytes,
                           const Cancel& cancel) const;

 private:
  explicit GitRepository(std::string folder, std::string ceiling)
      : folder_(std::move(folder)), ceiling_(std::move(ceiling)) {}

  std::string folder_;
  std::string ceiling_;  // above it no repository is looked for
  std::vector<GitSetting> settings_;
};

}  // namespace toolgate
