// Byte-pair encoding of one piece that is no token as a whole: the adjacent pair with the lowest
// rank merges first, the leftmost of equals. Called by encoding.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokens/vocabulary.h"

namespace toolgate {

using TokenIds = std::span<const std::uint32_t>;

// The ids of one short piece; nothing allocates.
class ShortMerge {
 public:
  static constexpr std::size_t kMaxBytes = 48;

  ShortMerge(const Vocabulary& vocabulary, std::string_view piece);
  TokenIds ids() const { return TokenIds(ids_).first(count_); }

 private:
  void remove(std::size_t part);
  std::uint32_t pair_rank(std::size_t part) const;

  const Vocabulary& vocabulary_;
  std::size_t count_;
  std::array<char, kMaxBytes + 16> bytes_;  // padded for Vocabulary::find_short
  std::array<std::uint8_t, kMaxBytes + 1> starts_;
  std::array<std::uint32_t, kMaxBytes> ids_;
  std::array<std::uint32_t, kMaxBytes> ranks_;  // of each part and the next one together
};

// The ids of a piece of any length, window by window: time is linear in its length, and memory does
// not grow with it.
class LongMerge {
 public:
  LongMerge(const Vocabulary& vocabulary, std::string_view piece);

  // The next ids; empty at the end. Valid until the next call.
  TokenIds next();

 private:
  struct Part {
    std::uint32_t previous;
    std::uint32_t next;  // where the next part begins
    std::uint32_t id;
    std::uint32_t rank;  // of this part and the next one together
  };

  TokenIds settle(std::size_t count);
  bool try_cut(std::size_t count, std::size_t offset);
  bool stay_apart(std::uint32_t left, std::uint32_t right);
  void merge_window(std::string_view window, std::vector<std::uint32_t>& ids);
  void begin_parts(std::string_view window);
  void rank_pair(std::uint32_t part);

  const Vocabulary& vocabulary_;
  std::string_view rest_;  // from the first byte whose token is not settled
  std::size_t window_size_;
  std::vector<std::uint32_t> ids_;       // of the window at the beginning of rest_
  std::vector<std::uint32_t> next_ids_;  // of the window at the beginning of what rest_ becomes
  std::vector<std::uint32_t> pair_ids_;
  std::string bytes_;  // of the window, padded for Vocabulary::find_short
  std::vector<Part> parts_;
  std::vector<std::uint64_t> heap_;  // rank and part, lowest first; entries may be out of date
  bool first_ = true;
};

}  // namespace toolgate
