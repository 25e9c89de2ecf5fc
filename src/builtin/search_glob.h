// Which files a search is about, as a model wrote it: a glob, a folder or a file. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "builtin/workspace.h"
#include "invoke/path_glob.h"

namespace toolgate {

class SearchGlob {
 public:
  // A relative glob holds anywhere in the workspace, as "**/" before it would say; one that is
  // absolute or begins with "./" holds from its folder on.
  static Result<SearchGlob> parse(const Workspace& workspace, std::string_view given);
  // The same where a name without wildcards also stands for all that is below such a folder.
  static Result<SearchGlob> parse_with_folders(const Workspace& workspace, std::string_view given);

  const std::vector<std::string>& patterns() const { return patterns_; }  // VS Code's globs
  // `path` is relative to the workspace.
  bool matches(std::string_view path) const;

 private:
  explicit SearchGlob(std::vector<std::string> patterns);

  std::vector<std::string> patterns_;
  std::vector<PathGlob> globs_;
};

// An ignore file that leaves only what `glob` matches, and perhaps a little more.
std::string write_ignore_rules(const SearchGlob& glob);

// A glob of an ignore file that means exactly this path.
std::string escape_glob(std::string_view path);

}  // namespace toolgate
