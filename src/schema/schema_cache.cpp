// See schema_cache.h.
#include "schema/schema_cache.h"

#include <algorithm>

namespace toolgate {

SchemaCache::SchemaCache(std::size_t capacity, CompileOptions options)
    : capacity_(std::max<std::size_t>(capacity, 1)), options_(options) {}

Result<std::shared_ptr<const Schema>> SchemaCache::get(std::string_view text) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_text_.find(text); found != by_text_.end()) {
      ++hits_;
      order_.splice(order_.begin(), order_, found->second);
      return found->second->schema;
    }
    ++misses_;
  }
  // Outside the lock: two threads may compile the same text, the first one in stays.
  auto compiled = compile_schema(text, options_);
  const std::lock_guard lock(mutex_);
  if (const auto found = by_text_.find(text); found != by_text_.end()) return found->second->schema;
  order_.push_front({std::string(text), compiled});
  by_text_.emplace(order_.front().text, order_.begin());
  bytes_ += text.size();
  while (order_.size() > capacity_ || (bytes_ > kMaxBytes && order_.size() > 1)) forget_oldest();
  return compiled;
}

void SchemaCache::forget_oldest() {
  by_text_.erase(order_.back().text);
  bytes_ -= order_.back().text.size();
  order_.pop_back();
}

std::size_t SchemaCache::size() const {
  const std::lock_guard lock(mutex_);
  return order_.size();
}

std::uint64_t SchemaCache::hits() const {
  const std::lock_guard lock(mutex_);
  return hits_;
}

std::uint64_t SchemaCache::misses() const {
  const std::lock_guard lock(mutex_);
  return misses_;
}

}  // namespace toolgate
