// The caches of ToolOffers: short lists, newest first.
#include <algorithm>

#include "agent/offer_tools.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostKept = 16;
constexpr std::size_t kMostFilterBytes = 128 << 10;

std::size_t bytes_of(const std::optional<std::vector<std::string>>& names) {
  std::size_t bytes = 0;
  if (names)
    for (const std::string& name : *names) bytes += name.size() + sizeof name;
  return bytes;
}

// The entry that `is_wanted`, moved to the front; null: none.
template <class Entry, class IsWanted>
Entry* find_and_refresh(std::list<Entry>& entries, IsWanted is_wanted) {
  const auto found = std::ranges::find_if(entries, is_wanted);
  if (found == entries.end()) return nullptr;
  entries.splice(entries.begin(), entries, found);
  return &entries.front();
}

template <class Entry>
void push(std::list<Entry>& entries, Entry entry) {
  entries.push_front(std::move(entry));
  if (entries.size() > kMostKept) entries.pop_back();
}

}  // namespace

bool ToolOffers::turn_to(const Catalog& catalog) {
  if (catalog.version == version_) return true;
  if (catalog.version < version_) return false;
  version_ = catalog.version;
  choices_.clear();
  trees_.clear();
  added_.clear();
  return true;
}

ToolOffers::Choice ToolOffers::find_choice(const Catalog& catalog, std::string_view model,
                                           const ToolFilter& filter) {
  if (!turn_to(catalog)) return nullptr;
  const auto* entry = find_and_refresh(choices_, [&](const ChoiceEntry& known) {
    return known.model == model && known.filter.include == filter.include &&
           known.filter.exclude == filter.exclude;
  });
  return entry ? entry->choice : nullptr;
}

ToolOffers::Tree ToolOffers::find_tree(const Catalog& catalog, const Tools& tools,
                                       std::string_view plan) {
  if (!turn_to(catalog)) return nullptr;
  const auto* entry = find_and_refresh(
      trees_, [&](const TreeEntry& known) { return known.plan == plan && known.tools == tools; });
  return entry ? entry->tree : nullptr;
}

std::shared_ptr<const ToolOffers::Added> ToolOffers::find_added(const Catalog& catalog,
                                                                const Tree& tree,
                                                                std::string_view key) {
  if (!turn_to(catalog)) return nullptr;
  const auto* entry = find_and_refresh(
      added_, [&](const AddedEntry& known) { return known.tree == tree && known.key == key; });
  return entry ? entry->added : nullptr;
}

void ToolOffers::keep(const Catalog& catalog, std::string model, const ToolFilter& filter,
                      Choice choice) {
  if (!turn_to(catalog)) return;
  if (bytes_of(filter.include) + bytes_of(filter.exclude) > kMostFilterBytes) return;
  push(choices_, ChoiceEntry{std::move(model), filter, std::move(choice)});
}

void ToolOffers::keep(const Catalog& catalog, Tools tools, std::string plan, Tree tree) {
  if (turn_to(catalog)) push(trees_, TreeEntry{std::move(tools), std::move(plan), std::move(tree)});
}

void ToolOffers::keep(const Catalog& catalog, Tree tree, std::string key,
                      std::shared_ptr<const Added> added) {
  if (turn_to(catalog)) push(added_, AddedEntry{std::move(tree), std::move(key), std::move(added)});
}

}  // namespace toolgate
