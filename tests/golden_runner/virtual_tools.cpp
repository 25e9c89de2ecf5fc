// virtual_tools.json: tables of the grouping rules, and sequences of calls with what is shown.
#include "tools/virtual_tools.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "golden_runner/kinds.h"
#include "tools/tool_groups.h"

namespace toolgate {
namespace {

using Names = std::vector<std::string>;

std::string text_of(const json::value& value) {
  return std::string(value.as_string());
}

// {"pattern":"g<i>_t<j>","groups":64,"perGroup":3}, {"pattern":"x<i>_a","count":150} or a list.
Names tool_names(const json::value& spec) {
  Names names;
  if (spec.is_array()) {
    for (const json::value& name : spec.get_array()) names.push_back(text_of(name));
    return names;
  }
  const auto filled = [&](std::int64_t i, std::int64_t j) {
    std::string name(text_in(spec, "pattern"));
    for (const auto& [mark, number] : {std::pair{"<i>", i}, std::pair{"<j>", j}})
      if (const auto at = name.find(mark); at != name.npos)
        name.replace(at, 3, std::to_string(number));
    return name;
  };
  if (const json::value* count = find(spec, "count")) {
    for (std::int64_t i = 0; i < count->as_int64(); ++i) names.push_back(filled(i, 0));
    return names;
  }
  for (std::int64_t i = 0; i < spec.at("groups").as_int64(); ++i)
    for (std::int64_t j = 1; j <= spec.at("perGroup").as_int64(); ++j)
      names.push_back(filled(i, j));
  return names;
}

// By the text before the first underscore; three or more make a group.
std::shared_ptr<const GroupTree> group_by_prefix(std::span<const OfferedTool> tools) {
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> prefixes;
  Names names;
  for (std::uint32_t tool = 0; tool < tools.size(); ++tool) {
    names.emplace_back(tools[tool].name);
    const std::string prefix = names.back().substr(0, names.back().find('_'));
    auto found = std::ranges::find(prefixes, prefix, &decltype(prefixes)::value_type::first);
    if (found == prefixes.end()) found = prefixes.insert(found, {prefix, {}});
    found->second.push_back(tool);
  }
  std::vector<ToolGroup> groups(1);
  for (const auto& [prefix, members] : prefixes) {
    std::uint32_t into = 0;
    if (members.size() >= 3) {
      into = static_cast<std::uint32_t>(groups.size());
      groups[0].entries.push_back({true, into});
      groups.emplace_back().name = "activate_" + prefix;
    }
    for (const std::uint32_t tool : members) groups[into].entries.push_back({false, tool});
  }
  return std::make_shared<const GroupTree>(std::move(names), std::move(groups));
}

class Sequence {
 public:
  Sequence(const json::value& sequence, bool quirks)
      : tools_({.limit = 128, .upstream_quirks = quirks}) {
    set_tools(sequence.at("tools"));
  }

  json::value run(const json::value& step) {
    const std::string_view op = text_in(step, "op");
    json::object got{{"op", op}};
    if (const json::value* argument = find(step, "arg")) got["arg"] = *argument;
    const std::string_view name = text_in(step, "arg");
    if (op == "compute")
      compute(got, find(step, "names") != nullptr);
    else if (op == "didCall")
      got["result"] = or_null(tools_.did_call(name));
    else if (op == "containerOf")
      got["result"] = name_or_null(tools_.container_of(name));
    else if (op == "ensureExpanded")
      tools_.ensure_expanded(name);
    else if (op == "didTakeTurn")
      tools_.did_take_turn();
    else if (op == "didInvalidateCache")
      tools_.did_invalidate_cache();
    else if (op == "setTools")
      got["recompute"] = set_tools(step.at("arg"));
    else
      got["op"] = fmt::format("{} is not known", op);
    return got;
  }

 private:
  static json::value or_null(const std::optional<std::string>& text) {
    return text ? json::value(*text) : json::value(nullptr);
  }
  static json::value name_or_null(const ToolGroup* group) {
    return group != nullptr ? json::value(group->name) : json::value(nullptr);
  }

  bool set_tools(const json::value& spec) {
    const Names names = tool_names(spec);
    const std::vector<OfferedTool> offered = [&] {
      std::vector<OfferedTool> list;
      for (const std::string& name : names) list.push_back({.name = name});
      return list;
    }();
    return tools_.set_tools(offered, group_by_prefix);
  }

  void compute(json::object& got, bool with_names) {
    const auto& shown = tools_.compute();
    json::array names;
    for (const VisibleTool& tool : shown)
      names.emplace_back(tool.group != nullptr ? tool.group->name
                                               : tools_.tree().tool_names()[tool.tool]);
    got["count"] = static_cast<std::int64_t>(names.size());
    if (with_names) got["names"] = std::move(names);
    json::array expanded;
    for (const std::string_view name : tools_.expanded_groups()) expanded.emplace_back(name);
    got["expanded"] = std::move(expanded);
  }

