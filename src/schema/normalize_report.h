// Keeps the reports of the normaliser small whatever a tool holds: long texts are cut in the
// middle, and the number of changes that are told is limited.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace toolgate {

inline constexpr std::size_t kLongestName = 200;   // bytes of a name or a step of a path
inline constexpr std::size_t kLongestPath = 2048;  // of a fault
inline constexpr std::size_t kLongestText = 8192;  // of any other text of a fault

// At most `most` bytes: beginning and end with "…" between. Splits no UTF-8 character and no "~1".
std::string shorten(std::string_view text, std::size_t most = kLongestName);

// Appends "/name", escaped, with a long name shortened.
void append_short_step(std::string& path, std::string_view name);

// The JSON pointer with its long steps shortened, then itself.
std::string shorten_pointer(std::string_view pointer);

// What is left of a report.
struct ReportRoom {
  std::size_t count;
  std::size_t bytes;

  bool is_full() const { return count == 0 || bytes == 0; }
  void take(std::size_t taken) {
    count -= std::min<std::size_t>(count, 1);
    bytes -= std::min(bytes, taken);
  }
};

}  // namespace toolgate
