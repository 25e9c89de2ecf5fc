#include "gateway/tool_lists.h"

#include <algorithm>

namespace toolgate {
namespace {

constexpr std::size_t kMostKept = 8;
constexpr std::size_t kLongestKey = 1024;

}  // namespace

bool ToolLists::turn_to(const Catalog& catalog) {
  if (catalog.version > version_) {
    version_ = catalog.version;
    entries_.clear();
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
  if (!turn_to(catalog) || key.size() > kLongestKey) return;
  entries_.push_front({std::move(key), std::move(text)});
  if (entries_.size() > kMostKept) entries_.pop_back();
}

}  // namespace toolgate
