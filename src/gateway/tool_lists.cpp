#include "gateway/tool_lists.h"

#include <algorithm>

namespace toolgate {
namespace {

constexpr std::size_t kMostBytes = std::size_t{32} << 20;

}  // namespace

bool ToolLists::turn_to(const Catalog& catalog) {
  if (catalog.version > version_) {
    version_ = catalog.version;
    entries_.clear();
    bytes_ = 0;
  }
  return catalog.version == version_;
}

ToolLists::Text ToolLists::find(const Catalog& catalog, std::string_view key) {
  if (!turn_to(catalog)) return nullptr;
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return entries_.front().text;
}

void ToolLists::keep(const Catalog& catalog, std::string key, Text text) {
  if (!turn_to(catalog) || text->size() > kMostBytes || find(catalog, key)) return;
  bytes_ += text->size();
  entries_.push_front({std::move(key), std::move(text)});
  for (; bytes_ > kMostBytes; entries_.pop_back()) bytes_ -= entries_.back().text->size();
}

}  // namespace toolgate
