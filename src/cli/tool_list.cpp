#include "cli/tool_list.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "cli/changes.h"
#include "cli/json_document.h"
#include "tools/tool_record.h"

namespace toolgate {
namespace {

constexpr std::size_t kWidestName = 36;  // longer ones push the rest of their line
constexpr std::size_t kWidestReference = 24;
constexpr std::size_t kMostSources = 20;
constexpr std::size_t kMostWords = 12;

std::size_t enabled_count(const auto& tools) {
  return static_cast<std::size_t>(std::ranges::count_if(tools, &ListedTool::is_enabled));
}

std::size_t widest(const auto& group, std::size_t most, std::string ListedTool::* text) {
  std::size_t columns = 0;
  for (const ListedTool* tool : group) {
    const std::size_t own = columns_of(tool->*text);
    if (own <= most) columns = std::max(columns, own);
  }
  return columns;
}

// As reason_for_being_off() says it.
std::string reason_in(const JsonNode& tool) {
  if (truth_of(tool, "enabled")) return {};
  const std::string state = text_of(tool, "state");
  const std::string rule = tidy(text_of(tool, "rule"));
  if (state == "denied") return rule.empty() ? state : "denied by " + rule;
  const std::string when = tidy(text_of(tool, "when"));
  if (state.contains("condition") && !when.empty()) return state + ": " + when;
  return state.empty() ? "disabled" : tidy(state);
}

// "search" of "search/listDirectory"; only built-in tools are listed by sets.
std::string set_in(std::string_view full_reference_name, bool is_builtin) {
  const std::size_t slash = full_reference_name.find('/');
  if (!is_builtin || slash == full_reference_name.npos) return {};
  return tidy(full_reference_name.substr(0, slash));
}

// What a person is told, else what a model is.
std::string description_for_people(std::string_view for_people, std::string_view for_models) {
  return tidy(for_people.empty() ? for_models : for_people);
}

// "get_*" of "get_weather"; "list-*" of "list-issues"; empty without a border.
std::string beginning_of(std::string_view name) {
  const std::size_t border = name.find_first_of("_-");
  if (border == name.npos || border == 0) return {};
  return tidy(std::string(name.substr(0, border + 1)) + "*");
}

}  // namespace

std::string tidy(std::string_view text) {
  return visible(on_one_line(text));
}

std::string label_of(const ToolSource& source) {
  if (!source.label.empty()) return tidy(source.label);
  if (source.kind == ToolSource::Kind::Internal) return "Built in";
  return tidy(source.server.empty() ? source.id : source.server);
}

std::string kind_and_id_of(const ToolSource& source) {
  std::string text(name_of(source.kind));
  if (!source.id.empty()) text += " " + source.id;
  if (!source.server.empty()) text += " " + source.server;
  return tidy(text);
}

std::string reason_for_being_off(const CatalogTool& tool) {
  if (tool.enabled()) return {};
  if (!tool.allowed) return tool.rule.empty() ? "denied" : "denied by " + tidy(tool.rule);
  if (!tool.permitted) return "agent mode is off (chat.agent.enabled)";
  if (!tool.kind_enabled) return "extension tools are off (chat.extensionTools.enabled)";
  return "its condition does not hold: " + tidy(tool.data().when);
}

std::string mark_of(bool enabled, const Terminal& terminal) {
  return enabled ? terminal.paint(Paint::Green, "●") : terminal.paint(Paint::Yellow, "○");
}

ListedTool::Note note_on_schema(const CatalogTool& tool,
                                const std::optional<SchemaChanges>& changes) {
  const NormalizedTool& shaped = tool.record->shaped(changes.value_or(0));
  if (shaped.fault)
    return {"no model can be offered it: " + tidy(shaped.fault->reason), Paint::Red};
  const std::size_t count = changes ? change_count(shaped) : 0;
  return {count > 0 ? counted(count, "change") : "", Paint::Yellow};
}

ListedTool list_tool(const CatalogTool& tool) {
  const ToolData& data = tool.data();
  ListedTool listed{
      .name = tidy(data.id),
      .reference = data.reference_name.empty() ? "" : tidy("#" + data.reference_name),
      .description = description_for_people(data.user_description, data.model_description),
      .source_key = tidy(data.source.key()),
      .source_label = label_of(data.source),
      .source_words = kind_and_id_of(data.source),
      .reason_off = reason_for_being_off(tool),
      .set = set_in(tool.full_reference_name, data.source.kind == ToolSource::Kind::Internal)};
  for (const std::string& tag : data.tags) listed.tags.push_back(tidy(tag));
  return listed;
}

ListedTool read_listed_tool(const JsonNode& tool) {
  const std::string reference = text_of(tool, "toolReferenceName");
  ListedTool listed{.name = tidy(text_of(tool, "name")),
                    .reference = reference.empty() ? "" : tidy("#" + reference),
                    .description = description_for_people(text_of(tool, "userDescription"),
                                                          text_of(tool, "description")),
                    .source_key = json_of(tool, "source"),
                    .source_label = {},
                    .source_words = {},
                    .reason_off = reason_in(tool)};
  if (const JsonNode* source = tool.find("source")) {
    const std::string id = text_of(*source, "id");
    const std::string server = text_of(*source, "server");
    const std::string label = text_of(*source, "label");
    const std::string type = text_of(*source, "type");
    listed.source_label = tidy(!label.empty()       ? label
                               : type == "internal" ? "Built in"
                               : server.empty()     ? id
                                                    : server);
    listed.source_words = tidy(fmt::format("{} {} {}", type, id, server));
    listed.set = set_in(text_of(tool, "fullReferenceName"), type == "internal");
  }
  if (const JsonNode* tags = tool.find("tags"))
    for (const JsonNode* tag = tags->first; tag; tag = tag->next)
      listed.tags.push_back(tidy(tag->text));
  return listed;
}

std::string tool_summary(const std::vector<ListedTool>& tools) {
  std::unordered_set<std::string_view> sources;
  for (const ListedTool& tool : tools) sources.insert(tool.source_key);
  const std::size_t enabled = enabled_count(tools);
  return fmt::format("{} from {}: {} enabled, {} disabled", counted(tools.size(), "tool"),
                     counted(sources.size(), "source"), with_commas(enabled),
                     with_commas(tools.size() - enabled));
}

std::vector<ToolLister::Group> ToolLister::group_by_source(const std::vector<ListedTool>& tools,
                                                           bool by_set) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> by_key;
  for (const ListedTool& tool : tools) {
    const auto [place, is_new] =
        by_key.try_emplace(tool.source_key + (by_set ? '\n' + tool.set : ""), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&tool);
  }
  return groups;
}

