// Remembers the ids of pieces that had to be merged: names in code and words of rarer languages
// come again and again. One per thread, of a fixed size; a newer piece takes the place of an older
// one. Used by encoding.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tokens/merging.h"

namespace toolgate {

class PieceCache {
 public:
  static constexpr std::size_t kMaxBytes = 32;
  static constexpr std::size_t kMaxIds = 7;

  struct Entry {
    std::array<std::uint64_t, 4> words;  // the piece, padded with zeros
    std::uint8_t length;                 // 0: free
    std::uint8_t count;
    Encoding encoding;
    std::array<std::uint32_t, kMaxIds> ids;

    TokenIds all() const { return TokenIds(ids).first(count); }
    bool holds(const Entry& other) const {
      return length == other.length && encoding == other.encoding && words == other.words;
    }
    void keep(TokenIds found) {
      count = static_cast<std::uint8_t>(found.size());
      std::ranges::copy(found, ids.begin());
    }
  };
  static_assert(sizeof(Entry) == 64);

  // `piece` has 1 to kMaxBytes bytes.
  static Entry entry_of(Encoding encoding, std::string_view piece) {
    Entry entry{{}, static_cast<std::uint8_t>(piece.size()), 0, encoding, {}};
    std::memcpy(entry.words.data(), piece.data(), piece.size());
    return entry;
  }

  Entry& place_of(const Entry& entry) {
    std::uint64_t hash = entry.length;
    for (const std::uint64_t word : entry.words) hash = mix_token_words(hash, word);
    return entries_[hash % entries_.size()];
  }

 private:
  std::array<Entry, 2048> entries_;
};

}  // namespace toolgate
