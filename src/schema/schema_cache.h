// Compiled schemas by content: an LRU keyed by a hash of the schema's text and the options. A tool
// whose schema changes under the same name gets a new program. Any thread may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "schema/compile.h"

namespace toolgate {

class SchemaCache {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20;  // of schema texts

  // Holds at most `capacity` schemas. `options.registry` must outlive the cache.
  explicit SchemaCache(std::size_t capacity = 1024, CompileOptions options = {});

  // The program of `text`, compiled where it is not there yet. A text that does not compile is
  // remembered too, with its error.
  Result<std::shared_ptr<const Schema>> get(std::string_view text);

  std::size_t size() const;
  std::uint64_t hits() const;
  std::uint64_t misses() const;

 private:
  struct Entry {
    std::string text;
    Result<std::shared_ptr<const Schema>> schema;
  };
  using Order = std::list<Entry>;  // newest first

  void forget_oldest();

  const std::size_t capacity_;
  const CompileOptions options_;
  mutable std::mutex mutex_;
  Order order_;
  std::unordered_map<std::string_view, Order::iterator> by_text_;  // keys point into entries
  std::size_t bytes_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace toolgate
