// toolsets.json: fixtures of tools and sets; names, enablement, picker state, listing and tool-set
// files over them.
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "golden_runner/kinds.h"
#include "tools/catalog_build.h"
#include "tools/enablement.h"
#include "tools/names.h"
#include "tools/picker.h"
#include "tools/tool_record.h"
#include "tools/toolset_file.h"

namespace toolgate {
namespace {

using CatalogPtr = std::shared_ptr<const Catalog>;

std::vector<std::string> texts_in(const json::value& value, std::string_view key) {
  std::vector<std::string> result;
  if (const json::value* list = find(value, key))
    for (const json::value& item : list->as_array()) result.emplace_back(item.as_string());
  return result;
}

ToolSource source_in(const json::value& value) {
  const json::value& source = value.at("source");
  const std::string_view type = text_in(source, "type");
  ToolSource result;
  result.label = text_in(source, "label");
  if (type == "extension") {
    result.kind = ToolSource::Kind::Extension;
    result.id = text_in(source, "extension_id");
  } else if (type == "mcp") {
    result.kind = ToolSource::Kind::Mcp;
    result.id = text_in(source, "collection_id");
    result.server = text_in(source, "definition_id");
  } else if (type == "user") {
    result.kind = ToolSource::Kind::User;
    result.id = text_in(source, "file");
  }
  return result;
}

ModelFacts model_in(const json::value& value) {
  return {std::string(text_in(value, "vendor")), std::string(text_in(value, "family")),
          std::string(text_in(value, "version")), std::string(text_in(value, "id"))};
}

std::optional<ModelFacts> model_of(const json::value& input) {
  const json::value* model = find(input, "model");
  return model && model->is_object() ? std::optional(model_in(*model)) : std::nullopt;
}

ToolData tool_in(const json::value& value) {
  ToolData tool;
  tool.id = text_in(value, "id");
  tool.reference_name = text_in(value, "ref");
  tool.legacy_full_names = texts_in(value, "legacy");
  tool.display_name = text_in(value, "display");
  tool.when = text_in(value, "when");
  tool.source = source_in(value);
  if (const json::value* can = find(value, "can_be_referenced"); can && can->is_bool())
    tool.can_be_referenced_in_prompt = can->get_bool();
  if (const json::value* models = find(value, "models"))
    for (const json::value& model : models->as_array()) tool.models.push_back(model_in(model));
  return tool;
}

void add_members(ToolSetData& set, ToolSetMember::By by, const std::vector<std::string>& names) {
  for (const std::string& name : names) set.members.push_back({by, name});
}

ToolSetData set_in(const json::value& value) {
  ToolSetData set;
  set.id = text_in(value, "id");
  set.reference_name = text_in(value, "ref");
  set.legacy_full_names = texts_in(value, "legacy");
  set.source = source_in(value);
  if (const json::value* hidden = find(value, "hidden_in_picker"))
    set.hidden_in_picker = hidden->as_bool();
  add_members(set, ToolSetMember::By::ToolId, texts_in(value, "tools"));
  add_members(set, ToolSetMember::By::SetId, texts_in(value, "sets"));
  return set;
}

bool setting(const json::value& input, std::string_view name) {
  const json::value* settings = find(input, "settings");
  const json::value* value = settings ? find(*settings, name) : nullptr;
  return value == nullptr || !value->is_bool() || value->get_bool();
}

CatalogPtr catalog_of(const json::value& fixture, const json::value& input) {
  CatalogParts parts;
  for (const json::value& tool : fixture.at("tools").as_array())
    parts.tools.push_back({std::make_shared<const ToolRecord>(tool_in(tool)), nullptr});
  const auto add = [&](ToolSetData set) {
    parts.sets.push_back(std::make_shared<const ToolSetData>(std::move(set)));
  };
  if (const json::value* built_in = find(fixture, "builtin"))
    for (const auto& member : built_in->as_object()) {
      ToolSetData set;
      set.id = set.reference_name = member.key();
      add_members(set, ToolSetMember::By::ToolId, texts_in(*built_in, member.key()));
      add(std::move(set));
    }
  for (const json::value& set : fixture.at("sets").as_array()) add(set_in(set));
  parts.settings.agent_enabled = setting(input, "chat.agent.enabled");
  parts.settings.extension_tools_enabled = setting(input, "chat.extensionTools.enabled");
  if (const json::value* context = find(input, "context"))
    for (const auto& key : context->as_object()) parts.context.set(key.key(), key.value());
  return build_catalog(parts, 1);
}

const std::string& id_of(const Catalog& catalog, CatalogItem item) {
  return item.is_set ? catalog.sets[item.index].data->id : catalog.tools[item.index].data().id;
}

json::array ids_of(const Catalog& catalog, const std::vector<std::uint32_t>& tools) {
  json::array result;
  for (const std::uint32_t tool : tools) result.emplace_back(catalog.tools[tool].data().id);
  return result;
}

json::array array_of(const std::vector<std::string>& texts) {
  return json::array(texts.begin(), texts.end());
}

json::object states_of(const Catalog& catalog, const EnablementMap& map, bool of_sets) {
  json::object result;
  for (const CatalogItem item : map.items())
    if (item.is_set == of_sets)
      result[id_of(catalog, item)] = map.at(item) == EnablementMap::State::On;
  return result;
}

json::value enablement(const Catalog& catalog, const json::value& input, bool classic) {
  const auto model = model_of(input);
  const EnablementMap map = enablement_from_names(
      catalog, texts_in(input, "names"), {.model = model ? &*model : nullptr, .classic = classic});
  return json::object{{"tools", states_of(catalog, map, false)},
                      {"sets", states_of(catalog, map, true)},
                      {"size", map.items().size()},
                      {"enabled", map.enabled_count()},
                      {"reverse_names", array_of(to_full_reference_names(catalog, map))}};
}

json::value names_of(const Catalog& catalog) {
  json::array result;
  for (const NamedItem& item : full_reference_names(catalog)) result.emplace_back(item.name);
  return result;
}

json::value deprecated(const Catalog& catalog) {
  json::object result;
  for (const DeprecatedName& old : deprecated_names(catalog))
    result[old.name] = array_of(old.current);
  return result;
}

json::value selection(const Catalog& catalog, const json::value& input) {
  EnablementMap map(catalog);
  for (const json::value& entry : input.at("entries").as_array()) {
    const std::string_view id = entry.at(0).as_string();
    if (const CatalogSet* set = catalog.find_set(id))
      map.put({true, static_cast<std::uint32_t>(set - catalog.sets.data())}, entry.at(1).as_bool());
    else if (const CatalogTool* tool = catalog.find_tool(id))
      map.put({false, static_cast<std::uint32_t>(tool - catalog.tools.data())},
              entry.at(1).as_bool());
  }
  return array_of(selection_names(catalog, map));
}

json::value picker(const Catalog& catalog, const json::value& input) {
  const json::value& stored = input.at("stored");
  PickerState state;
  if (const json::value* raw = find(stored, "raw_text"))
    state = read_picker_state(raw->as_string());
  else if (!stored.is_null())
    state = read_picker_state(write_json(stored));
  const EnablementMap map = apply_picker_state(catalog, state);
  // What is stored of the outcome must mean the same.
  const auto again = read_picker_state(write_picker_state(picker_state_of(catalog, map)));
  const auto tools = states_of(catalog, map, false);
  if (states_of(catalog, apply_picker_state(catalog, again), true) != states_of(catalog, map, true))
    return "the stored outcome means something else";
  return json::object{
      {"tools", tools}, {"sets", states_of(catalog, map, true)}, {"selected_tools", tools}};
}

json::value look_up(const Catalog& catalog, std::string_view name) {
  const auto found = find_by_full_name_or_alias(catalog, name);
  const auto indexed = NameIndex(catalog).find(name);
  if (found.has_value() != indexed.has_value() || (found && found->item() != *indexed))
    return "the index finds another";
  if (!found) return nullptr;
  return json::object{{"kind", found->is_set ? "toolset" : "tool"},
                      {"id", id_of(catalog, found->item())}};
}

json::value set_name(const Catalog& catalog, const json::value& input) {
  const std::string name = normalized_set_name(text_in(input, "created_as"));
  const CatalogSet* set = catalog.find_set(text_in(input, "set_id"));
  return set && set->reference_name != name ? "the catalogue has another name" : json::value(name);
}

json::value sets_of(const Catalog& catalog) {
  json::array result;
  for (const CatalogSet& set : catalog.sets)
    if (set.permitted) result.emplace_back(set.data->id);
  return result;
}

json::value members(const Catalog& catalog, const json::value& input) {
  const auto model = model_of(input);
  const CatalogSet* set = catalog.find_set(text_in(input, "set"));
  if (set == nullptr) return nullptr;
  return ids_of(catalog, catalog.members_of(*set, model ? &*model : nullptr));
}

json::value tools(const Catalog& catalog, const json::value& input) {
  const auto model = model_of(input);
  return ids_of(catalog, catalog.enabled_tools(model ? &*model : nullptr));
}

json::value delete_from_file(const json::value& input) {
  const auto result = delete_tool_set(text_in(input, "text"), text_in(input, "name"));
  if (!result) return json::object{{"throws", true}};
  if (!*result) return nullptr;
  return json::object{{"text", (*result)->text}, {"is_empty", (*result)->is_empty}};
}

json::value run_on_file(std::string_view operation, const json::value& input) {
  if (operation == "toolset_file_delete") return delete_from_file(input);
  if (operation != "toolset_file_write")
    throw std::invalid_argument(fmt::format("unknown operation {}", operation));
  const ToolSetEntry entry{std::string(text_in(input, "name")), texts_in(input, "tools"), "",
                           "tools"};
  return json::value(new_tool_set_file(entry));
}

json::value run_on_catalog(std::string_view operation, const Catalog& catalog,
                           const json::value& input, bool classic) {
  const std::string_view name = text_in(input, "name");
  if (operation == "enablement_map") return enablement(catalog, input, classic);
  if (operation == "full_reference_names") return names_of(catalog);
  if (operation == "deprecated_names") return deprecated(catalog);
  if (operation == "selection_names") return selection(catalog, input);
  if (operation == "picker_state") return picker(catalog, input);
  if (operation == "lookup_full_name_or_alias") return look_up(catalog, name);
  if (operation == "set_reference_name") return set_name(catalog, input);
  if (operation == "tool_sets") return sets_of(catalog);
  if (operation == "set_members" || operation == "set_members_for_model")
    return members(catalog, input);
  if (operation == "tools" || operation == "tools_for_model") return tools(catalog, input);
  if (operation == "lookup_set_by_reference_name") {
    const CatalogSet* set = catalog.find_set_by_reference_name(name);
    return set ? json::value(set->data->id) : nullptr;
  }
  if (operation == "lookup_tool_by_reference_name") {
    const CatalogTool* tool = catalog.find_tool_by_reference_name(name);
    return tool ? json::value(tool->data().id) : nullptr;
  }
  return run_on_file(operation, input);
}

}  // namespace

void run_toolsets(const json::value& file, Tally& tally) {
  const Catalog none;
  for (const json::value& entry : file.at("cases").as_array()) {
    const std::string_view id = text_in(entry, "id");
    const std::string_view operation = text_in(entry, "operation");
    const std::string_view fixture = text_in(entry, "fixture");
    const json::value& input = entry.at("input");
    CatalogPtr made;
    if (!fixture.empty()) made = catalog_of(file.at("fixtures").at(fixture), input);
    const Catalog& catalog = made ? *made : none;
    const std::string expected = write_json(entry.at("expected"));
    const std::string got = write_json(run_on_catalog(operation, catalog, input, false));
    if (got != expected && write_json(run_on_catalog(operation, catalog, input, true)) == expected)
      tally.differ(id, "a tool in two sets is named by either");
    else
      tally.compare(id, expected, got);
  }
}

}  // namespace toolgate
