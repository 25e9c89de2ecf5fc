#include "tools/picker.h"

#include <unordered_map>
#include <utility>

#include "base/json.h"

namespace toolgate {
namespace {

using State = EnablementMap::State;

PickerState refused(std::string fault) {
  PickerState state;
  state.fault = std::move(fault);
  return state;
}

const json::array* array_in(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  return member ? member->if_array() : nullptr;
}

// [[id, on], …]: of the same id the last counts. A pair whose second is no boolean says nothing
// about the id; what is no pair makes all of it unusable.
bool read_pairs(const json::array& list, PickerState::Entries& entries) {
  std::unordered_map<std::string_view, const bool*> last;
  for (const json::value& item : list) {
    const json::array* pair = item.if_array();
    if (pair == nullptr) return false;
    if (pair->empty() || !pair->front().is_string()) continue;
    last[pair->front().get_string()] = pair->size() > 1 ? (*pair)[1].if_bool() : nullptr;
  }
  for (const json::value& item : list) {
    const json::array& pair = item.get_array();
    if (pair.empty() || !pair.front().is_string()) continue;
    const std::string_view id = pair.front().get_string();
    if (const bool* on = std::exchange(last[id], nullptr)) entries.emplace_back(id, *on);
  }
  return true;
}

PickerState read_version_2(const json::value& stored) {
  PickerState state;
  const json::array* sets = array_in(stored, "toolSetEntries");
  const json::array* tools = array_in(stored, "toolEntries");
  if (sets == nullptr || tools == nullptr)
    return refused("\"toolSetEntries\" and \"toolEntries\" must be lists");
  if (!read_pairs(*sets, state.sets) || !read_pairs(*tools, state.tools))
    return refused("every entry must be [id, true or false]");
  return state;
}

bool read_disabled(const json::value& stored, std::string_view key, PickerState::Entries& entries) {
  if (find(stored, key) == nullptr) return true;
  const json::array* ids = array_in(stored, key);
  if (ids == nullptr) return false;
  for (const json::value& id : *ids)
    if (const json::string* text = id.if_string()) entries.emplace_back(*text, false);
  return true;
}

PickerState read_version_1(const json::value& stored) {
  PickerState state;
  if (!read_disabled(stored, "disabledToolSets", state.sets) ||
      !read_disabled(stored, "disabledTools", state.tools))
    return refused("\"disabledToolSets\" and \"disabledTools\" must be lists");
  return state;
}

class Choices {
 public:
  explicit Choices(const PickerState::Entries& entries) {
    for (const auto& [id, on] : entries) choices_.insert_or_assign(id, on);
  }

  State of(const std::string& id) const {
    const auto found = choices_.find(id);
    if (found == choices_.end()) return State::Absent;
    return found->second ? State::On : State::Off;
  }

 private:
  std::unordered_map<std::string_view, bool> choices_;
};

void append_pairs(json::array& out, const PickerState::Entries& entries) {
  for (const auto& [id, on] : entries) out.push_back(json::array{id, on});
}

}  // namespace

PickerState read_picker_state(std::string_view stored) {
  const auto parsed = parse_json(stored);
  if (!parsed) return refused(parsed.error().message);
  if (!parsed->is_object()) return refused("it must be an object");
  const json::value* version = find(*parsed, "version");
  if (version == nullptr) return read_version_1(*parsed);
  if (version->is_number() && version->to_number<double>() == 2) return read_version_2(*parsed);
  return refused("\"version\" must be 2");
}

std::string write_picker_state(const PickerState& state) {
  json::array sets;
  json::array tools;
  append_pairs(sets, state.sets);
  append_pairs(tools, state.tools);
  return write_json(json::object{
      {"version", 2}, {"toolSetEntries", std::move(sets)}, {"toolEntries", std::move(tools)}});
}

EnablementMap apply_picker_state(const Catalog& catalog, const PickerState& state,
                                 const ModelFacts* model) {
  const Choices sets(state.sets);
  const Choices tools(state.tools);
  EnablementMap map(catalog);
  for (const std::uint32_t i : catalog.enabled_tools(model)) {
    const ToolData& tool = catalog.tools[i].data();
    if (tool.can_be_referenced_in_prompt.value_or(false))
      map.put({false, i}, tools.of(tool.id) != State::Off);
  }
  for (std::uint32_t i = 0; i < catalog.sets.size(); ++i) {
    const CatalogSet& set = catalog.sets[i];
    if (!set.permitted || set.data->hidden_in_picker) continue;
    const bool on = sets.of(set.data->id) != State::Off;
    map.put({true, i}, on);
    for (const std::uint32_t member : catalog.members_of(set, model))
      map.put({false, member}, on || tools.of(catalog.tools[member].data().id) == State::On);
  }
  return map;
}

PickerState picker_state_of(const Catalog& catalog, const EnablementMap& map) {
  PickerState state;
  for (const CatalogItem item : map.items()) {
    const bool on = map.at(item) == State::On;
    if (item.is_set)
      state.sets.emplace_back(catalog.sets[item.index].data->id, on);
    else
      state.tools.emplace_back(catalog.tools[item.index].data().id, on);
  }
  return state;
}

}  // namespace toolgate
