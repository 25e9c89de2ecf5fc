#include "tools/enablement.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace toolgate {
namespace {

using State = EnablementMap::State;

// The listed names, and which of them stood for something.
class NameList {
 public:
  explicit NameList(std::span<const std::string> names) {
    for (const std::string& name : names) used_.try_emplace(name, false);
  }

  bool contains(std::string_view name) {
    const auto found = used_.find(name);
    if (found == used_.end()) return false;
    found->second = true;
    return true;
  }
  // Asks for all of them: each one that is listed was known, whichever decides.
  bool contains_any(const std::vector<std::string>& names) {
    bool any = false;
    for (const std::string& name : names) any |= contains(name);
    return any;
  }

  // Each once, in the order given.
  std::vector<std::string> unused(std::span<const std::string> names) {
    std::vector<std::string> result;
    for (const std::string& name : names)
      if (!std::exchange(used_[name], true)) result.push_back(name);
    return result;
  }

 private:
  std::unordered_map<std::string_view, bool> used_;
};

bool is_user_set(const CatalogSet& set) {
  return set.data->source.kind == ToolSource::Kind::User;
}

// The name of a set that is gone switches on what was in it.
bool names_old_set(NameList& list, const ToolData& tool) {
  bool any = false;
  for (const std::string& legacy : tool.legacy_full_names)
    if (const auto slash = legacy.rfind('/'); slash != legacy.npos)
      any |= list.contains(std::string_view(legacy).substr(0, slash));
  return any;
}

bool is_named(NameList& list, const Catalog& catalog, const NamedItem& item) {
  bool named = list.contains(item.name);
  named |= list.contains_any(aliases_of(catalog, item));
  if (!item.is_set) named |= names_old_set(list, catalog.tools[item.index].data());
  return named;
}

void put_user_sets(EnablementMap& map, const Catalog& catalog) {
  for (std::uint32_t i = 0; i < catalog.sets.size(); ++i) {
    if (!is_user_set(catalog.sets[i])) continue;
    const auto members = catalog.members_of(catalog.sets[i]);
    const bool all = std::ranges::all_of(
        members, [&](std::uint32_t member) { return map.tool(member) == State::On; });
    map.put({true, i}, all);
  }
}

}  // namespace

void EnablementMap::put(CatalogItem item, bool on) {
  State& state = item.is_set ? sets_[item.index] : tools_[item.index];
  if (state == State::Absent) items_.push_back(item);
  state = on ? State::On : State::Off;
}

std::size_t EnablementMap::enabled_count() const {
  return static_cast<std::size_t>(std::ranges::count(tools_, State::On) +
                                  std::ranges::count(sets_, State::On));
}

EnablementMap enablement_from_names(const Catalog& catalog, std::span<const std::string> names,
                                    const EnablementOptions& options) {
  EnablementMap map(catalog);
  NameList list(names);
  for (const NamedItem& item : full_reference_names(catalog)) {
    const bool named = is_named(list, catalog, item);
    if (item.is_set) {
      map.put(item.item(), named);
      if (!named) continue;
      for (const std::uint32_t member : catalog.members_of(catalog.sets[item.index], options.model))
        map.put({false, member}, true);
    } else if (is_for_model(catalog.tools[item.index].data(), options.model)) {
      const State before = map.tool(item.index);
      if (before == State::Absent || (named && !options.classic)) map.put(item.item(), named);
    }
  }
  put_user_sets(map, catalog);
  map.unknown = list.unused(names);
  return map;
}

std::vector<std::string> to_full_reference_names(const Catalog& catalog, const EnablementMap& map) {
  std::vector<std::string> result;
  std::vector<char> covered(catalog.tools.size());
  for (NamedItem& item : full_reference_names(catalog)) {
    if (map.at(item.item()) != State::On || (!item.is_set && covered[item.index])) continue;
    if (item.is_set)
      for (const std::uint32_t member : catalog.members_of(catalog.sets[item.index]))
        covered[member] = true;
    result.push_back(std::move(item.name));
  }
  return result;
}

std::vector<std::string> selection_names(const Catalog& catalog, const EnablementMap& map) {
  std::vector<std::string> result;
  std::unordered_set<std::string> seen;
  const auto add = [&](std::string name) {
    if (seen.insert(name).second) result.push_back(std::move(name));
  };
  std::vector<char> covered(catalog.tools.size());
  for (const CatalogItem item : map.items()) {
    if (!item.is_set || map.at(item) != State::On) continue;
    const CatalogSet& set = catalog.sets[item.index];
    const auto members = catalog.members_of(set);
    if (std::ranges::any_of(members, [&](auto i) { return map.tool(i) == State::Off; })) continue;
    for (const std::uint32_t member : members) covered[member] = true;
    add(is_user_set(set) ? set.reference_name : full_reference_name(set));
  }
  const NameIndex names(catalog);
  for (const CatalogItem item : map.items()) {
    if (item.is_set || map.at(item) != State::On || covered[item.index]) continue;
    const std::string& name = catalog.tools[item.index].full_reference_name;
    if (names.find(name) == item) add(name);
  }
  return result;
}

}  // namespace toolgate
