// Some lines of a file, without the rest of it: blocks are read up to where the last of them ends.
// A line far behind is found by counting those before it; what was counted can be kept, so that the
// next look into the same file begins near its line.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "builtin/read_encoding.h"

namespace toolgate {

struct LineLimits {
  std::size_t line_bytes = 10'000;         // a longer line is cut
  std::size_t text_bytes = 200'000;        // then no further line is begun
  std::uint64_t count_on_bytes = 1 << 20;  // so much behind the lines is read to count all
  std::chrono::milliseconds time{10'000};  // to find the first line
};

// Places in a file with the number of line breaks before them, in order.
struct LineMark {
  std::uint64_t offset = 0;
  std::uint64_t breaks = 0;
  bool is_in_line = false;  // the bytes before it are no line break
};
using LineMarks = std::vector<LineMark>;

struct LinesRead {
  std::string text;  // valid UTF-8, each line with '\n' unless the file ends without
  std::uint64_t first = 1;
  std::uint64_t count = 0;             // 0: the file ends before `first`
  std::optional<std::uint64_t> total;  // if the end was seen
  std::size_t lines_cut = 0;
  bool has_carriage_returns = false;  // lines end with \r\n, which the text does not show
  bool ends_without_break = false;    // of the file, if its last line is among these
  ReadableText::As as = ReadableText::As::Itself;
};

class LineReader {
 public:
  // The descriptor stays the caller's. `stop` may be set by another thread.
  LineReader(int descriptor, ReadEncoding encoding, const LineLimits& limits,
             const std::atomic<bool>& stop);

  // From line `first`, 1 or more, at most `count` lines. `known` are marks of an earlier reader of
  // the same bytes.
  Result<LinesRead> read(std::uint64_t first, std::uint64_t count, const LineMarks& known = {});

  // What was learned while looking for the first line; may be empty.
  const LineMarks& marks() const { return marks_; }

 private:
  Result<bool> fill();
  bool skip_hole();
  std::string_view rest_of_block() const;
  std::size_t next_break(std::string_view bytes, std::uint64_t offset) const;
  std::uint64_t count_breaks(std::string_view bytes, std::uint64_t offset) const;
  void pass_block(std::uint64_t breaks);
  Result<void> go_to(std::uint64_t first, const LineMarks& known);
  void enter_line(std::uint64_t first);
  Result<bool> read_line(LinesRead& into);
  void keep_line(LinesRead& into, std::string line, std::uint64_t size, bool has_break) const;
  Result<void> count_rest(LinesRead& into);
  Result<void> check_stop() const;

  const int descriptor_;
  const ReadEncoding encoding_;
  const LineLimits limits_;
  const std::atomic<bool>& stop_;
  std::chrono::steady_clock::time_point latest_;
  const std::unique_ptr<char[]> block_;
  std::uint64_t block_offset_ = 0;
  std::size_t block_size_ = 0;
  std::uint64_t at_;          // the next byte to look at
  std::uint64_t breaks_ = 0;  // before it
  bool is_in_line_ = false;   // the bytes before it are no line break
  std::uint64_t size_ = 0;    // of the file, when reading began
  bool is_sparse_ = false;
  LineMarks marks_;
};

}  // namespace toolgate
