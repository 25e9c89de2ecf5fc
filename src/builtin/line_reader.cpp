#include "builtin/line_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::size_t kBlockBytes = 256 << 10;
constexpr std::uint64_t kMarkBytes = kBlockBytes;  // between two marks
constexpr std::size_t kNowhere = std::string_view::npos;

bool has_holes(const struct stat& facts) {
  constexpr std::int64_t kStatBlock = 512;
  return facts.st_blocks * kStatBlock < facts.st_size;
}

}  // namespace

LineReader::LineReader(int descriptor, ReadEncoding encoding, const LineLimits& limits,
                       const std::atomic<bool>& stop)
    : descriptor_(descriptor),
      encoding_(encoding),
      limits_(limits),
      stop_(stop),
      latest_(std::chrono::steady_clock::now() + limits.time),
      block_(std::make_unique_for_overwrite<char[]>(kBlockBytes)),
      at_(mark_bytes(encoding)) {
  struct stat facts = {};
  if (::fstat(descriptor, &facts) != 0) return;
  size_ = static_cast<std::uint64_t>(facts.st_size);
  is_sparse_ = has_holes(facts);
}

Result<LinesRead> LineReader::read(std::uint64_t first, std::uint64_t count,
                                   const LineMarks& known) {
  LinesRead result;
  result.first = first;
  if (auto found = go_to(first, known); !found) return std::unexpected(found.error());
  while (breaks_ + 1 == first + result.count && result.count < count &&
         result.text.size() < limits_.text_bytes) {
    auto is_line = read_line(result);
    if (!is_line) return std::unexpected(is_line.error());
    if (!*is_line) break;
  }
  if (auto counted = count_rest(result); !counted) return std::unexpected(counted.error());
  if (!is_wide(encoding_)) {
    auto readable = make_readable(std::move(result.text));
    result.text = std::move(readable.text);
    result.as = readable.as;
  }
  return result;
}

Result<void> LineReader::check_stop() const {
  if (stop_) return fail(Errc::Cancelled, "the request was cancelled");
  if (std::chrono::steady_clock::now() > latest_)
    return fail(Errc::TooLarge,
                "the line could not be reached within {} s; ask for one nearer to the beginning",
                limits_.time.count() / 1000);
  return {};
}

// Whether there is a byte at at_; then the block has it.
Result<bool> LineReader::fill() {
  if (at_ >= block_offset_ && at_ < block_offset_ + block_size_) return true;
  if (auto checked = check_stop(); !checked) return std::unexpected(checked.error());
  block_offset_ = at_ & ~std::uint64_t{1};  // halves of a wide character stay together
  block_size_ = 0;
  while (block_size_ < kBlockBytes) {
    const ssize_t size = ::pread(descriptor_, block_.get() + block_size_, kBlockBytes - block_size_,
                                 static_cast<off_t>(block_offset_ + block_size_));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0)
      return fail(Errc::Io, "cannot read the file: {}", std::generic_category().message(errno));
    if (size == 0) break;
    block_size_ += static_cast<std::size_t>(size);
  }
  return at_ < block_offset_ + block_size_;
}

// No line ends in a hole. Whether at_ was in one and is behind it now.
bool LineReader::skip_hole() {
  if (!is_sparse_ || (at_ >= block_offset_ && at_ < block_offset_ + block_size_)) return false;
  off_t data = ::lseek(descriptor_, static_cast<off_t>(at_), SEEK_DATA);
  if (data < 0 && errno == ENXIO) data = ::lseek(descriptor_, 0, SEEK_END);
  if (data <= static_cast<off_t>(at_)) return false;
  at_ = static_cast<std::uint64_t>(data);
  is_in_line_ = true;
  return true;
}

std::string_view LineReader::rest_of_block() const {
  const auto begin = static_cast<std::size_t>(at_ - block_offset_);
  return {block_.get() + begin, block_size_ - begin};
}

// Where the first line break in `bytes`, which begin at `offset` of the file, ends.
std::size_t LineReader::next_break(std::string_view bytes, std::uint64_t offset) const {
  for (std::size_t from = 0;;) {
    const std::size_t found = bytes.find('\n', from);
    if (found == kNowhere) return kNowhere;
    const bool at_odd = (offset + found) % 2 == 1;
    if (!is_wide(encoding_)) return found + 1;
    if (encoding_ == ReadEncoding::Utf16Little && !at_odd && found + 1 < bytes.size() &&
        bytes[found + 1] == '\0')
      return found + 2;
    if (encoding_ == ReadEncoding::Utf16Big && at_odd && found > 0 && bytes[found - 1] == '\0')
      return found + 1;
    from = found + 1;
  }
}

