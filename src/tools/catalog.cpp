#include "toolgate/catalog.h"

#include "tools/tool_record.h"

namespace toolgate {
namespace {

// Each member of a set and of the sets in it once, cycles cut.
class MemberWalk {
 public:
  MemberWalk(const Catalog& catalog, const ModelFacts* model)
      : catalog_(catalog),
        model_(model),
        seen_tools_(catalog.tools.size()),
        seen_sets_(catalog.sets.size()) {}

  void visit(const CatalogSet& root) {
    std::vector<const CatalogSet*> open{&root};
    mark(root);
    while (!open.empty()) {
      const CatalogSet& set = *open.back();
      open.pop_back();
      for (const std::uint32_t tool : set.tools) take(tool);
      for (auto nested = set.sets.rbegin(); nested != set.sets.rend(); ++nested)
        if (mark(catalog_.sets[*nested])) open.push_back(&catalog_.sets[*nested]);
    }
  }

  std::vector<std::uint32_t> members;

 private:
  bool mark(const CatalogSet& set) {
    auto&& seen = seen_sets_[static_cast<std::size_t>(&set - catalog_.sets.data())];
    return !std::exchange(seen, true);
  }

  void take(std::uint32_t index) {
    const CatalogTool& tool = catalog_.tools[index];
    if (seen_tools_[index] || !tool.when_holds || !is_for_model(tool.data(), model_)) return;
    seen_tools_[index] = true;
    members.push_back(index);
  }

  const Catalog& catalog_;
  const ModelFacts* model_;
  std::vector<char> seen_tools_;
  std::vector<char> seen_sets_;
};

}  // namespace

const ToolData& CatalogTool::data() const {
  return record->data();
}

std::string_view CatalogTool::state() const {
  if (!allowed) return "denied";
  if (!permitted) return "agent mode is off";
  if (!kind_enabled) return "extension tools are off";
  if (!when_holds) return "its condition does not hold";
  return implementation ? "enabled" : "declared";
}

CheckedInput CatalogTool::check_input(std::string_view input) const {
  return record->check_input(input);
}

void Catalog::index() {
  tools_by_id_.clear();
  tools_by_reference_name_.clear();
  sets_by_id_.clear();
  sets_by_reference_name_.clear();
  for (std::uint32_t i = 0; i < tools.size(); ++i) {
    tools_by_id_.try_emplace(tools[i].data().id, i);
    if (!tools[i].data().reference_name.empty())
      tools_by_reference_name_.try_emplace(tools[i].data().reference_name, i);
  }
  for (std::uint32_t i = 0; i < sets.size(); ++i) {
    sets_by_id_.try_emplace(sets[i].data->id, i);
    sets_by_reference_name_.try_emplace(sets[i].reference_name, i);
  }
}

const CatalogTool* Catalog::find_tool(std::string_view id) const {
  const auto found = tools_by_id_.find(id);
  return found == tools_by_id_.end() ? nullptr : &tools[found->second];
}

const CatalogTool* Catalog::find_tool_by_reference_name(std::string_view name) const {
  const auto found = tools_by_reference_name_.find(name);
  return found == tools_by_reference_name_.end() ? nullptr : &tools[found->second];
}

const CatalogSet* Catalog::find_set(std::string_view id) const {
  const auto found = sets_by_id_.find(id);
  return found == sets_by_id_.end() ? nullptr : &sets[found->second];
}

const CatalogSet* Catalog::find_set_by_reference_name(std::string_view name) const {
  const auto found = sets_by_reference_name_.find(name);
  return found == sets_by_reference_name_.end() ? nullptr : &sets[found->second];
}

std::vector<std::uint32_t> Catalog::enabled_tools(const ModelFacts* model) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < tools.size(); ++i)
    if (tools[i].enabled() && !tools[i].data().is_private && is_for_model(tools[i].data(), model))
      result.push_back(i);
  return result;
}

std::vector<std::uint32_t> Catalog::members_of(const CatalogSet& set,
                                               const ModelFacts* model) const {
  MemberWalk walk(*this, model);
  walk.visit(set);
  return std::move(walk.members);
}

}  // namespace toolgate
