// What a plan changes, as a unified diff, for the question and for /v1/edits. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "builtin/edit_record.h"

namespace toolgate {

struct ChangedLines {
  std::size_t added = 0;
  std::size_t removed = 0;
};

// "--- a/x\n+++ b/x\n@@ …" for each file, at most so many bytes, with a last line that says what
// is left out. A name cannot pass for a line of the diff.
std::string write_unified_diff(const EditPlan& plan, std::size_t most_bytes);
// The same as a fenced block of Markdown, whose fence is longer than any in the diff.
std::string write_diff_block(const EditPlan& plan, std::size_t most_bytes);

ChangedLines count_changed_lines(const EditPlan& plan, const FileChange& change);

}  // namespace toolgate
