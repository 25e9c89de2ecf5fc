// People's tool-set files, `*.toolsets.jsonc`: name → {tools, description, icon} with comments and
// trailing commas. Whoever watches the files registers what is read here; commands write them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "toolgate/tool_set.h"

namespace toolgate {

inline constexpr std::string_view kToolSetFileSuffix = ".toolsets.jsonc";

struct ToolSetFileLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t sets = 1000;
  std::size_t tools_per_set = 2000;
  std::size_t name_bytes = 256;  // of a set or a member
  std::size_t faults = 100;
};

struct ToolSetFileFault {
  std::size_t line = 1;    // from 1
  std::size_t column = 1;  // from 1, in code points
  std::string message;
};

struct ToolSetFile {
  std::vector<ToolSetData> sets;  // in the file's order; those that can be used
  std::vector<ToolSetFileFault> faults;
};

// `file` is how people call the file: it stands in the sets' ids and sources. What is wrong is in
// `faults`, the rest is used. A file of nothing but comments has no sets and no faults.
ToolSetFile read_tool_set_file(std::string_view file, std::string_view text,
                               const ToolSetFileLimits& limits = {});

struct ToolSetEntry {
  std::string name;
  std::vector<std::string> tools;
  std::string description = {};
  std::string icon = "tools";
};

// A new file with this set alone.
std::string new_tool_set_file(const ToolSetEntry& entry);

// The file's text with the set added, or put in the place of the one of that name. All other text
// stays as it is.
Result<std::string> write_tool_set(std::string_view file, const ToolSetEntry& entry);

struct DeletedToolSet {
  std::string text;
  bool is_empty = false;  // it was the last one
};

// Nothing: there is no set of that name. A file with comments keeps those of the other sets; one
// without is written anew, indented with tabs.
Result<std::optional<DeletedToolSet>> delete_tool_set(std::string_view file, std::string_view name);

}  // namespace toolgate
