// How an encoding's tokens lie in the program: one block of bytes, found without loading or
// unpacking. cmake/pack_ranks.cpp writes it at build time, vocabulary.cpp reads it.
//
//   VocabularyHeader | buckets | bucket and place of every id | bytes of the long tokens
//
// A token of up to 12 bytes stands in its slot, so that a lookup touches one cache line. A bucket
// that was full when a token came sends the search on to the next one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace toolgate {

inline constexpr std::size_t kInlineTokenBytes = 12;
inline constexpr std::size_t kBucketSlots = 4;

struct VocabularyHeader {
  std::uint32_t token_count = 0;  // ids are 0 … token_count - 1
  std::uint32_t bucket_bits = 0;
  std::uint32_t longest = 0;  // bytes of the longest token
  std::uint32_t long_bytes = 0;
  std::array<std::uint32_t, 12> reserved{};
  std::array<std::uint32_t, 256> byte_tokens{};  // the id of each byte
};
static_assert(sizeof(VocabularyHeader) % 64 == 0);

// The bytes of a token, padded with zeros; a long token has its hash and where its bytes begin.
struct TokenKey {
  std::uint64_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t length = 0;
};

struct TokenSlot {
  std::uint64_t low;
  std::uint32_t high;
  std::uint32_t tag;  // id in the low 20 bits, then 1 bit "full" (first slot only), then length

  static constexpr std::uint32_t kIdMask = (1u << 20) - 1;
  static constexpr std::uint32_t kOverflow = 1u << 20;
  static constexpr unsigned kLengthShift = 24;

  std::uint32_t id() const { return tag & kIdMask; }
  std::uint32_t length() const { return tag >> kLengthShift; }  // 0: the slot is free
};
static_assert(sizeof(TokenSlot) == 16);

struct alignas(64) TokenBucket {
  std::array<TokenSlot, kBucketSlots> slots;
};

inline std::uint64_t mix_token_words(std::uint64_t seed, std::uint64_t word) {
  std::uint64_t hash = (seed ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

inline std::uint64_t hash_token(const TokenKey& key) {
  const std::uint64_t rest = (std::uint64_t{key.length} << 32) | key.high;
  return mix_token_words(mix_token_words(0, key.low), rest) * 0xD6E8FEB86659FD93u;
}

// Loads up to eight bytes as they would lie in memory followed by zeros.
inline std::uint64_t load_token_word(const char* from, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, size < 8 ? size : 8);
  return word;
}

inline TokenKey short_token_key(std::string_view bytes) {
  TokenKey key{load_token_word(bytes.data(), bytes.size()), 0,
               static_cast<std::uint32_t>(bytes.size())};
  if (bytes.size() > 8)
    key.high = static_cast<std::uint32_t>(load_token_word(bytes.data() + 8, bytes.size() - 8));
  return key;
}

inline TokenKey long_token_key(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += 8)
    hash = mix_token_words(hash, load_token_word(bytes.data() + at, bytes.size() - at));
  return {hash, 0, static_cast<std::uint32_t>(bytes.size())};
}

inline TokenKey token_key(std::string_view bytes) {
  return bytes.size() <= kInlineTokenBytes ? short_token_key(bytes) : long_token_key(bytes);
}

// One bit each, so that a set of classes is a mask.
enum CharacterClass : std::uint8_t {
  kSymbol = 1,
  kNewline = 2,
  kSpace = 4,
  kNumber = 8,
  kUpper = 16,
  kLower = 32,
  kLetter = 64,  // neither upper nor lower case
  kMark = 128,
};

// The class of a code point is blocks[index[code_point / 256]][code_point % 256].
inline constexpr std::size_t kClassBlock = 256;
inline constexpr std::size_t kClassBlocks = 0x110000 / kClassBlock;

}  // namespace toolgate
