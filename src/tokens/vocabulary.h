// One encoding's tokens: from bytes to id and back. encoding.cpp and merging.cpp look up here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "tokens/encoding.h"
#include "tokens/vocabulary_format.h"

namespace toolgate {

struct SpecialToken {
  std::string_view text;
  std::uint32_t id;
};

class Vocabulary {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  static const Vocabulary& of(Encoding encoding);

  // kNone when these bytes are no token. An id is also the rank that decides which pair merges.
  std::uint32_t find(std::string_view bytes) const {
    return bytes.size() > longest_ ? kNone : find(bytes, token_key(bytes));
  }
  // The same for 1 to 12 bytes behind which at least 16 bytes from `bytes` on can be read.
  std::uint32_t find_short(const char* bytes, std::size_t size) const;

  std::uint32_t byte_token(unsigned char byte) const { return byte_tokens_[byte]; }
  std::size_t longest() const { return longest_; }

  // Nothing for an id that is neither a token nor a special token.
  std::optional<std::string_view> bytes_of(std::uint32_t id) const;
  std::span<const SpecialToken> special_tokens() const { return special_; }

 private:
  Vocabulary(const unsigned char* block, std::span<const SpecialToken> special);
  std::uint32_t find(std::string_view bytes, const TokenKey& key) const;

  const TokenBucket* buckets_;
  const std::uint32_t* places_;  // of each id: bucket * kBucketSlots + slot
  const char* long_bytes_;
  const std::uint32_t* byte_tokens_;
  std::uint32_t token_count_;
  std::uint32_t bucket_mask_;
  unsigned bucket_shift_;
  std::size_t longest_;
  std::span<const SpecialToken> special_;
};

inline std::uint32_t Vocabulary::find(std::string_view bytes, const TokenKey& key) const {
  auto bucket = static_cast<std::uint32_t>(hash_token(key) >> bucket_shift_);
  for (;; bucket = (bucket + 1) & bucket_mask_) {
    const auto& slots = buckets_[bucket].slots;
    for (const TokenSlot& slot : slots) {
      if (slot.low != key.low || slot.length() != key.length) continue;
      if (key.length <= kInlineTokenBytes) {
        if (slot.high == key.high) return slot.id();
      } else if (std::memcmp(long_bytes_ + slot.high, bytes.data(), bytes.size()) == 0) {
        return slot.id();
      }
    }
    if ((slots[0].tag & TokenSlot::kOverflow) == 0) return kNone;
  }
}

inline std::uint32_t Vocabulary::find_short(const char* bytes, std::size_t size) const {
  TokenKey key;
  std::uint64_t low = 0;
  std::memcpy(&low, bytes, 8);
  if (size <= 8) {
    key.low = low & (~std::uint64_t{0} >> (64 - 8 * size));
  } else {
    std::uint32_t high = 0;
    std::memcpy(&high, bytes + 8, 4);
    key.low = low;
    key.high = high & (~std::uint32_t{0} >> (96 - 8 * size));
  }
  key.length = static_cast<std::uint32_t>(size);
  return find({bytes, size}, key);
}

}  // namespace toolgate
