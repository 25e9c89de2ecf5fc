// references.json: chat texts and the parts they have, with ranges and what a part stands for. Our
// additions are switched off.
#include "tools/references.h"

#include <map>
#include <string>
#include <string_view>

#include "golden_runner/kinds.h"

namespace toolgate {
namespace {

class FixtureNames : public ReferenceNames {
 public:
  explicit FixtureNames(const json::value& fixture)
      : tools_(fixture.at("tools").as_array()), sets_(fixture.at("sets").as_array()) {
    for (std::uint32_t i = 0; i < sets_.size(); ++i)
      if (is_enabled(sets_[i]))
        names_[std::string(text_in(sets_[i], "ref"))] = {ReferenceTarget::Kind::Set, i};
    for (std::uint32_t i = 0; i < tools_.size(); ++i)
      if (is_enabled(tools_[i])) names_[name_of(tools_[i])] = {ReferenceTarget::Kind::Tool, i};
  }

  std::optional<ReferenceTarget> find(std::string_view name) const override {
    const auto found = names_.find(name);
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<ReferenceTarget> find_full(std::string_view) const override { return {}; }
  std::optional<ReferenceTarget> find_id(std::string_view) const override { return {}; }

  std::string_view tool_id(std::uint32_t index) const { return text_in(tools_[index], "id"); }
  std::string_view set_id(std::uint32_t index) const { return text_in(sets_[index], "id"); }

  json::array members(const ReferencePart& part) const {
    json::array result;
    for (const json::value& id : sets_[part.index].at("members").as_array())
      for (const json::value& tool : tools_)
        if (tool.at("id") == id)
          result.push_back(json::object{{"id", id},
                                        {"name", name_of(tool)},
                                        {"full_name", text_in(tool, "display")},
                                        {"start", part.start},
                                        {"end", part.end}});
    return result;
  }

 private:
  static bool is_enabled(const json::value& entry) {
    const json::value* enabled = toolgate::find(entry, "enabled");
    return enabled == nullptr || enabled->as_bool();
  }
  static std::string name_of(const json::value& tool) {
    return std::string(text_in(tool, toolgate::find(tool, "ref") ? "ref" : "display"));
  }

  const json::array& tools_;
  const json::array& sets_;
  std::map<std::string, ReferenceTarget, std::less<>> names_;
};

std::vector<std::string> texts_in(const json::value& value, std::string_view key) {
  std::vector<std::string> result;
  if (const json::value* list = find(value, key))
    for (const json::value& item : list->as_array())
      result.emplace_back(item.is_string() ? std::string_view(item.get_string())
                                           : text_in(item, "name"));
  return result;
}

ReferenceOptions options_of(const json::value& fixture) {
  ReferenceOptions options;
  options.additions = false;
  for (const json::value& agent : fixture.at("agents").as_array())
    options.agents.push_back({std::string(text_in(agent, "name")), texts_in(agent, "commands")});
  options.slash_commands = texts_in(fixture, "slash_commands");
  options.prompts = texts_in(fixture, "prompts");
  for (const json::value& reference : fixture.at("dynamic").as_array())
    options.dynamic.push_back({std::string(text_in(reference, "id")),
                               reference.at("line").to_number<std::size_t>(),
                               reference.at("start_column").to_number<std::size_t>(),
                               reference.at("end_column").to_number<std::size_t>()});
  return options;
}

std::string_view word_of(ReferencePart::Kind kind) {
  using Kind = ReferencePart::Kind;
  switch (kind) {
    case Kind::Text:
      return "text";
    case Kind::Tool:
      return "tool";
    case Kind::ToolSet:
      return "toolset";
    case Kind::Agent:
      return "agent";
    case Kind::Subcommand:
      return "subcommand";
    case Kind::Slash:
      return "slash";
    case Kind::Prompt:
      return "prompt";
    case Kind::Dynamic:
      return "dynamic";
  }
  return "";
}

json::object describe(const ReferencePart& part, const FixtureNames& names) {
  using Kind = ReferencePart::Kind;
  json::object result{{"kind", word_of(part.kind)},
                      {"start", part.start},
                      {"end", part.end},
                      {"start_line", part.from.line},
                      {"start_column", part.from.column},
                      {"end_line", part.to.line},
                      {"end_column", part.to.column},
                      {"text", part.text},
                      {"prompt_text", part.prompt_text()}};
  if (part.kind == Kind::Dynamic)
    result["variable_id"] = part.name;
  else if (part.kind != Kind::Text)
    result["name"] = part.name;
  if (part.kind == Kind::Tool) result["tool_id"] = names.tool_id(part.index);
  if (part.kind == Kind::ToolSet) {
    result["toolset_id"] = names.set_id(part.index);
    result["members"] = names.members(part);
  }
  return result;
}

std::string outcome(const json::value& entry, const json::value& fixture) {
  const FixtureNames names(fixture);
  const ReferenceOptions options = options_of(fixture);
  const auto parts = parse_references(text_in(entry, "input"), names, options);
  json::array described;
  for (const ReferencePart& part : parts) described.push_back(describe(part, names));
  return write_json(json::object{{"parts", std::move(described)}, {"prompt", prompt_of(parts)}});
}

}  // namespace

void run_references(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array())
    tally.compare(text_in(entry, "id"), write_json(entry.at("expected")),
                  outcome(entry, file.at("fixtures").at(text_in(entry, "fixture"))));
}

}  // namespace toolgate
