#include "tools/names.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>

#include <fmt/format.h>

#include "base/ascii.h"

namespace toolgate {
namespace {

using Kind = ToolSource::Kind;

// A server that is known under several names, of which one is used.
struct KnownServer {
  std::string_view name;
  std::span<const std::string_view> other_names;
};

constexpr std::array<std::string_view, 3> kGithubNames{
    "github/github-mcp-server", "io.github.github/github-mcp-server", "github-mcp-server"};
constexpr std::array<std::string_view, 2> kPlaywrightNames{"microsoft/playwright-mcp",
                                                           "com.microsoft/playwright-mcp"};
constexpr std::array<KnownServer, 2> kKnownServers{
    KnownServer{"github", kGithubNames},
    KnownServer{"playwright", kPlaywrightNames},
};

// What prompts for any editor may name, whether there is such a set here or not.
constexpr std::array<std::string_view, 7> kKnownSetNames{"execute", "edit", "search", "agent",
                                                         "read",    "web",  "todo"};
// The bare name of this tool means the set it is in.
constexpr std::string_view kSubagentTool = "runSubagent";

std::span<const std::string_view> other_names_of_server(std::string_view name) {
  const auto found = std::ranges::find(kKnownServers, name, &KnownServer::name);
  return found == kKnownServers.end() ? std::span<const std::string_view>{} : found->other_names;
}

bool is_user_set(const CatalogSet& set) {
  return set.data->source.kind == Kind::User;
}

std::string join(std::string_view front, std::string_view back) {
  std::string result(front);
  result += '/';
  result += back;
  return result;
}

class DeprecatedNames {
 public:
  void add(std::string name, const std::string& current) {
    if (name == current) return;
    const auto [place, is_new] = places_.try_emplace(std::move(name), list.size());
    if (is_new) list.push_back({place->first, {}});
    auto& known = list[place->second].current;
    if (seen_.insert(place->first + '\0' + current).second) known.push_back(current);
  }

  std::vector<DeprecatedName> list;

