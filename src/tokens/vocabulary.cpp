#include "tokens/vocabulary.h"

#include <array>

// Written by cmake/pack_ranks.cpp and linked in as they are.
extern "C" {
extern const unsigned char toolgate_o200k_base[];
extern const unsigned char toolgate_cl100k_base[];
}

namespace toolgate {
namespace {

constexpr std::array kO200kSpecial{
    SpecialToken{"<|endoftext|>", 199999},
    SpecialToken{"<|endofprompt|>", 200018},
};
constexpr std::array kCl100kSpecial{
    SpecialToken{"<|endoftext|>", 100257},   SpecialToken{"<|fim_prefix|>", 100258},
    SpecialToken{"<|fim_middle|>", 100259},  SpecialToken{"<|fim_suffix|>", 100260},
    SpecialToken{"<|endofprompt|>", 100276},
};

}  // namespace

const Vocabulary& Vocabulary::of(Encoding encoding) {
  if (encoding == Encoding::Cl100kBase) {
    static const Vocabulary cl100k(toolgate_cl100k_base, kCl100kSpecial);
    return cl100k;
  }
  static const Vocabulary o200k(toolgate_o200k_base, kO200kSpecial);
  return o200k;
}

Vocabulary::Vocabulary(const unsigned char* block, std::span<const SpecialToken> special)
    : special_(special) {
  const auto& header = *reinterpret_cast<const VocabularyHeader*>(block);
  const std::size_t bucket_count = std::size_t{1} << header.bucket_bits;
  buckets_ = reinterpret_cast<const TokenBucket*>(block + sizeof(header));
  places_ = reinterpret_cast<const std::uint32_t*>(buckets_ + bucket_count);
  long_bytes_ = reinterpret_cast<const char*>(places_ + header.token_count);
  token_count_ = header.token_count;
  bucket_mask_ = static_cast<std::uint32_t>(bucket_count - 1);
  bucket_shift_ = 64 - header.bucket_bits;
  longest_ = header.longest;
  byte_tokens_ = header.byte_tokens.data();
}

std::optional<std::string_view> Vocabulary::bytes_of(std::uint32_t id) const {
  if (id < token_count_) {
    const std::uint32_t place = places_[id];
    const TokenSlot& slot = buckets_[place / kBucketSlots].slots[place % kBucketSlots];
    const char* bytes = slot.length() <= kInlineTokenBytes ? reinterpret_cast<const char*>(&slot)
                                                           : long_bytes_ + slot.high;
    return std::string_view(bytes, slot.length());
  }
  for (const SpecialToken& token : special_)
    if (token.id == id) return token.text;
  return std::nullopt;
}

}  // namespace toolgate