std::string ToolLister::fit(const std::vector<Piece>& pieces, std::size_t columns) const {
  std::string line;
  for (const auto& [text, paint] : pieces) {
    if (text.empty() || columns == 0) continue;
    const std::string shown = cut_to_columns(text, columns);
    line += terminal_.paint(paint, shown) + "  ";
    columns -= std::min(columns, columns_of(shown) + 2);
  }
  return line;
}

std::string ToolLister::line_of(const ListedTool& tool, std::size_t name_columns,
                                std::size_t reference_columns) const {
  const std::string name = pad_to_columns(tool.name, name_columns);
  // A narrow window has no room for references: the names will do.
  const bool is_narrow = 4 + name_columns + 2 + reference_columns > terminal_.width();
  const std::string reference =
      is_narrow ? std::string() : pad_to_columns(tool.reference, reference_columns);
  const std::size_t used = 4 + columns_of(name) + 2 + columns_of(reference) + 2;
  std::string line =
      fmt::format("  {} {}  {}  ", mark_of(tool.is_enabled(), terminal_),
                  terminal_.paint(Paint::Bold, name), terminal_.paint(Paint::Cyan, reference));
  line += fit({{tool.reason_off, Paint::Yellow}, tool.note, {tool.description, Paint::Dim}},
              terminal_.width() - std::min(terminal_.width(), used));
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

void ToolLister::print_group(const Group& group) const {
  const std::size_t name_columns = widest(group, kWidestName, &ListedTool::name);
  const std::size_t reference_columns = widest(group, kWidestReference, &ListedTool::reference);
  const ListedTool& first = *group.front();
  const bool has_set = !first.set.empty();
  terminal_.print(fmt::format(
      "{}  {}\n",
      terminal_.paint(Paint::Bold,
                      first.source_label + (has_set ? ": " + first.set : std::string())),
      terminal_.paint(Paint::Dim, has_set ? "#" + first.set : first.source_words)));
  for (const ListedTool* tool : group)
    terminal_.print(line_of(*tool, name_columns, reference_columns));
  terminal_.print("\n");
}

void ToolLister::print_groups(const std::vector<ListedTool>& tools) const {
  for (const Group& group : group_by_source(tools, true)) print_group(group);
}

void ToolLister::print_source(const Group& group, std::size_t label_columns) const {
  const auto off = static_cast<std::size_t>(
      std::ranges::count_if(group, [](const ListedTool* tool) { return !tool->is_enabled(); }));
  const std::string label = cut_to_columns(group.front()->source_label, label_columns);
  std::string line =
      fmt::format("{:>9}  {}  {}  ", with_commas(group.size()),
                  terminal_.paint(Paint::Yellow,
                                  fmt::format("{:>8}", off == 0 ? "" : with_commas(off) + " off")),
                  terminal_.paint(Paint::Bold, pad_to_columns(label, label_columns)));
  const std::size_t used = 9 + 2 + 8 + 2 + label_columns + 2;
  std::string examples;
  for (const ListedTool* tool : group | std::views::take(20))
    examples += (examples.empty() ? "" : ", ") + tool->name;
  if (group.size() > 20) examples += ", …";
  if (terminal_.width() > used)
    line += terminal_.paint(Paint::Dim, cut_to_columns(examples, terminal_.width() - used));
  terminal_.print(line + "\n");
}

// The words that come most often, with how often they come.
void ToolLister::print_commonest(std::string_view title,
                                 const std::vector<std::string>& words) const {
  std::unordered_map<std::string_view, std::size_t> counts;
  for (const std::string& word : words) ++counts[word];
  std::vector<std::pair<std::size_t, std::string_view>> order;
  for (const auto& [word, count] : counts)
    if (count > 1) order.emplace_back(count, word);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (order.empty()) return;
  std::string line = fmt::format("{:>9}  ", title);
  std::size_t left = terminal_.width() - std::min(terminal_.width(), line.size());
  for (const auto& [count, word] : order | std::views::take(kMostWords)) {
    const std::string number = with_commas(count);
    const std::size_t columns = columns_of(word) + 1 + number.size() + 3;
    if (columns > left) break;
    left -= columns;
    line += fmt::format("{} {}   ", terminal_.paint(Paint::Cyan, word),
                        terminal_.paint(Paint::Dim, number));
  }
  while (line.ends_with(' ')) line.pop_back();
  terminal_.print(line + "\n");
}

void ToolLister::print_overview(const std::vector<ListedTool>& tools) const {
  std::vector<Group> groups = group_by_source(tools, false);
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return a.size() != b.size() ? a.size() > b.size()
                                : a.front()->source_key < b.front()->source_key;
  });
  std::size_t label_columns = 0;
  for (const Group& group : groups | std::views::take(kMostSources))
    label_columns = std::max(label_columns, columns_of(group.front()->source_label));
  label_columns = std::min(label_columns, kWidestReference);

  terminal_.print(terminal_.paint(Paint::Dim, "    tools            source\n"));
  for (const Group& group : groups | std::views::take(kMostSources))
    print_source(group, label_columns);
  std::size_t more = 0;
  for (const Group& group : groups | std::views::drop(kMostSources)) more += group.size();
  if (more > 0)
    terminal_.print(
        terminal_.paint(Paint::Dim, fmt::format("{:>9}            in {} more sources\n",
                                                with_commas(more), groups.size() - kMostSources)));
  terminal_.print("\n");

  std::vector<std::string> beginnings;
  std::vector<std::string> tags;
  for (const ListedTool& tool : tools) {
    if (std::string beginning = beginning_of(tool.name); !beginning.empty())
      beginnings.push_back(std::move(beginning));
    tags.insert(tags.end(), tool.tags.begin(), tool.tags.end());
  }
  print_commonest("names", beginnings);
  print_commonest("tags", tags);
}

void ToolLister::print_lines(const std::vector<ListedTool>& tools, bool notes) const {
  for (const ListedTool& tool : tools) {
    std::string line = fmt::format("{}\t{}\t{}\t{}\t", tool.name,
                                   tool.is_enabled() ? "enabled" : "disabled: " + tool.reason_off,
                                   tool.reference, tool.source_key);
    if (notes) line += tool.note.text + "\t";
    terminal_.print(line + tool.description + "\n");
  }
}

}  // namespace toolgate