std::uint64_t LineReader::count_breaks(std::string_view bytes, std::uint64_t offset) const {
  if (!is_wide(encoding_))
    return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  std::uint64_t count = 0;
  for (std::size_t end = next_break(bytes, offset); end != kNowhere;
       end = next_break(bytes, offset)) {
    ++count;
    bytes.remove_prefix(end);
    offset += end;
  }
  return count;
}

// `breaks` are in the rest of the block.
void LineReader::pass_block(std::uint64_t breaks) {
  const std::string_view bytes = rest_of_block();
  const std::size_t width = std::min<std::size_t>(bytes.size(), is_wide(encoding_) ? 2 : 1);
  at_ += bytes.size();
  breaks_ += breaks;
  is_in_line_ = next_break(bytes.substr(bytes.size() - width), at_ - width) == kNowhere;
}

// To the beginning of the line, or the end of the file.
Result<void> LineReader::go_to(std::uint64_t first, const LineMarks& known) {
  for (const LineMark& mark : known) {
    if (mark.breaks + 1 >= first) break;
    at_ = mark.offset;
    breaks_ = mark.breaks;
    is_in_line_ = mark.is_in_line;
  }
  marks_ = known;
  while (breaks_ + 1 < first) {
    if (skip_hole()) continue;
    const auto filled = fill();
    if (!filled) return std::unexpected(filled.error());
    if (!*filled) return {};
    const std::uint64_t here = count_breaks(rest_of_block(), at_);
    if (breaks_ + here + 1 >= first) {
      enter_line(first);
      return {};
    }
    pass_block(here);
    if (at_ >= (marks_.empty() ? 0 : marks_.back().offset) + kMarkBytes)
      marks_.push_back({at_, breaks_, is_in_line_});
  }
  return {};
}

// The line begins in the block.
void LineReader::enter_line(std::uint64_t first) {
  while (breaks_ + 1 < first) {
    at_ += next_break(rest_of_block(), at_);
    ++breaks_;
  }
  is_in_line_ = false;
}

// False at the end of the file.
Result<bool> LineReader::read_line(LinesRead& into) {
  std::string line;
  std::uint64_t size = 0;
  bool has_break = false;
  while (!has_break) {
    const std::uint64_t before = at_;
    if (line.size() == limits_.line_bytes && skip_hole()) {
      size += at_ - before;
      continue;
    }
    const auto filled = fill();
    if (!filled) return std::unexpected(filled.error());
    if (!*filled) break;
    std::string_view bytes = rest_of_block();
    const std::size_t end = next_break(bytes, at_);
    has_break = end != kNowhere;
    if (has_break) bytes = bytes.substr(0, end);
    line.append(bytes.substr(0, limits_.line_bytes - line.size()));
    size += bytes.size();
    at_ += bytes.size();
  }
  if (size == 0) return false;
  if (has_break) ++breaks_;
  is_in_line_ = !has_break;
  keep_line(into, std::move(line), size, has_break);
  return true;
}

void LineReader::keep_line(LinesRead& into, std::string line, std::uint64_t size,
                           bool has_break) const {
  const bool is_cut = line.size() < size;
  if (is_wide(encoding_))
    line = decode_utf16(line, encoding_ == ReadEncoding::Utf16Big);
  else if (is_cut)
    line.resize(line.size() - incomplete_utf8_tail(line));
  if (!is_cut && has_break) line.pop_back();
  if (!is_cut && has_break && line.ends_with('\r')) {
    line.pop_back();
    into.has_carriage_returns = true;
  }
  into.text += line;
  if (is_cut) {
    into.text += fmt::format("[… this line has {} bytes]", size);
    ++into.lines_cut;
  }
  if (has_break) into.text += '\n';
  into.ends_without_break = !has_break;
  ++into.count;
}

// How many lines the whole file has, if that is soon known.
Result<void> LineReader::count_rest(LinesRead& into) {
  if (!is_sparse_ && size_ > at_ + limits_.count_on_bytes) return {};
  std::uint64_t read = 0;
  for (;;) {
    if (skip_hole()) continue;
    const auto filled = fill();
    if (!filled) return std::unexpected(filled.error());
    if (!*filled) break;
    if (read >= limits_.count_on_bytes) return {};
    read += rest_of_block().size();
    pass_block(count_breaks(rest_of_block(), at_));
  }
  into.total = breaks_ + (is_in_line_ ? 1 : 0);
  return {};
}

}  // namespace toolgate
