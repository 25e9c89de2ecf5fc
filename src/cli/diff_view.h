// A unified diff for a terminal. call_view.h shows the one in a question, `toolgate undo` what it
// would do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"

namespace toolgate {

// With blanks to the next column that tabs lead to.
std::string expand_tabs(std::string_view line);

// Coloured lines of at most `columns`.
std::vector<std::string> diff_view(std::string_view diff, const Terminal& terminal,
                                   std::size_t columns);

// A message with a fenced block of the language "diff" in it.
struct DiffBlock {
  std::string before;
  std::string diff;
  std::string after;
  bool is_whole = true;  // false: it says that it leaves something out
};
std::optional<DiffBlock> find_diff_block(std::string_view message);

}  // namespace toolgate
