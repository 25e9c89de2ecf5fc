#include "tools/tool_groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "base/ascii.h"
#include "tools/tool_group_build.h"

namespace toolgate {
namespace {

constexpr std::size_t kUpstreamGroupingStart = 64;
constexpr std::size_t kBuiltinGroupingStart = 21;

}  // namespace

std::string source_group_key(const ToolSource& source) {
  const std::string& label = source.label.empty() ? source.server : source.label;
  switch (source.kind) {
    case ToolSource::Kind::Internal:
      return "builtin";
    case ToolSource::Kind::Extension:
      return "ext_" + source.id;
    case ToolSource::Kind::Mcp:
      return "mcp_" + (label.empty() ? source.id : label);
    default:
      return std::string(name_of(source.kind));
  }
}

GroupTree::GroupTree(std::vector<std::string> tool_names, std::vector<ToolGroup> groups)
    : tool_names_(std::move(tool_names)),
      groups_(std::move(groups)),
      containers_(tool_names_.size(), 0) {
  if (groups_.empty()) groups_.emplace_back();
  by_name_.reserve(tool_names_.size() + groups_.size());
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    if (group > 0) by_name_.try_emplace(groups_[group].name, GroupEntry{true, group});
    for (const GroupEntry& entry : groups_[group].entries)
      (entry.is_group ? groups_[entry.index].parent : containers_[entry.index]) = group;
  }
  for (std::uint32_t tool = 0; tool < tool_names_.size(); ++tool)
    by_name_.try_emplace(tool_names_[tool], GroupEntry{false, tool});
  for (std::uint32_t group = 1; group < groups_.size(); ++group)
    if (!groups_[group].former_name.empty())
      by_name_.try_emplace(groups_[group].former_name, GroupEntry{true, group});
}

std::optional<GroupEntry> GroupTree::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::string_view GroupTree::name_of(const GroupEntry& entry) const {
  return entry.is_group ? groups_[entry.index].name : tool_names_[entry.index];
}

std::optional<std::size_t> effective_threshold(std::optional<std::int64_t> configured) {
  const std::int64_t threshold = configured.value_or(GroupSettings{}.threshold);
  if (threshold <= 0) return std::nullopt;
  return static_cast<std::size_t>(threshold);
}

bool should_group(std::size_t tool_count, const GroupSettings& settings) {
  if (settings.group_builtin && tool_count >= kBuiltinGroupingStart) return true;
  if (settings.upstream_quirks) return tool_count >= kUpstreamGroupingStart;
  const auto threshold = effective_threshold(settings.threshold);
  const std::size_t limit = std::max(settings.limit, kMinToolLimit);
  return threshold && tool_count > std::min(*threshold, limit);
}

std::vector<std::size_t> allocate_slots(std::span<const std::size_t> sizes,
                                        std::int64_t available) {
  std::vector<std::size_t> slots(sizes.size(), 0);
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(available, 0));
  if (sizes.size() >= room) {
    std::fill_n(slots.begin(), room, 1);
    return slots;
  }
  std::ranges::fill(slots, 1);
  std::size_t left = room - sizes.size();
  const auto total =
      static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::size_t{}));
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : a < b;
  });
  for (const std::size_t i : order) {
    const double share = static_cast<double>(sizes[i]) / total * static_cast<double>(left);
    const auto more = std::min(left, static_cast<std::size_t>(std::floor(share + 0.5)));
    slots[i] += more;
    left -= more;
  }
  for (std::size_t next = 0; left > 0 && !order.empty(); --left, ++next)
    ++slots[order[next % order.size()]];
  return slots;
}

std::string normalize_group_name(std::string_view text) {
  std::string name;
  name.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const char lower = ascii_lower(c);
    if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9'))
      name += lower;
    else if (byte < 0x80 || byte >= 0xC0)  // not within a character
      name.append(byte >= 0xF0 ? 2 : 1, '_');
  }
  return name;
}

void deduplicate_names(std::span<NamedEntry> entries) {
  std::unordered_set<std::string> seen;
  for (NamedEntry& entry : entries) {
    if (entry.is_group && seen.contains(entry.name)) {
      std::size_t number = 2;
      while (seen.contains(fmt::format("{}_{}", entry.name, number))) ++number;
      entry.name = fmt::format("{}_{}", entry.name, number);
    }
    seen.insert(entry.name);
  }
}

std::shared_ptr<const GroupTree> group_tools(std::span<const OfferedTool> tools,
                                             const GroupSettings& settings) {
  std::vector<std::string> names;
  names.reserve(tools.size());
  for (const OfferedTool& tool : tools) names.emplace_back(tool.name);
  std::vector<ToolGroup> groups;
  if (should_group(tools.size(), settings)) {
    groups = build_groups(tools, settings);
  } else {
    groups.resize(1);
    for (std::uint32_t tool = 0; tool < tools.size(); ++tool)
      groups[0].entries.push_back({false, tool});
  }
  return std::make_shared<const GroupTree>(std::move(names), std::move(groups));
}

}  // namespace toolgate
