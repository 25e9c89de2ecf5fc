#include "gateway/tools_reply.h"

#include <algorithm>

#include "base/json.h"
#include "base/json_tree.h"
#include "base/nearest.h"
#include "gateway/query.h"
#include "tools/tool_record.h"

namespace toolgate {
namespace {

// Writes the members of one object, with commas where they are due.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }

  void text(std::string_view key, std::string_view value) {
    begin(key);
    append_json_string(out_, value);
  }
  void text_if_any(std::string_view key, std::string_view value) {
    if (!value.empty()) text(key, value);
  }
  void raw(std::string_view key, std::string_view json) {
    begin(key);
    out_ += json;
  }
  void flag(std::string_view key, bool value) { raw(key, value ? "true" : "false"); }
  template <class Range>
  void texts(std::string_view key, const Range& values) {
    begin(key);
    out_ += '[';
    bool first = true;
    for (const std::string_view value : values) {
      if (!std::exchange(first, false)) out_ += ',';
      append_json_string(out_, value);
    }
    out_ += ']';
  }
  std::string& begin(std::string_view key) {
    if (!std::exchange(first_, false)) out_ += ',';
    append_json_string(out_, key);
    out_ += ':';
    return out_;
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

void append_source(std::string& out, const ToolSource& source) {
  ObjectWriter writer(out);
  writer.text("type", name_of(source.kind));
  writer.text_if_any("id", source.id);
  writer.text_if_any("server", source.server);
  writer.text_if_any("label", source.label);
  writer.end();
}

std::vector<std::string_view> set_names(const Catalog& catalog, const CatalogTool& tool) {
  std::vector<std::string_view> names;
  for (const std::uint32_t set : tool.sets) names.push_back(catalog.sets[set].reference_name);
  return names;
}

void write_members(ObjectWriter& writer, const Catalog& catalog, const CatalogTool& tool) {
  const ToolData& data = tool.data();
  writer.text("name", data.id);
  writer.text("description", data.model_description);
  if (!data.input_schema.empty()) writer.raw("inputSchema", data.input_schema);
  writer.texts("tags", data.tags);
  writer.text("displayName", data.display_name);
  writer.text_if_any("toolReferenceName", data.reference_name);
  writer.text("fullReferenceName", tool.full_reference_name);
  writer.text_if_any("userDescription", data.user_description);
  append_source(writer.begin("source"), data.source);
  writer.texts("toolsets", set_names(catalog, tool));
  writer.flag("enabled", tool.enabled());
  writer.text("state", tool.state());
  writer.text_if_any("rule", tool.rule);
  writer.text_if_any("when", data.when);
  if (const auto& fault = tool.record->when_fault()) writer.text("whenFault", describe(*fault));
  if (data.can_be_referenced_in_prompt)
    writer.flag("canBeReferencedInPrompt", *data.can_be_referenced_in_prompt);
  if (!data.legacy_full_names.empty())
    writer.texts("legacyToolReferenceFullNames", data.legacy_full_names);
  writer.text_if_any("icon", data.icon);
}

void append_tool(std::string& out, const Catalog& catalog, const CatalogTool& tool) {
  ObjectWriter writer(out);
  write_members(writer, catalog, tool);
  writer.end();
}

void write_shaped(ObjectWriter& writer, const NormalizedTool& shaped) {
  if (shaped.fault) {
    std::string& out = writer.begin("fault");
    ObjectWriter fault(out);
    fault.text("path", shaped.fault->path);
    fault.text("reason", shaped.fault->reason);
    fault.text_if_any("advice", shaped.fault->advice);
    fault.end();
    return;
  }
  writer.raw("function", shaped.text);
  std::string& out = writer.begin("fixes");
  out += '[';
  for (const SchemaFix& fix : shaped.fixes) {
    if (&fix != shaped.fixes.data()) out += ',';
    ObjectWriter entry(out);
    entry.text("path", fix.path);
    entry.text("message", fix.message);
    entry.end();
  }
  out += ']';
}

bool has_tags(const ToolData& data, const ToolQuery& query) {
  if (query.tags.empty()) return true;
  const auto has = [&](const std::string& tag) {
    return std::ranges::find(data.tags, tag) != data.tags.end();
  };
  return query.all_tags ? std::ranges::all_of(query.tags, has)
                        : std::ranges::any_of(query.tags, has);
}

Result<bool> read_flag(std::string_view name, std::string_view value) {
  if (value == "true" || value == "1" || value.empty()) return true;
  if (value == "false" || value == "0") return false;
  return fail_at(std::string(name), Errc::InvalidRequest, "{}: must be true or false, not '{}'",
                 name, value.substr(0, 80));
}

void append_set(std::string& out, const Catalog& catalog, const CatalogSet& set) {
  const auto ids = [&](const std::vector<std::uint32_t>& tools) {
    std::vector<std::string_view> names;
    for (const std::uint32_t tool : tools) names.push_back(catalog.tools[tool].data().id);
    return names;
  };
  const auto members = catalog.members_of(set);
  const auto enabled = [&](std::uint32_t tool) { return catalog.tools[tool].enabled(); };
  std::vector<std::string_view> nested;
  for (const std::uint32_t inner : set.sets) nested.push_back(catalog.sets[inner].reference_name);
  ObjectWriter writer(out);
  writer.text("id", set.data->id);
  writer.text("referenceName", set.reference_name);
  writer.text_if_any("fullReferenceName", set.full_reference_name);
  writer.text_if_any("description", set.data->description);
  writer.text_if_any("icon", set.data->icon);
  append_source(writer.begin("source"), set.data->source);
  writer.texts("tools", ids(set.tools));
  writer.texts("toolsets", nested);
  writer.texts("members", ids(members));
  writer.flag("enabled",
              set.permitted && !members.empty() && std::ranges::all_of(members, enabled));
  if (!set.missing.empty()) writer.texts("missing", set.missing);
  writer.end();
}

}  // namespace

std::vector<std::string> split_tags(std::string_view text) {
  std::vector<std::string> tags;
  while (!text.empty()) {
    std::string_view tag = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), tag.size() + 1));
    while (tag.starts_with(' ')) tag.remove_prefix(1);
    while (tag.ends_with(' ')) tag.remove_suffix(1);
    if (!tag.empty()) tags.emplace_back(tag);
  }
  return tags;
}

