// Puts code with "...existing code..." markers into a file. What stands between two markers
// replaces what the file has from its first to its last known lines; with known lines on one side
// only, it is added there. What could mean two things is refused. Pure; insert_edit_into_file uses
// it.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

// "// ...existing code...", "# … existing code …", "<!-- ...existing code... -->".
bool is_existing_code_marker(std::string_view line);

// Without a marker `code` is the whole new text. Line ends are line feeds.
Result<std::string> merge_by_markers(std::string_view text, std::string_view code,
                                     std::string_view shown);

}  // namespace toolgate
