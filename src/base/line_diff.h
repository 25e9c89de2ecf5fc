// What changes between two texts, line by line, as `diff -u` shows it. Pure; questions about
// edits and the terminal show edits with it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace toolgate {

struct DiffLine {
  enum class Kind { Same, Removed, Added } kind = Kind::Same;
  std::string_view text = {};  // without its line feed; of one of the two texts
  bool ended = true;           // false: the last line of its text, without a line feed
};

// Lines that change, with those around them. Starts count from 1; of a side without lines it is
// the line before.
struct DiffHunk {
  std::size_t old_start = 0;
  std::size_t old_count = 0;
  std::size_t new_start = 0;
  std::size_t new_count = 0;
  std::vector<DiffLine> lines = {};
};

// The shortest way from one to the other where it is not too long to find; else what is between
// the first and the last difference counts as replaced. The texts must outlive what is returned.
std::vector<DiffHunk> diff_lines(std::string_view before, std::string_view after,
                                 std::size_t context = 3);

}  // namespace toolgate
