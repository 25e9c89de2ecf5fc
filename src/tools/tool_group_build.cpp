#include "tools/tool_group_build.h"

#include <algorithm>
#include <deque>
#include <ranges>
#include <unordered_map>

#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::size_t kMaxSourceInName = 22;
constexpr std::size_t kRoomForNumber = 6;
constexpr std::size_t kRoomForWords =
    kMaxGroupNameLength - kGroupNamePrefix.size() - kRoomForNumber;
constexpr std::size_t kMaxLabelLength = 60;
constexpr std::size_t kRoomForEnding = 120;
constexpr std::string_view kEnding =
    " Call it when one of them could help; they can be called next.";

std::string cut(std::string_view text, std::size_t length) {
  if (text.size() <= length) return std::string(text);
  text = text.substr(0, length);
  text.remove_suffix(incomplete_utf8_tail(text));
  return std::string(text);
}

// "Pull Requests: all" is pull_requests_all.
std::string words_for_name(std::string_view text, std::size_t length) {
  std::string name;
  for (const char c : normalize_group_name(text.substr(0, 4 * kMaxGroupNameLength)))
    if (c != '_' || (!name.empty() && name.back() != '_')) name += c;
  if (name.size() > length) name.resize(length);
  while (name.ends_with('_')) name.pop_back();
  return name;
}

class Builder {
 public:
  Builder(std::span<const OfferedTool> tools, const GroupSettings& settings)
      : tools_(tools), settings_(settings) {
    taken_.reserve(2 * tools.size());
    for (const OfferedTool& tool : tools) taken_.try_emplace(tool.name, 1);
    for (const std::string& name : settings.taken) taken_.try_emplace(name, 1);
  }

  std::vector<ToolGroup> build(const std::vector<GroupPart>& parts) {
    groups_.resize(1);
    for (const GroupPart& part : parts) add(part, 0);
    // When all have names: no group gets one that another had before, for histories may say it.
    if (settings_.namer != nullptr)
      for (std::uint32_t group = 1; group < groups_.size(); ++group) ask_namer(groups_[group]);
    return std::move(groups_);
  }

 private:
  void add(const GroupPart& part, std::uint32_t parent) {
    if (part.is_single()) {
      groups_[parent].entries.push_back({false, part.tools.front()});
      return;
    }
    const auto index = static_cast<std::uint32_t>(groups_.size());
    groups_[parent].entries.push_back({true, index});
    groups_.emplace_back().parent = parent;
    groups_[index].name = unique(name_for(part));
    for (const GroupPart& inner : part.parts) add(inner, index);
    if (part.parts.empty())
      for (const std::uint32_t tool : part.tools) groups_[index].entries.push_back({false, tool});
    groups_[index].description = describe(part, groups_[index]);
  }

  static std::string name_for(const GroupPart& part) {
    std::string name = source_for_name(part.source);
    const std::string label = words_for_name(part.label, kRoomForWords);
    if (is_of_sources(part))
      name = source_for_name(part.source_labels.front()) + "_to_" +
             source_for_name(part.source_labels.back());
    else if (name.empty() || label.starts_with(name))
      name = label;
    else if (!label.empty())
      name += "_" + label;
    return std::string(kGroupNamePrefix) +
           (name.empty() ? "tools" : words_for_name(name, kRoomForWords));
  }

  static bool is_of_sources(const GroupPart& part) { return part.source_labels.size() > 1; }

  // Without a package's scope and the words that nearly every server has in its name:
  // "@acme/github-mcp-server" is github.
  static std::string source_for_name(std::string_view label) {
    if (label.starts_with('@') && !label.ends_with('/')) label.remove_prefix(label.rfind('/') + 1);
    const std::string all = words_for_name(label, kMaxGroupNameLength);
    std::string name;
    std::string_view last;
    for (const auto part : std::views::split(all, '_')) {
      const std::string_view word(part.begin(), part.end());
      if (word == "mcp" || word == "server" || word == last) continue;
      last = word;
      if (name.size() + word.size() >= kMaxSourceInName) break;
      if (!name.empty()) name += '_';
      name += word;
    }
    return name.empty() ? words_for_name(all, kMaxSourceInName) : name;
  }