 private:
  std::unordered_map<std::string, std::size_t> places_;
  std::unordered_set<std::string> seen_;
};

// Old names of a tool that are no aliases: under the set it is in now, and the name of a set that
// is gone.
void add_old_names(DeprecatedNames& names, const ToolData& tool, const std::string& full_name,
                   const CatalogSet* set, const std::unordered_set<std::string_view>& known_sets) {
  for (const std::string& legacy : tool.legacy_full_names) {
    const auto slash = legacy.rfind('/');
    if (slash == legacy.npos) {
      if (set != nullptr) names.add(join(set->reference_name, legacy), full_name);
    } else if (!known_sets.contains(std::string_view(legacy).substr(0, slash))) {
      names.add(legacy.substr(0, slash), full_name);
    }
  }
}

using Owners = std::unordered_map<std::string_view, std::string>;

// Who else answers to the names of people's sets; empty: nobody.
Owners owners_of_names(const Catalog& catalog, const std::vector<const CatalogSet*>& user_sets) {
  Owners owners;
  for (const CatalogSet* set : user_sets) owners.try_emplace(set->reference_name);
  const auto own = [&](std::string_view name, CatalogItem item) {
    const auto owner = owners.find(name);
    if (owner == owners.end() || !owner->second.empty()) return;
    owner->second = item.is_set
                        ? fmt::format("the tool set '{}'", catalog.sets[item.index].reference_name)
                        : fmt::format("the tool '{}'", catalog.tools[item.index].data().id);
  };
  for (const NamedItem& item : full_reference_names(catalog)) {
    own(item.name, item.item());
    for (const std::string& alias : aliases_of(catalog, item)) own(alias, item.item());
  }
  for (std::uint32_t i = 0; i < catalog.tools.size(); ++i)
    own(catalog.tools[i].data().reference_name, {false, i});
  for (std::uint32_t i = 0; i < catalog.sets.size(); ++i)
    if (!is_user_set(catalog.sets[i])) own(catalog.sets[i].reference_name, {true, i});
  for (const std::string_view name : kKnownSetNames)
    if (const auto owner = owners.find(name); owner != owners.end() && owner->second.empty())
      owner->second = "a built-in tool set that is not here now";
  return owners;
}

std::unordered_set<std::string_view> names_of_sets(const Catalog& catalog) {
  std::unordered_set<std::string_view> result;
  for (const CatalogSet& set : catalog.sets) {
    if (!set.permitted || is_user_set(set)) continue;
    result.insert(set.reference_name);
    result.insert(set.data->legacy_full_names.begin(), set.data->legacy_full_names.end());
  }
  return result;
}

}  // namespace

std::string normalized_set_name(std::string_view created_as) {
  for (const KnownServer& server : kKnownServers)
    if (std::ranges::find(server.other_names, created_as) != server.other_names.end())
      return std::string(server.name);
  return std::string(created_as);
}

std::string full_reference_name(const ToolData& tool, const CatalogSet* set) {
  const std::string& name = tool.name_for_people();
  if (set != nullptr) return join(set->reference_name, name);
  if (tool.source.kind != Kind::Extension) return name;
  std::string extension = tool.source.id;
  std::ranges::transform(extension, extension.begin(), ascii_lower);
  return join(extension, name);
}

std::string full_reference_name(const CatalogSet& set) {
  if (is_user_set(set)) return {};
  return set.data->source.kind == Kind::Mcp ? join(set.reference_name, "*") : set.reference_name;
}

std::vector<NamedItem> full_reference_names(const Catalog& catalog) {
  std::vector<NamedItem> result;
  std::vector<char> covered(catalog.tools.size());
  for (std::uint32_t i = 0; i < catalog.sets.size(); ++i) {
    const CatalogSet& set = catalog.sets[i];
    if (!set.permitted || is_user_set(set)) continue;
    result.push_back({true, i, full_reference_name(set)});
    for (const std::uint32_t member : catalog.members_of(set)) {
      const ToolData& tool = catalog.tools[member].data();
      result.push_back({false, member, full_reference_name(tool, &set), i});
      covered[member] = true;
    }
  }
  for (const std::uint32_t i : catalog.enabled_tools()) {
    const ToolData& tool = catalog.tools[i].data();
    if (covered[i] || !tool.can_be_referenced_in_prompt.value_or(false)) continue;
    result.push_back({false, i, full_reference_name(tool, nullptr)});
  }
  return result;
}

void assign_full_reference_names(Catalog& catalog) {
  for (CatalogTool& tool : catalog.tools) tool.full_reference_name.clear();
  for (NamedItem& item : full_reference_names(catalog)) {
    if (item.is_set) continue;
    std::string& name = catalog.tools[item.index].full_reference_name;
    if (name.empty()) name = std::move(item.name);
  }
  // What is in no list now has a name as well: under its first set, or alone.
  for (CatalogSet& set : catalog.sets) {
    set.full_reference_name = full_reference_name(set);
    if (is_user_set(set)) continue;
    for (const std::uint32_t member : set.tools) {
      CatalogTool& tool = catalog.tools[member];
      if (tool.full_reference_name.empty())
        tool.full_reference_name = full_reference_name(tool.data(), &set);
    }
  }
  for (CatalogTool& tool : catalog.tools)
    if (tool.full_reference_name.empty())
      tool.full_reference_name = full_reference_name(tool.data(), nullptr);
}

std::vector<std::string> aliases_of(const CatalogSet& set) {
  std::vector<std::string> result;
  const std::string& name = set.reference_name;
  if (full_reference_name(set) != name) result.push_back(name);
  const auto& legacy = set.data->legacy_full_names;
  result.insert(result.end(), legacy.begin(), legacy.end());
  for (const std::string_view other : other_names_of_server(name))
    result.push_back(join(other, "*"));
  if (name == "execute") result.emplace_back("shell");
  if (name == "agent") result.insert(result.end(), {std::string(kSubagentTool), "custom-agent"});
  return result;
}

std::vector<std::string> aliases_of(const ToolData& tool, std::string_view full_name) {
  std::vector<std::string> result;
  const std::string& name = tool.name_for_people();
  if (full_name != name && name != kSubagentTool) result.push_back(name);
  for (const std::string& legacy : tool.legacy_full_names) {
    result.push_back(legacy);
    if (const auto slash = legacy.rfind('/'); slash != legacy.npos)
      result.push_back(legacy.substr(slash + 1));
  }
  const auto slash = full_name.rfind('/');
  if (slash == full_name.npos) return result;
  for (const std::string_view other : other_names_of_server(full_name.substr(0, slash)))
    result.push_back(join(other, full_name.substr(slash + 1)));
  return result;
}

std::vector<std::string> aliases_of(const Catalog& catalog, const NamedItem& item) {
  return item.is_set ? aliases_of(catalog.sets[item.index])
                     : aliases_of(catalog.tools[item.index].data(), item.name);
}

std::vector<DeprecatedName> deprecated_names(const Catalog& catalog) {
  const auto known_sets = names_of_sets(catalog);
  DeprecatedNames result;
  for (const NamedItem& item : full_reference_names(catalog)) {
    for (std::string& alias : aliases_of(catalog, item)) result.add(std::move(alias), item.name);
    if (item.is_set) continue;
    const CatalogSet* set = item.under == NamedItem::kNoSet ? nullptr : &catalog.sets[item.under];
    add_old_names(result, catalog.tools[item.index].data(), item.name, set, known_sets);
  }
  return std::move(result.list);
}

NameIndex::NameIndex(const Catalog& catalog) {
  auto items = full_reference_names(catalog);
  names_.reserve(items.size() * 2);
  for (NamedItem& item : items) {
    for (std::string& alias : aliases_of(catalog, item))
      names_.try_emplace(std::move(alias), item.item());
    names_.try_emplace(std::move(item.name), item.item());
  }
  for (std::uint32_t i = 0; i < catalog.tools.size(); ++i)
    if (const std::string& name = catalog.tools[i].data().reference_name; !name.empty())
      reference_names_.try_emplace(name, CatalogItem{false, i});
  for (std::uint32_t i = 0; i < catalog.sets.size(); ++i)
    reference_names_.try_emplace(catalog.sets[i].reference_name, CatalogItem{true, i});
}

std::optional<CatalogItem> NameIndex::find(std::string_view name) const {
  const auto found = name.empty() ? names_.end() : names_.find(name);
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<CatalogItem> NameIndex::find_any(std::string_view name) const {
  if (auto found = find(name)) return found;
  const auto found = reference_names_.find(name);
  return found == reference_names_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NamedItem> find_by_full_name_or_alias(const Catalog& catalog, std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (NamedItem& item : full_reference_names(catalog)) {
    if (item.name == name) return std::move(item);
    const auto aliases = aliases_of(catalog, item);
    if (std::ranges::find(aliases, name) != aliases.end()) return std::move(item);
  }
  return std::nullopt;
}

std::vector<CatalogProblem> clashes_of_user_sets(const Catalog& catalog) {
  std::vector<const CatalogSet*> user_sets;
  for (const CatalogSet& set : catalog.sets)
    if (is_user_set(set)) user_sets.push_back(&set);
  std::vector<CatalogProblem> problems;
  if (user_sets.empty()) return problems;
  Owners owners = owners_of_names(catalog, user_sets);
  for (const CatalogSet* set : user_sets) {
    std::string& owner = owners[set->reference_name];
    if (!owner.empty())
      problems.push_back({set->reference_name,
                          fmt::format("the tool set '{}' of {} has a name that belongs to {}",
                                      set->reference_name, set->data->source.id, owner),
                          "give the tool set another name"});
    else
      owner = fmt::format("the tool set of {}", set->data->source.id);
  }
  return problems;
}

}  // namespace toolgate
