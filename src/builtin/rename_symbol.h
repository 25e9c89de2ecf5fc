// Renames a symbol as a language server does: gives the files as they would be, and writes nothing.
// The tool `rename` shows and applies them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "builtin/languages.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"

namespace toolgate {

class LanguageServers;

struct RenameRequest {
  std::string symbol;
  std::string new_name;
  std::string file;                        // in which it stands
  std::optional<std::uint32_t> line = {};  // from 1; nothing: wherever it stands in the file
  std::string line_content = {};           // a part of that line; may stand instead of `line`
};

struct RenamedFile {
  std::string path;    // absolute, in the workspace
  std::string before;  // what the edits were made for: what is on disk must still be this
  std::string after;
};

// All or nothing: one edit that makes no sense, or that is outside the workspace, refuses all. From
// any loop.
Task<Result<std::vector<RenamedFile>>> rename_symbol(LanguageServers& servers,
                                                     const CodeSettings& settings,
                                                     RenameRequest request, const Cancel& cancel);

}  // namespace toolgate
