// Runs git in a repository of the workspace. Its configuration may name programs (filters, file
// monitors, external diffs, hooks, ssh commands), and whoever can write it must not get code run by
// it: those that are known are turned off, and git runs in a sandbox where it can write nowhere,
// because the configuration can change between two looks at it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/sandbox.h"
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
  // workspace, which must outlive it: its files and its own folder. Without `sandbox`, git runs as
  // we do.
  static Task<Result<GitRepository>> open(const Workspace& workspace,
                                          std::optional<SandboxSettings> sandbox, std::string given,
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
  GitRepository(const Workspace& workspace, std::optional<SandboxSettings> sandbox,
                std::string folder);

  const Workspace& workspace_;
  std::optional<SandboxSettings> sandbox_;
  std::string folder_;
  std::string ceiling_;              // above it no repository is looked for
  std::vector<std::string> places_;  // NAME=value
  std::vector<GitSetting> settings_;
};

}  // namespace toolgate