  // No tool and no other group has it.
  std::string unique(std::string name) {
    const std::string& base = made_.emplace_back(std::move(name));
    const auto [found, is_new] = taken_.try_emplace(base, 1);
    if (is_new) return base;
    for (std::size_t& count = found->second;;) {
      const std::string& numbered = made_.emplace_back(fmt::format("{}_{}", base, ++count));
      if (taken_.try_emplace(numbered, 1).second) return numbered;
    }
  }

  void collect(const ToolGroup& group, std::vector<OfferedTool>& members) const {
    for (const GroupEntry& entry : group.entries) {
      if (entry.is_group)
        collect(groups_[entry.index], members);
      else
        members.push_back(tools_[entry.index]);
    }
  }

  static std::size_t tool_count(const GroupPart& part) {
    if (part.parts.empty()) return part.tools.size();
    std::size_t count = 0;
    for (const GroupPart& inner : part.parts) count += tool_count(inner);
    return count;
  }

  // "Opens 7 tools of GitHub (pull request): a, b, c. …"
  std::string describe(const GroupPart& part, const ToolGroup& group) const {
    std::string text = fmt::format("Opens {} tools", tool_count(part));
    if (!part.parts.empty()) text += fmt::format(" in {} groups", part.parts.size());
    if (is_of_sources(part)) text += fmt::format(" from {} sources", part.source_labels.size());
    if (!part.source.empty()) text += " of " + cut(part.source, kMaxLabelLength);
    if (!part.label.empty()) {
      std::string label = part.label;
      std::ranges::replace(label, '_', ' ');
      text += " (" + cut(label, kMaxLabelLength) + ")";
    }
    text += ": ";
    append_contents(text, part, group);
    return text.append(".").append(kEnding);
  }

  void append_contents(std::string& text, const GroupPart& part, const ToolGroup& group) const {
    std::vector<std::string_view> names;
    if (is_of_sources(part)) names.assign(part.source_labels.begin(), part.source_labels.end());
    for (const GroupPart& inner : part.parts)
      if (!is_of_sources(part))
        names.push_back(inner.is_single() ? tools_[inner.tools.front()].name
                                          : std::string_view(inner.label));
    if (names.empty())
      for (const GroupEntry& entry : group.entries) names.push_back(tools_[entry.index].name);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (text.size() + names[i].size() > kMaxGroupDescriptionLength - kRoomForEnding && i > 0) {
        text += fmt::format(" and {} more", names.size() - i);
        return;
      }
      if (i > 0) text += ", ";
      text += cut(names[i], kMaxLabelLength);
    }
  }

  void ask_namer(ToolGroup& group) {
    std::vector<OfferedTool> members;
    collect(group, members);
    const auto names = settings_.namer->names_for(members);
    if (!names) return;
    const std::string name = std::string(kGroupNamePrefix) + group_name_words(names->name);
    if (name != kGroupNamePrefix && name != group.name)
      group.former_name = std::exchange(group.name, unique(name));
    if (!names->description.empty())
      group.description =
          cut(names->description, kMaxGroupDescriptionLength - kEnding.size()).append(kEnding);
  }

  std::span<const OfferedTool> tools_;
  const GroupSettings& settings_;
  std::deque<std::string> made_;  // the names that taken_ has besides those of tools
  std::unordered_map<std::string_view, std::size_t> taken_;
  std::vector<ToolGroup> groups_;
};

}  // namespace

std::string group_name_words(std::string_view text) {
  return words_for_name(text, kRoomForWords);
}

std::vector<ToolGroup> build_groups(std::span<const OfferedTool> tools,
                                    const GroupSettings& settings) {
  return Builder(tools, settings).build(plan_groups(tools, settings));
}

}  // namespace toolgate
