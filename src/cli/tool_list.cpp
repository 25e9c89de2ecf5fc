#include "cli/tool_list.h"

#include <algorithm>
#include <ranges>
#include <unordered_map>

#include <fmt/format.h>

#include "cli/changes.h"
#include "tools/tool_record.h"

namespace toolgate {
namespace {

constexpr std::size_t kWidestName = 36;  // longer ones push the rest of their line
constexpr std::size_t kWidestReference = 24;
constexpr std::size_t kMostSources = 20;
constexpr std::size_t kMostWords = 12;

std::size_t enabled_count(const std::vector<const CatalogTool*>& tools) {
  return static_cast<std::size_t>(std::ranges::count_if(tools, &CatalogTool::enabled));
}

std::string reference_of(const CatalogTool& tool) {
  const std::string& name = tool.data().reference_name;
  return name.empty() ? "" : tidy("#" + name);
}

std::size_t widest(const std::vector<const CatalogTool*>& tools, std::size_t most, auto&& text_of) {
  std::size_t columns = 0;
  for (const CatalogTool* tool : tools) {
    const std::size_t own = columns_of(text_of(*tool));
    if (own <= most) columns = std::max(columns, own);
  }
  return columns;
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

std::string tool_summary(const std::vector<const CatalogTool*>& tools) {
  std::unordered_map<std::string, bool> sources;
  for (const CatalogTool* tool : tools) sources.emplace(tool->data().source.key(), true);
  const std::size_t enabled = enabled_count(tools);
  return fmt::format("{} from {}: {} enabled, {} disabled", counted(tools.size(), "tool"),
                     counted(sources.size(), "source"), with_commas(enabled),
                     with_commas(tools.size() - enabled));
}

std::vector<ToolLister::Group> ToolLister::group_by_source(
    const std::vector<const CatalogTool*>& tools) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> by_key;
  for (const CatalogTool* tool : tools) {
    const ToolSource& source = tool->data().source;
    const auto [place, is_new] = by_key.try_emplace(source.key(), groups.size());
    if (is_new) groups.push_back({&source, {}});
    groups[place->second].tools.push_back(tool);
  }
  return groups;
}

ToolLister::Piece ToolLister::note_on_schema(const CatalogTool& tool) const {
  const NormalizedTool& shaped = tool.record->shaped(changes_.value_or(0));
  if (shaped.fault)
    return {"no model can be offered it: " + tidy(shaped.fault->reason), Paint::Red};
  const std::size_t changes = changes_ ? change_count(shaped) : 0;
  return {changes > 0 ? counted(changes, "change") : "", Paint::Yellow};
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

std::string ToolLister::line_of(const CatalogTool& tool, std::size_t name_columns,
                                std::size_t reference_columns) const {
  const std::string name = pad_to_columns(tidy(tool.data().id), name_columns);
  const std::string reference = pad_to_columns(reference_of(tool), reference_columns);
  const std::size_t used = 4 + columns_of(name) + 2 + columns_of(reference) + 2;
  std::string line =
      fmt::format("  {} {}  {}  ", mark_of(tool.enabled(), terminal_),
                  terminal_.paint(Paint::Bold, name), terminal_.paint(Paint::Cyan, reference));
  line += fit({{reason_for_being_off(tool), Paint::Yellow},
               note_on_schema(tool),
               {tidy(tool.data().model_description), Paint::Dim}},
              terminal_.width() - std::min(terminal_.width(), used));
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

void ToolLister::print_group(const Group& group) const {
  const auto name = [](const CatalogTool& tool) { return tidy(tool.data().id); };
  const std::size_t name_columns = widest(group.tools, kWidestName, name);
  const std::size_t reference_columns = widest(group.tools, kWidestReference, reference_of);
  terminal_.print(fmt::format("{}  {}\n", terminal_.paint(Paint::Bold, label_of(*group.source)),
                              terminal_.paint(Paint::Dim, kind_and_id_of(*group.source))));
  for (const CatalogTool* tool : group.tools)
    terminal_.print(line_of(*tool, name_columns, reference_columns));
  terminal_.print("\n");
}

void ToolLister::print_groups(const std::vector<const CatalogTool*>& tools) const {
  for (const Group& group : group_by_source(tools)) print_group(group);
}

void ToolLister::print_source(const Group& group, std::size_t label_columns) const {
  const std::size_t off = group.tools.size() - enabled_count(group.tools);
  const std::string label = cut_to_columns(label_of(*group.source), label_columns);
  std::string line =
      fmt::format("{:>9}  {}  {}  ", with_commas(group.tools.size()),
                  terminal_.paint(Paint::Yellow,
                                  fmt::format("{:>8}", off == 0 ? "" : with_commas(off) + " off")),
                  terminal_.paint(Paint::Bold, pad_to_columns(label, label_columns)));
  const std::size_t used = 9 + 2 + 8 + 2 + label_columns + 2;
  std::string examples;
  for (const CatalogTool* tool : group.tools | std::views::take(20))
    examples += (examples.empty() ? "" : ", ") + tidy(tool->data().id);
  if (group.tools.size() > 20) examples += ", …";
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

void ToolLister::print_overview(const std::vector<const CatalogTool*>& tools) const {
  std::vector<Group> groups = group_by_source(tools);
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return a.tools.size() != b.tools.size() ? a.tools.size() > b.tools.size()
                                            : a.source->key() < b.source->key();
  });
  std::size_t label_columns = 0;
  for (const Group& group : groups | std::views::take(kMostSources))
    label_columns = std::max(label_columns, columns_of(label_of(*group.source)));
  label_columns = std::min(label_columns, kWidestReference);

  terminal_.print(terminal_.paint(Paint::Dim, "    tools            source\n"));
  for (const Group& group : groups | std::views::take(kMostSources))
    print_source(group, label_columns);
  std::size_t more = 0;
  for (const Group& group : groups | std::views::drop(kMostSources)) more += group.tools.size();
  if (more > 0)
    terminal_.print(
        terminal_.paint(Paint::Dim, fmt::format("{:>9}            in {} more sources\n",
                                                with_commas(more), groups.size() - kMostSources)));
  terminal_.print("\n");

  std::vector<std::string> beginnings;
  std::vector<std::string> tags;
  for (const CatalogTool* tool : tools) {
    if (std::string beginning = beginning_of(tool->data().id); !beginning.empty())
      beginnings.push_back(std::move(beginning));
    for (const std::string& tag : tool->data().tags) tags.push_back(tidy(tag));
  }
  print_commonest("names", beginnings);
  print_commonest("tags", tags);
}

void ToolLister::print_lines(const std::vector<const CatalogTool*>& tools) const {
  for (const CatalogTool* tool : tools) {
    const ToolData& data = tool->data();
    const std::string why = reason_for_being_off(*tool);
    std::string line =
        fmt::format("{}\t{}\t{}\t{}\t", tidy(data.id), why.empty() ? "enabled" : "disabled: " + why,
                    reference_of(*tool), tidy(data.source.key()));
    if (changes_) line += note_on_schema(*tool).text + "\t";
    terminal_.print(line + tidy(data.model_description) + "\n");
  }
}

}  // namespace toolgate
