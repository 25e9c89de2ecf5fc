#include "tools/catalog_build.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "tools/names.h"
#include "tools/tool_record.h"
#include "tools/tool_rules.h"

namespace toolgate {
namespace {

struct BuiltInSet {
  std::string_view name;
  std::string_view description;
};
constexpr std::array kBuiltInSets{
    BuiltInSet{"vscode", "Use VS Code features"},
    BuiltInSet{"execute", "Execute code and applications on your machine"},
    BuiltInSet{"read", "Read files in your workspace"},
    BuiltInSet{"agent", "Plan work and hand parts of it to other agents"},
};
// What stays when chat.agent.enabled is off.
constexpr std::array<std::string_view, 3> kHarmlessSets{"read", "search", "web"};
constexpr std::string_view kHarmlessTool = "vscode_fetchWebPage_internal";

bool is_internal(const ToolSource& source) {
  return source.kind == ToolSource::Kind::Internal;
}

bool is_user_set(const CatalogSet& set) {
  return set.data->source.kind == ToolSource::Kind::User;
}

class CatalogBuilder {
 public:
  CatalogBuilder(const CatalogParts& parts, std::uint64_t version)
      : parts_(parts), catalog_(std::make_shared<Catalog>()) {
    catalog_->version = version;
  }

  std::shared_ptr<const Catalog> build() {
    add_tools();
    add_sets();
    catalog_->index();
    resolve_members();
    permit();
    resolve_user_members();
    drop_empty_sets();
    catalog_->index();
    assign_full_reference_names(*catalog_);
    apply_rules();
    note_problems();
    return catalog_;
  }

 private:
  void add_tools();
  void add_sets();
  void add_set(std::shared_ptr<const ToolSetData> data);
  bool merge_into_internal(const ToolSetData& data);
  void resolve_members();
  void resolve_user_members();
  void add_members(std::uint32_t set, const NameIndex* names);
  void add_member(std::uint32_t set, const ToolSetMember& member, const NameIndex* names);
  void add_tool(std::uint32_t set, const CatalogTool& tool);
  void add_nested(std::uint32_t set, const CatalogSet& nested);
  void drop_empty_sets();
  void permit();
  void apply_rules();
  void note_problems();

