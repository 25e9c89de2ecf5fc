#include "schema/normalized_tools.h"

#include <cstring>
#include <iterator>
#include <utility>

namespace toolgate {
namespace {

constexpr std::size_t kLinks = 96;  // bytes of the list's, the map's and the shared pointer's nodes
constexpr std::size_t kShares = 8;  // no entry takes more than one

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

std::shared_ptr<const NormalizedTool> NormalizedTools::find(std::string_view tool_text,
                                                            SchemaChanges changes) {
  const auto found = by_hash_.find(hash_text(tool_text, changes));
  if (found == by_hash_.end()) return nullptr;
  const Entry& entry = *found->second;
  if (entry.changes != changes || entry.text != tool_text) return nullptr;
  ++hits_;
  order_.splice(order_.begin(), order_, found->second);
  return entry.tool;
}

void NormalizedTools::put(std::string_view tool_text, SchemaChanges changes,
                          std::shared_ptr<const NormalizedTool> tool) {
  ++misses_;
  const std::size_t cost =
      sizeof(Entry) + kLinks + tool_text.size() + tool->text.size() + tool->report_bytes();
  if (cost > capacity_bytes_ / kShares) return;
  const std::uint64_t hash = hash_text(tool_text, changes);
  if (const auto found = by_hash_.find(hash); found != by_hash_.end()) forget(found->second);
  order_.push_front({hash, changes, std::string(tool_text), std::move(tool), cost});
  by_hash_[hash] = order_.begin();
  bytes_ += cost;
  while (bytes_ > capacity_bytes_) forget(std::prev(order_.end()));
}

Result<std::shared_ptr<const NormalizedTool>> NormalizedTools::get(std::string_view tool_text,
                                                                   SchemaChanges changes) {
  if (auto known = find(tool_text, changes)) return known;
  auto made = normalize_tool(tool_text, {.changes = changes});
  if (!made) return std::unexpected(made.error());
  auto tool = std::make_shared<const NormalizedTool>(std::move(*made));
  put(tool_text, changes, tool);
  return tool;
}

void NormalizedTools::forget(Order::iterator entry) {
  bytes_ -= entry->cost;
  by_hash_.erase(entry->hash);
  order_.erase(entry);
}

}  // namespace toolgate
