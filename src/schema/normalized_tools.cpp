#include "schema/normalized_tools.h"

#include <cstring>
#include <utility>

namespace toolgate {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t word_at(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Only finds the entry; the texts are compared as well. std::hash reads a word at a time and would
// take half of what a request may spend on its tools.
std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15, kSecond = 0xC2B2AE3D27D4EB4F;
  std::uint64_t a = seed ^ kFirst, b = text.size() ^ kSecond;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 32; at += 32, left -= 32) {
    a = mix(word_at(at) ^ a, word_at(at + 8) ^ kFirst);
    b = mix(word_at(at + 16) ^ b, word_at(at + 24) ^ kSecond);
  }
  char tail[32] = {};
  if (left > 0) std::memcpy(tail, at, left);
  a = mix(word_at(tail) ^ a, word_at(tail + 8) ^ kFirst);
  b = mix(word_at(tail + 16) ^ b, word_at(tail + 24) ^ kSecond);
  return mix(a ^ kSecond, b ^ kFirst);
}

}  // namespace

std::size_t NormalizedTools::Entry::cost() const {
  std::size_t fixes = 0;
  for (const SchemaFix& fix : tool->fixes) fixes += fix.path.size() + fix.message.size();
  return sizeof(Entry) + sizeof(NormalizedTool) + text.size() + tool->text.size() + fixes;
}

Result<std::shared_ptr<const NormalizedTool>> NormalizedTools::get(std::string_view tool_text,
                                                                   SchemaChanges changes) {
  const std::uint64_t hash = hash_text(tool_text, changes);
  const auto found = by_hash_.find(hash);
  if (found != by_hash_.end() && found->second->changes == changes &&
      found->second->text == tool_text) {
    ++hits_;
    order_.splice(order_.begin(), order_, found->second);
    return found->second->tool;
  }
  ++misses_;
  auto tool = normalize_tool(tool_text, {.changes = changes});
  if (!tool) return std::unexpected(tool.error());
  if (found != by_hash_.end()) {
    bytes_ -= found->second->cost();
    order_.erase(found->second);
    by_hash_.erase(found);
  }
  order_.push_front({hash, changes, std::string(tool_text),
                     std::make_shared<const NormalizedTool>(std::move(*tool))});
  by_hash_[hash] = order_.begin();
  bytes_ += order_.front().cost();
  auto result = order_.front().tool;
  while (bytes_ > capacity_bytes_ && !order_.empty()) forget_oldest();
  return result;
}

void NormalizedTools::forget_oldest() {
  bytes_ -= order_.back().cost();
  by_hash_.erase(order_.back().hash);
  order_.pop_back();
}

}  // namespace toolgate