  const CatalogParts& parts_;
  std::shared_ptr<Catalog> catalog_;
  std::vector<std::vector<ToolSetMember>> members_;  // of each set, with what was merged into it
  std::vector<std::uint32_t> last_set_;              // whose member each tool became last
};

void CatalogBuilder::add_tools() {
  catalog_->tools.reserve(parts_.tools.size());
  std::unordered_map<std::string_view, bool> verdicts;  // many tools have the same clause
  const auto holds = [&](const ToolRecord& record) {
    if (!record.when()) return true;
    const auto [known, is_new] = verdicts.try_emplace(record.data().when, false);
    if (is_new) known->second = record.when()->holds(parts_.context);
    return known->second;
  };
  for (const auto& [record, implementation] : parts_.tools) {
    CatalogTool& tool = catalog_->tools.emplace_back();
    tool.record = record;
    tool.implementation = implementation;
    tool.when_holds = holds(*record);
    tool.kind_enabled = parts_.settings.extension_tools_enabled ||
                        record->data().source.kind != ToolSource::Kind::Extension;
  }
}

void CatalogBuilder::add_sets() {
  for (const auto& [name, description] : kBuiltInSets) {
    ToolSetData data;
    data.id = data.reference_name = name;
    data.description = description;
    add_set(std::make_shared<const ToolSetData>(std::move(data)));
  }
  for (const auto& set : parts_.sets)
    if (!merge_into_internal(*set)) add_set(set);
}

void CatalogBuilder::add_set(std::shared_ptr<const ToolSetData> data) {
  members_.push_back(data->members);
  CatalogSet& set = catalog_->sets.emplace_back();
  set.reference_name = normalized_set_name(data->reference_name);
  set.data = std::move(data);
}

// What is built in adds to the set of that name instead of making a second one.
bool CatalogBuilder::merge_into_internal(const ToolSetData& data) {
  if (!is_internal(data.source)) return false;
  const auto found = std::ranges::find_if(catalog_->sets, [&](const CatalogSet& set) {
    return is_internal(set.data->source) && set.reference_name == data.reference_name;
  });
  if (found == catalog_->sets.end()) return false;
  auto& members = members_[static_cast<std::size_t>(found - catalog_->sets.begin())];
  members.insert(members.end(), data.members.begin(), data.members.end());
  return true;
}

void CatalogBuilder::add_tool(std::uint32_t set, const CatalogTool& tool) {
  const auto index = static_cast<std::uint32_t>(&tool - catalog_->tools.data());
  if (std::exchange(last_set_[index], set) != set) catalog_->sets[set].tools.push_back(index);
}

void CatalogBuilder::add_nested(std::uint32_t set, const CatalogSet& nested) {
  const auto index = static_cast<std::uint32_t>(&nested - catalog_->sets.data());
  auto& sets = catalog_->sets[set].sets;
  if (index != set && std::ranges::find(sets, index) == sets.end()) sets.push_back(index);
}

void CatalogBuilder::add_member(std::uint32_t set, const ToolSetMember& member,
                                const NameIndex* names) {
  using By = ToolSetMember::By;
  const CatalogTool* tool = nullptr;
  const CatalogSet* nested = nullptr;
  if (names != nullptr) {
    const auto item = names->find_any(member.name);
    if (item && item->is_set) nested = &catalog_->sets[item->index];
    if (item && !item->is_set) tool = &catalog_->tools[item->index];
  } else if (member.by == By::ToolId) {
    tool = catalog_->find_tool(member.name);
  } else if (member.by == By::SetId) {
    nested = catalog_->find_set(member.name);
  } else {
    tool = catalog_->find_tool_by_reference_name(member.name);
    if (tool == nullptr) nested = catalog_->find_set_by_reference_name(member.name);
  }
  if (tool != nullptr) add_tool(set, *tool);
  if (nested != nullptr) add_nested(set, *nested);
  if (tool == nullptr && nested == nullptr) catalog_->sets[set].missing.push_back(member.name);
}

void CatalogBuilder::add_members(std::uint32_t set, const NameIndex* names) {
  for (const ToolSetMember& member : members_[set])
    add_member(set, member, member.by == ToolSetMember::By::AnyName ? names : nullptr);
}

void CatalogBuilder::resolve_members() {
  last_set_.assign(catalog_->tools.size(), UINT32_MAX);
  for (std::uint32_t i = 0; i < members_.size(); ++i)
    if (!is_user_set(catalog_->sets[i])) add_members(i, nullptr);
}

void CatalogBuilder::resolve_user_members() {
  if (std::ranges::none_of(catalog_->sets, is_user_set)) return;
  const NameIndex names(*catalog_);
  for (std::uint32_t i = 0; i < members_.size(); ++i)
    if (is_user_set(catalog_->sets[i])) add_members(i, &names);
}

// A set that needs members and has none goes, and with it others that have only that one.
void CatalogBuilder::drop_empty_sets() {
  auto& sets = catalog_->sets;
  std::vector<bool> dropped(sets.size());
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      std::erase_if(sets[i].sets, [&](std::uint32_t nested) { return dropped[nested]; });
      if (dropped[i] || !sets[i].data->needs_member) continue;
      if (!sets[i].tools.empty() || !sets[i].sets.empty()) continue;
      dropped[i] = again = true;
    }
  }
  std::vector<std::uint32_t> moved_to(sets.size());
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!sets[i].missing.empty())
      catalog_->problems.push_back(
          {sets[i].reference_name,
           fmt::format("the tool set '{}' names {} that {} not there: {}{}", sets[i].reference_name,
                       sets[i].missing.size() == 1 ? "a member" : "members",
                       sets[i].missing.size() == 1 ? "is" : "are", fmt::join(sets[i].missing, ", "),
                       dropped[i] ? "; it has no member left and is not made" : ""),
           "mend the names, or add what brings these tools"});
    if (dropped[i]) continue;
    moved_to[i] = kept;
    if (kept != i) sets[kept] = std::move(sets[i]);
    ++kept;
  }
  sets.resize(kept);
  for (CatalogSet& set : sets)
    for (std::uint32_t& nested : set.sets) nested = moved_to[nested];
  for (std::uint32_t i = 0; i < sets.size(); ++i)
    for (const std::uint32_t tool : sets[i].tools) catalog_->tools[tool].sets.push_back(i);
}

void CatalogBuilder::permit() {
  if (parts_.settings.agent_enabled) return;
  for (CatalogTool& tool : catalog_->tools) {
    const ToolData& data = tool.data();
    tool.permitted = data.id == kHarmlessTool ||
                     (is_internal(data.source) && data.can_be_referenced_in_prompt == false);
  }
  for (CatalogSet& set : catalog_->sets) {
    set.permitted = is_internal(set.data->source) &&
                    std::ranges::find(kHarmlessSets, set.reference_name) != kHarmlessSets.end();
    if (!set.permitted) continue;
    for (const std::uint32_t member : catalog_->members_of(set))
      catalog_->tools[member].permitted = true;
  }
}

void CatalogBuilder::apply_rules() {
  const ToolRules rules(parts_.settings.allow, parts_.settings.deny);
  if (rules.empty()) return;
  rules.apply(*catalog_);
  for (std::string& rule : rules.unmatched(*catalog_))
    catalog_->problems.push_back({rule, fmt::format("{} names no tool that is registered", rule),
                                  "mend or remove the rule"});
}

void CatalogBuilder::note_problems() {
  for (CatalogProblem& problem : clashes_of_user_sets(*catalog_))
    catalog_->problems.push_back(std::move(problem));
  for (const CatalogTool& tool : catalog_->tools)
    if (const auto& fault = tool.record->when_fault())
      catalog_->problems.push_back(
          {tool.data().id,
           fmt::format(
               "the condition of the tool '{}' cannot be read, so the tool is always on: {}",
               tool.data().id, describe(*fault)),
           "mend \"when\""});
}

}  // namespace

std::shared_ptr<const Catalog> build_catalog(const CatalogParts& parts, std::uint64_t version) {
  return CatalogBuilder(parts, version).build();
}

}  // namespace toolgate
