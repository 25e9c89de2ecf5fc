// Normalised tools by content: clients send the same tools with every request. An LRU keyed by the
// tool's text and the changes of the family. Not shared between threads: each loop has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "schema/normalize.h"

namespace toolgate {

class NormalizedTools {
 public:
  // Texts and results beyond `capacity_bytes` are forgotten, the oldest first. What would take an
  // eighth of it alone is not kept.
  explicit NormalizedTools(std::size_t capacity_bytes = std::size_t{16} << 20)
      : capacity_bytes_(capacity_bytes) {}

  // The error says that `tool_text` is not JSON; what is wrong with the tool is in its fault.
  Result<std::shared_ptr<const NormalizedTool>> get(std::string_view tool_text,
                                                    SchemaChanges changes);
  // The two halves of get(), for a caller that normalises on another thread. Null when unknown.
  std::shared_ptr<const NormalizedTool> find(std::string_view tool_text, SchemaChanges changes);
  void put(std::string_view tool_text, SchemaChanges changes,
           std::shared_ptr<const NormalizedTool> tool);

  std::size_t size() const { return by_hash_.size(); }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }  // results put in

 private:
  struct Entry {
    std::uint64_t hash = 0;
    SchemaChanges changes = 0;
    std::string text;
    std::shared_ptr<const NormalizedTool> tool;
    std::size_t cost = 0;  // bytes
  };
  using Order = std::list<Entry>;  // newest first

  void forget(Order::iterator entry);

  const std::size_t capacity_bytes_;
  std::size_t bytes_ = 0;
  Order order_;
  std::unordered_map<std::uint64_t, Order::iterator> by_hash_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace toolgate
