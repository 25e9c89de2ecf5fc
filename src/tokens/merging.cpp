// Short pieces are merged in arrays on the stack by looking for the lowest rank again and again;
// long ones with a heap, a window at a time.
#include "tokens/merging.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace toolgate {
namespace {

constexpr std::uint32_t kNone = Vocabulary::kNone;
constexpr std::size_t kPadding = 16;
constexpr std::size_t kWindow = 4096;
constexpr std::uint32_t kNoPart = UINT32_MAX;

// The rank of bytes in a padded buffer.
std::uint32_t rank_of(const Vocabulary& vocabulary, const char* bytes, std::size_t size) {
  if (size <= kInlineTokenBytes) return vocabulary.find_short(bytes, size);
  return vocabulary.find({bytes, size});
}

}  // namespace

ShortMerge::ShortMerge(const Vocabulary& vocabulary, std::string_view piece)
    : vocabulary_(vocabulary), count_(piece.size()) {
  std::memcpy(bytes_.data(), piece.data(), piece.size());
  std::memset(bytes_.data() + piece.size(), 0, kPadding);
  for (std::size_t i = 0; i < count_; ++i) {
    starts_[i] = static_cast<std::uint8_t>(i);
    ids_[i] = vocabulary.byte_token(static_cast<unsigned char>(piece[i]));
  }
  starts_[count_] = static_cast<std::uint8_t>(count_);
  for (std::size_t i = 0; i < count_; ++i) ranks_[i] = pair_rank(i);
  while (count_ > 1) {
    const auto lowest = std::min_element(ranks_.begin(), ranks_.begin() + count_ - 1);
    if (*lowest == kNone) break;
    const auto part = static_cast<std::size_t>(lowest - ranks_.begin());
    ids_[part] = *lowest;
    remove(part + 1);
    ranks_[part] = pair_rank(part);
    if (part > 0) ranks_[part - 1] = pair_rank(part - 1);
  }
}

void ShortMerge::remove(std::size_t part) {
  const auto at = static_cast<std::ptrdiff_t>(part);
  std::copy(starts_.begin() + at + 1, starts_.begin() + count_ + 1, starts_.begin() + at);
  std::copy(ids_.begin() + at + 1, ids_.begin() + count_, ids_.begin() + at);
  std::copy(ranks_.begin() + at + 1, ranks_.begin() + count_, ranks_.begin() + at);
  --count_;
}

std::uint32_t ShortMerge::pair_rank(std::size_t part) const {
  if (part + 1 >= count_) return kNone;
  const std::size_t begin = starts_[part];
  return rank_of(vocabulary_, bytes_.data() + begin, starts_[part + 2] - begin);
}

LongMerge::LongMerge(const Vocabulary& vocabulary, std::string_view piece)
    : vocabulary_(vocabulary), rest_(piece), window_size_(kWindow) {}

// Why windows give the same ids as the whole piece: a row of tokens is the encoding of its bytes
// exactly if the encoding of any two neighbours is these two. For take the first merge that would
// cross a border between two of the tokens: until then only merges inside tokens were made, in the
// order of rank and place, so encoding the two neighbours alone would have made that merge as well.
// So a window's tokens up to some border and the tokens of a window that begins at that border
// belong together as soon as the two tokens at the border stay apart.
TokenIds LongMerge::next() {
  if (rest_.empty()) return {};
  if (first_) merge_window(rest_.substr(0, window_size_), ids_);
  first_ = false;
  for (; window_size_ < rest_.size();
       window_size_ *= 2, merge_window(rest_.substr(0, window_size_), ids_)) {
    std::size_t count = ids_.size();
    std::size_t offset = std::min(window_size_, rest_.size());
    // Near its end a window is wrong, because the bytes behind it were not seen.
    for (std::size_t back = 1; back <= 64 && back < count; ++back) {
      --count;
      offset -= vocabulary_.bytes_of(ids_[count])->size();
      const bool worth_trying = back >= 4 && (back & (back - 1)) == 0;
      if (worth_trying && try_cut(count, offset)) return settle(count);
    }
  }
  const std::size_t count = ids_.size();
  next_ids_.clear();
  rest_ = {};
  return settle(count);
}

// Hands out the ids before the cut; what follows it becomes the current window.
TokenIds LongMerge::settle(std::size_t count) {
  std::swap(ids_, next_ids_);
  return TokenIds(next_ids_).first(count);
}

bool LongMerge::try_cut(std::size_t count, std::size_t offset) {
  if (count == 0) return false;
  merge_window(rest_.substr(offset, window_size_), next_ids_);
  if (!stay_apart(ids_[count - 1], next_ids_.front())) return false;
  rest_.remove_prefix(offset);
  return true;
}

bool LongMerge::stay_apart(std::uint32_t left, std::uint32_t right) {
  std::string both(*vocabulary_.bytes_of(left));
  both += *vocabulary_.bytes_of(right);
  merge_window(both, pair_ids_);
  return pair_ids_.size() == 2 && pair_ids_[0] == left && pair_ids_[1] == right;
}

void LongMerge::merge_window(std::string_view window, std::vector<std::uint32_t>& ids) {
  begin_parts(window);
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, std::greater<>());
    const auto rank = static_cast<std::uint32_t>(heap_.back() >> 32);
    const auto at = static_cast<std::uint32_t>(heap_.back());
    heap_.pop_back();
    Part& part = parts_[at];
    if (part.rank != rank) continue;
    Part& gone = parts_[part.next];
    part.id = rank;
    part.next = gone.next;
    gone.rank = kNone;
    if (part.next < window.size()) parts_[part.next].previous = at;
    rank_pair(at);
    if (part.previous != kNoPart) rank_pair(part.previous);
  }
  ids.clear();
  for (std::uint32_t at = 0; at < window.size(); at = parts_[at].next) ids.push_back(parts_[at].id);
}

void LongMerge::begin_parts(std::string_view window) {
  bytes_.assign(window);
  bytes_.append(kPadding, '\0');
  parts_.resize(window.size());
  heap_.clear();
  for (std::uint32_t at = 0; at < window.size(); ++at)
    parts_[at] = {at == 0 ? kNoPart : at - 1, at + 1,
                  vocabulary_.byte_token(static_cast<unsigned char>(window[at])), kNone};
  for (std::uint32_t at = 0; at < window.size(); ++at) {
    if (at + 1 == window.size()) break;
    parts_[at].rank = rank_of(vocabulary_, bytes_.data() + at, 2);
    if (parts_[at].rank != kNone) heap_.push_back(std::uint64_t{parts_[at].rank} << 32 | at);
  }
  std::ranges::make_heap(heap_, std::greater<>());
}

void LongMerge::rank_pair(std::uint32_t part) {
  const std::uint32_t next = parts_[part].next;
  parts_[part].rank = kNone;
  if (next >= parts_.size()) return;
  const std::uint32_t rank = rank_of(vocabulary_, bytes_.data() + part, parts_[next].next - part);
  parts_[part].rank = rank;
  if (rank == kNone) return;
  heap_.push_back(std::uint64_t{rank} << 32 | part);
  std::ranges::push_heap(heap_, std::greater<>());
}

}  // namespace toolgate
