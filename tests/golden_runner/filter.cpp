// filter.json: include and exclude lists over two small catalogues, and tools that come later. The
// plain rules must give the fixed variant, and VS Code's with the flag; what we do with full names
// and patterns on top is a difference on purpose.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden_runner/kinds.h"
#include "toolgate/selection.h"
#include "tools/tool_record.h"

namespace toolgate {
namespace {

struct Fixture {
  Catalog catalog;
  std::vector<std::string> tool_keys;
  std::vector<std::string> set_keys;
};

bool is_false(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  return member != nullptr && member->is_bool() && !member->get_bool();
}

std::uint32_t position(const std::vector<std::string>& keys, std::string_view key) {
  return static_cast<std::uint32_t>(std::ranges::find(keys, key) - keys.begin());
}

void add_tool(Fixture& fixture, const json::value& entry) {
  ToolData data;
  data.id = text_in(entry, "id");
  data.reference_name = text_in(entry, "ref");
  data.display_name = text_in(entry, "display");
  data.is_private = is_false(entry, "listed");
  CatalogTool tool;
  tool.record = std::make_shared<ToolRecord>(std::move(data));
  tool.when_holds = !is_false(entry, "available");
  tool.full_reference_name = tool.data().name_for_people();
  fixture.catalog.tools.push_back(std::move(tool));
  fixture.tool_keys.emplace_back(text_in(entry, "key"));
}

void join(Fixture& fixture, std::uint32_t set_index, std::uint32_t tool_index) {
  CatalogSet& set = fixture.catalog.sets.at(set_index);
  CatalogTool& tool = fixture.catalog.tools.at(tool_index);
  if (tool.sets.empty())
    tool.full_reference_name = set.reference_name + "/" + tool.data().name_for_people();
  set.tools.push_back(tool_index);
  tool.sets.push_back(set_index);
}

void add_sets(Fixture& fixture, const json::array& entries) {
  for (const json::value& entry : entries) {
    CatalogSet set;
    ToolSetData data;
    data.id = text_in(entry, "id");
    data.reference_name = text_in(entry, "ref");
    set.reference_name = set.full_reference_name = data.reference_name;
    set.data = std::make_shared<ToolSetData>(std::move(data));
    fixture.catalog.sets.push_back(std::move(set));
    fixture.set_keys.emplace_back(text_in(entry, "key"));
  }
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    for (const json::value& key : entries[i].at("tools").as_array())
      join(fixture, i, position(fixture.tool_keys, key.as_string()));
    for (const json::value& key : entries[i].at("sets").as_array())
      fixture.catalog.sets[i].sets.push_back(position(fixture.set_keys, key.as_string()));
  }
}

Fixture make_fixture(const json::value& description) {
  Fixture fixture;
  for (const json::value& tool : description.at("tools").as_array()) add_tool(fixture, tool);
  add_sets(fixture, description.at("sets").as_array());
  return fixture;
}

std::optional<std::vector<std::string>> list_in(const json::value& entry, std::string_view key) {
  const json::value* list = find(entry, key);
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> result;
  for (const json::value& item : list->as_array()) result.emplace_back(item.as_string());
  return result;
}

json::array keys_of(const std::vector<std::uint32_t>& indexes,
                    const std::vector<std::string>& keys) {
  json::array result;
  for (const std::uint32_t index : indexes) result.emplace_back(keys.at(index));
  return result;
}

std::string outcome(const Fixture& fixture, const ToolFilter& filter) {
  if (!filter.include && !filter.exclude) return R"({"filter_run":false})";
  const auto selection = select_tools(fixture.catalog, nullptr, filter);
  if (!selection) return R"({"error":"zero_tools"})";
  json::array unknown;
  for (const UnknownIdentifier& entry : selection->unknown) unknown.emplace_back(entry.identifier);
  return write_json(json::object{{"tools_on", keys_of(selection->tools, fixture.tool_keys)},
                                 {"sets_on", keys_of(selection->sets, fixture.set_keys)},
                                 {"unknown", std::move(unknown)}});
}

std::string expectation(const json::value& expected, std::string_view variant) {
  const json::value* own = find(expected, variant);
  const json::value& result = own != nullptr ? *own : expected;
  if (is_false(result, "filter_run")) return R"({"filter_run":false})";
  if (find(result, "error") != nullptr)
    return write_json(json::object{{"error", result.at("error")}});
  return write_json(json::object{{"tools_on", result.at("tools_on")},
                                 {"sets_on", result.at("sets_on")},
                                 {"unknown", result.at("unknown")}});
}

void run_case(const json::value& entry, const Fixture& fixture, ToolFilter filter, Tally& tally) {
  const std::string id(text_in(entry, "id"));
  const json::value& expected = entry.at("expected");
  filter.upstream_quirks = true;
  const std::string upstream = outcome(fixture, filter);
  if (upstream != expectation(expected, "upstream")) {
    tally.compare(id + " as VS Code", expectation(expected, "upstream"), upstream);
    return;
  }
  filter.upstream_quirks = false;
  const std::string fixed = expectation(expected, "fixed");
  const std::string got = outcome(fixture, filter);
  filter.extended_names = false;
  if (got != fixed && outcome(fixture, filter) == fixed)
    tally.differ(id, "full names and patterns in filters");
  else
    tally.compare(id, fixed, got);
}

// Only ours can be asked: a filter is applied to whatever catalogue there is.
void run_late_registration(const json::value& entry, Fixture fixture, const ToolFilter& filter,
                           Tally& tally) {
  const json::value& late = entry.at("late_tool");
  add_tool(fixture, late);
  const auto index = static_cast<std::uint32_t>(fixture.catalog.tools.size() - 1);
  for (const json::value& set : late.at("joins_sets").as_array())
    join(fixture, position(fixture.set_keys, set.as_string()), index);
  const auto selection = select_tools(fixture.catalog, nullptr, filter);
  const bool on = selection && std::ranges::find(selection->tools, index) != selection->tools.end();
  tally.compare(text_in(entry, "id"),
                write_json(entry.at("expected").at("fixed").at("late_tool_on")),
                on ? "true" : "false");
}

}  // namespace

void run_filter(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array()) {
    Fixture fixture = make_fixture(file.at("fixtures").at(text_in(entry, "fixture")));
    const ToolFilter filter{.include = list_in(entry, "include"),
                            .exclude = list_in(entry, "exclude")};
    if (text_in(entry, "type") == "late_registration")
      run_late_registration(entry, std::move(fixture), filter, tally);
    else
      run_case(entry, fixture, filter, tally);
  }
}

}  // namespace toolgate
