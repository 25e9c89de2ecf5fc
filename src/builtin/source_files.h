// Finds the source files that contain a name, so that a language server can be shown them.
#pragma once

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/workspace.h"

namespace toolgate {

struct SourceSearch {
  std::string text;
  bool whole_word = true;                    // else anywhere, whatever its case
  std::vector<std::string> extensions = {};  // of the files to look into
  std::size_t most_found = 200;
  std::size_t most_files = 50'000;                        // to look into
  std::size_t most_file_bytes = std::size_t{4} << 20;     // what a language server is shown
  std::size_t most_source_bytes = std::size_t{64} << 20;  // nobody writes more: not looked into
  std::chrono::milliseconds most_time{5'000};
};

struct SourceFiles {
  std::vector<std::string> paths;     // absolute, those nearest to the root first
  std::vector<std::string> too_long;  // have the text, too, and more than `most_file_bytes`
  bool is_complete = true;            // no limit was reached
};

// Through the roots of the workspace, without following links and without folders that hold what
// was built or installed (.git, node_modules, build, …). Ends early when `stop` is true.
SourceFiles find_source_files(const Workspace& workspace, const SourceSearch& search,
                              const std::atomic<bool>& stop);

}  // namespace toolgate
