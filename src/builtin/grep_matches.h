// What `rg --json` prints, read line by line, and a found line cut to what is worth reading. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

struct GrepMatch {
  std::string path;  // relative to the workspace; any bytes
  std::uint64_t line = 0;
  std::uint64_t offset = 0;  // of the line in the file, where it is no UTF-16
  std::string text;          // the line or lines, with their ends
  std::size_t start = 0;     // of what was looked for
};

// In order of paths and lines. What is no match, or broken off, is left out.
std::vector<GrepMatch> parse_grep_matches(std::string_view output);

// Counts matches while the output still comes in pieces.
class GrepMatchCounter {
 public:
  // How many have begun so far.
  std::size_t add(std::string_view piece);

 private:
  std::string carried_ = "\n";
  std::size_t count_ = 0;
};

// Without its end; of a long one the part around `start`, at most `most` bytes.
std::string excerpt(std::string_view text, std::size_t start, std::size_t most);

// A pattern that means exactly this text; its line breaks match both kinds.
std::string escape_pattern(std::string_view text);
// Whether a match may go over several lines.
bool has_line_break(std::string_view query, bool is_pattern);

}  // namespace toolgate