  VirtualTools tools_;
};

std::string outcome(const json::value& sequence, bool quirks) {
  Sequence run(sequence, quirks);
  json::array steps;
  for (const json::value& step : sequence.at("steps").as_array()) steps.push_back(run.run(step));
  return write_json(steps);
}

void run_sequences(const json::value& file, Tally& tally) {
  for (const json::value& sequence : file.at("sequences").as_array()) {
    const std::string_view name = text_in(sequence, "name");
    const std::string expected = write_json(sequence.at("steps"));
    const std::string ours = outcome(sequence, false);
    const std::string upstream = outcome(sequence, true);
    if (upstream == expected && ours != expected)
      tally.differ(name, "virtual tools: what is used is open");
    else
      tally.compare(name, expected, upstream);
  }
}

void run_settings(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("thresholdSetting").as_array()) {
    const json::value& configured = entry.at("configured");
    const auto threshold = effective_threshold(
        configured.is_null() ? std::nullopt : std::optional(configured.as_int64()));
    const std::string got = threshold ? std::to_string(*threshold) : "\"infinity\"";
    tally.compare("threshold " + write_json(configured), write_json(entry.at("effective")), got);
  }
  for (const json::value& entry : file.at("addGroupsGate").as_array()) {
    GroupSettings settings{.group_builtin = entry.at("builtinGroupingOn").as_bool(),
                           .upstream_quirks = true};
    const auto count = static_cast<std::size_t>(entry.at("tools").as_int64());
    const std::string name = fmt::format("grouping of {}", count);
    const bool expected = entry.at("grouped").as_bool();
    const bool upstream = should_group(count, settings);
    settings.upstream_quirks = false;
    if (upstream == expected && should_group(count, settings) != expected)
      tally.differ(name, "virtual tools: the threshold counts");
    else
      tally.compare(name, fmt::to_string(expected), fmt::to_string(upstream));
  }
}

// "extension id pub.name", "mcp label My Server", "none".
ToolSource source_of(std::string_view text) {
  constexpr std::string_view kExtension = "extension id ";
  constexpr std::string_view kMcp = "mcp label ";
  ToolSource source;
  if (text.starts_with(kExtension)) {
    source.kind = ToolSource::Kind::Extension;
    source.id = text.substr(kExtension.size());
  } else if (text.starts_with(kMcp)) {
    source.kind = ToolSource::Kind::Mcp;
    source.label = text.substr(kMcp.size());
  }
  return source;
}

std::string mode_of(std::size_t slots, std::size_t tools) {
  if (slots == 0) return "dropped";
  if (slots >= tools) return "all tools shown one by one";
  if (slots == 1) return "one group holding every tool";
  return fmt::format("clustered by embeddings into at most {} entries", slots);
}

void run_slots(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("slotAllocation").as_array()) {
    const auto& sets = entry.at("toolsets").as_object();
    std::vector<std::size_t> sizes;
    for (const auto& [key, size] : sets) sizes.push_back(static_cast<std::size_t>(size.as_int64()));
    const auto slots = allocate_slots(sizes, entry.at("availableSlots").as_int64());
    json::object got_slots;
    json::object got_modes;
    std::size_t i = 0;
    for (const auto& [key, size] : sets) {
      got_slots[key] = slots[i];
      got_modes[key] = mode_of(slots[i], sizes[i]);
      ++i;
    }
    tally.compare(fmt::format("slots of {} sets", sizes.size()),
                  write_json(entry.at("slots")) + write_json(entry.at("mode")),
                  write_json(got_slots) + write_json(got_modes));
  }
}

void run_names(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("toolsetKey").as_array())
    tally.compare(text_in(entry, "source"), std::string(text_in(entry, "key")),
                  source_group_key(source_of(text_in(entry, "source"))));
  for (const json::value& entry : file.at("groupNameNormalise").as_array())
    tally.compare(text_in(entry, "input"), std::string(text_in(entry, "output")),
                  normalize_group_name(text_in(entry, "input")));
  for (const json::value& entry : file.at("deduplicate").as_array()) {
    std::vector<NamedEntry> names;
    for (const json::value& name : entry.at("input").as_array())
      names.push_back({std::string(text_in(name, "name")), name.at("virtual").as_bool()});
    deduplicate_names(names);
    json::array got;
    for (const NamedEntry& name : names)
      got.push_back(json::object{{"name", name.name}, {"virtual", name.is_group}});
    tally.compare("deduplicate " + write_json(entry.at("input")), write_json(entry.at("output")),
                  write_json(got));
  }
}

// Of the one group that these make among enough others. A single tool makes none: for it, the rule.
std::string builtin_group_name(const json::value& tools) {
  Names names = tool_names(tools);
  if (names.size() < 2) return "activate_" + normalize_group_name(builtin_category(names.front()));
  for (int i = 0; i < 20; ++i) names.push_back(fmt::format("x{}", i));
  std::vector<OfferedTool> offered;
  for (const std::string& name : names) offered.push_back({.name = name});
  const auto tree = group_tools(offered, {.group_builtin = true});
  return tree->groups().size() == 2 ? tree->groups()[1].name : "no group";
}

void run_builtin(const json::value& file, Tally& tally) {
  for (const auto& [category, tools] : file.at("builtinCategories").as_object())
    for (const json::value& tool : tools.as_array())
      tally.compare(text_of(tool), std::string(category),
                    std::string(builtin_category(tool.as_string())));
  const auto& categories = file.at("builtinCategories").as_object();
  for (const auto& [category, name] : file.at("builtinGroupNames").as_object())
    tally.compare(category, text_of(name), builtin_group_name(categories.at(category)));
}

}  // namespace

void run_virtual_tools(const json::value& file, Tally& tally) {
  run_settings(file, tally);
  run_names(file, tally);
  run_slots(file, tally);
  run_builtin(file, tally);
  run_sequences(file, tally);
}

}  // namespace toolgate