Result<ToolQuery> parse_tool_query(std::string_view text) {
  const Query query(text);
  ToolQuery result;
  result.tags = split_tags(query.find("tags").value_or(""));
  if (const auto match = query.find("tags_match")) {
    if (*match != "any" && *match != "all")
      return fail_at("tags_match", Errc::InvalidRequest,
                     "tags_match: must be 'any' or 'all', not '{}'", match->substr(0, 80));
    result.all_tags = *match == "all";
  }
  if (const auto name = query.find("name"); name && !name->empty()) result.name.emplace(*name);
  if (const auto disabled = query.find("include_disabled")) {
    const auto flag = read_flag("include_disabled", *disabled);
    if (!flag) return std::unexpected(flag.error());
    result.include_disabled = *flag;
  }
  return result;
}

std::string key_of(const ToolQuery& query) {
  return fmt::format("tools\n{}\n{}\n{}\n{}", fmt::join(query.tags, "\n"), query.all_tags,
                     query.name ? query.name->pattern() : "*", query.include_disabled);
}

std::vector<const CatalogTool*> find_tools(const Catalog& catalog, const ToolQuery& query) {
  std::vector<const CatalogTool*> found;
  for (const CatalogTool& tool : catalog.tools) {
    const ToolData& data = tool.data();
    if (data.is_private || (!tool.enabled() && !query.include_disabled)) continue;
    if (query.name && !query.name->matches(data.id)) continue;
    if (has_tags(data, query)) found.push_back(&tool);
  }
  return found;
}

std::string write_tool_list(const Catalog& catalog, const ToolQuery& query) {
  std::string out = R"({"object":"list","data":[)";
  bool first = true;
  for (const CatalogTool* tool : find_tools(catalog, query)) {
    if (!std::exchange(first, false)) out += ',';
    append_tool(out, catalog, *tool);
  }
  out += "]}";
  return out;
}

std::string write_tool(const Catalog& catalog, const CatalogTool& tool,
                       const std::optional<std::string>& family, const Families& families) {
  std::string out;
  ObjectWriter writer(out);
  write_members(writer, catalog, tool);
  if (family) {
    writer.text("family", *family);
    write_shaped(writer, tool.record->shaped(families.changes_for(*family)));
  }
  writer.end();
  return out;
}

std::string write_toolsets(const Catalog& catalog) {
  std::string out = R"({"object":"list","data":[)";
  for (const CatalogSet& set : catalog.sets) {
    if (&set != catalog.sets.data()) out += ',';
    append_set(out, catalog, set);
  }
  out += "]}";
  return out;
}

Result<const CatalogTool*> find_tool_by_any_name(const Catalog& catalog, std::string_view name) {
  const auto is_shown = [](const CatalogTool* tool) { return tool && !tool->data().is_private; };
  if (const CatalogTool* tool = catalog.find_tool(name)) return tool;  // a private one too
  if (const CatalogTool* tool = catalog.find_tool_by_reference_name(name); is_shown(tool))
    return tool;
  Nearest nearest(name);
  for (const CatalogTool& tool : catalog.tools) {
    if (tool.data().is_private) continue;
    if (tool.full_reference_name == name) return &tool;
    nearest.consider(tool.data().id);
    nearest.consider(tool.data().reference_name);
    nearest.consider(tool.full_reference_name);
  }
  return fail_at(
      "name", Errc::ToolNotFound, "no tool is called '{}'{}", name.substr(0, 80),
      nearest.result().empty() ? "" : fmt::format("; did you mean '{}'?", nearest.result()));
}

}  // namespace toolgate
