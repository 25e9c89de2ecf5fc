// The patches that models write: "*** Begin Patch", files to add, delete, update and move, and for
// updates hunks of lines without numbers, found by what they say. Pure, fuzzed; apply_patch uses
// it.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace toolgate {

struct PatchHunk {
  std::vector<std::string> anchors = {};  // of "@@ …": lines that stand above, outermost first
  struct Line {
    enum class Kind { Same, Removed, Added } kind = Kind::Same;
    std::string text = {};
  };
  std::vector<Line> lines = {};
  bool is_at_end = false;  // "*** End of File"
  std::size_t line = 0;    // of the patch, for errors
};

struct PatchFile {
  enum class Kind { Add, Delete, Update } kind = Kind::Update;
  std::string path = {};
  std::string move_to = {};  // of an update; empty: it stays
  std::string content = {};  // of an addition
  std::vector<PatchHunk> hunks = {};
};

// The error names the line of the patch.
Result<std::vector<PatchFile>> parse_patch(std::string_view text);

// What looking for the lines of a patch takes, in all of its files: it has an end.
struct PatchSearch {
  std::size_t comparisons = 0;              // so far
  const std::atomic<bool>* stop = nullptr;  // null: nobody stops it
};

// The text with the hunks applied, in order. A hunk's lines are looked for as they are, then
// without blanks at their ends; one that fits several places is refused unless an anchor says
// where. Line ends are line feeds.
Result<std::string> apply_hunks(std::string_view text, const std::vector<PatchHunk>& hunks,
                                std::string_view shown, PatchSearch& search);

}  // namespace toolgate
