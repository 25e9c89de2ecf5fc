// Runs ripgrep over the workspace's folder for the tools that search. What it finds is only a hint:
// a link that is put in its way while it walks may lead it out of the workspace. So whoever shows
// something of a file looks at that file through Workspace first.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/search_glob.h"
#include "builtin/workspace.h"
#include "net/child_process.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"

namespace toolgate {

inline constexpr std::chrono::seconds kSearchTime{20};

struct RipgrepRun {
  std::vector<std::string> arguments;  // but for those that say where to search
  const SearchGlob* only = nullptr;    // these files; null: all
  bool ignored_too = false;            // also what .gitignore and its like leave out
  std::size_t output_bytes = std::size_t{64} << 20;
  std::function<bool(std::string_view)> wants_more = {};
};

struct RipgrepOutput {
  std::string text;
  std::string complaint;  // about its arguments; files that it cannot read are no matter
  bool is_about_glob = false;
  bool is_partial = false;  // the output was too long or enough
};

// At most kSearchTime. A missing ripgrep is an error that names the package.
Task<Result<RipgrepOutput>> run_ripgrep(const Workspace& workspace, RipgrepRun run,
                                        const Cancel& cancel);

// Calls `take` with each path of `rg --files --null`, relative to the workspace, but for those that
// tools must not see.
void for_each_path(const Workspace& workspace, std::string_view output,
                   const std::function<void(std::string_view)>& take);

// Whether what has such a path is still there, and really in the workspace: else nothing of it, not
// even its name, is shown.
bool is_still_there(const Workspace& workspace, const std::string& path);

// Without "./" before it.
std::string_view plain_path(std::string_view path);

}  // namespace toolgate
