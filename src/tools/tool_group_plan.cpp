// Which tools stand together (tool_group_build.h): by source, then by tool set, then by words.
#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "tools/tool_group_build.h"
#include "tools/tool_group_words.h"

namespace toolgate {
namespace {

constexpr std::string_view kBuiltin = "builtin";
constexpr std::size_t kRootShare = 88;      // of 120 entries; the rest is for what is opened
constexpr std::size_t kMaxLeaf = 48;        // tools that open at once
constexpr std::size_t kMaxSourceRoom = 24;  // entries that built-in tools leave to others
constexpr std::size_t kMaxLevels = 16;
constexpr std::size_t kNamedShare = 16;  // a sixteenth is for tools that people name
constexpr std::size_t kMinLimitForSourceGroups = 60;

using Members = std::vector<std::uint32_t>;

struct Source {
  std::string_view key;
  std::string_view label;
  Members members;
};

std::size_t rounded_up(std::size_t count, std::size_t divisor) {
  return (count + divisor - 1) / divisor;
}

std::size_t power(std::size_t base, std::size_t exponent) {
  std::size_t result = 1;
  while (exponent-- > 0) {
    if (result > std::numeric_limits<std::uint32_t>::max()) break;
    result *= base;
  }
  return result;
}

// With `levels` groups around a tool, each may have this many entries.
std::size_t entries_per_level(std::size_t budget, std::size_t levels) {
  return budget / levels + 1;
}

std::string_view label_of(const OfferedTool& tool) {
  if (!tool.source_label.empty()) return tool.source_label;
  for (const std::string_view prefix : {"ext_", "mcp_"})
    if (tool.source.starts_with(prefix)) return tool.source.substr(prefix.size());
  return tool.source;
}

std::size_t room_for_groups(const GroupSettings& settings) {
  const std::size_t limit = std::max(settings.limit, kMinToolLimit);
  return limit - limit / kNamedShare;
}

class Planner {
 public:
  Planner(std::span<const OfferedTool> tools, const GroupSettings& settings)
      : tools_(tools), settings_(settings), limit_(room_for_groups(settings)) {
    names_.reserve(tools.size());
    for (const OfferedTool& tool : tools) names_.push_back(tool.name);
    find_sources();
  }

  std::vector<GroupPart> plan() {
    root_slots_ = root_slots();
    add_builtin();
    add_sources();
    const std::size_t budget = limit_ - std::min(limit_, root_.size());
    for (GroupPart& part : root_) subdivide(part, budget);
    return std::move(root_);
  }

 private:
  void find_sources() {
    std::unordered_map<std::string_view, std::size_t> indexes;
    for (std::uint32_t tool = 0; tool < tools_.size(); ++tool) {
      const std::string_view key = tools_[tool].source;
      if (key.empty() || key == kBuiltin) {
        builtin_.push_back(tool);
        continue;
      }
      const auto [found, is_new] = indexes.try_emplace(key, sources_.size());
      if (is_new) sources_.push_back({key, label_of(tools_[tool]), {}});
      sources_[found->second].members.push_back(tool);
    }
  }

  // Fewer where the groups could not hold all tools otherwise.
  std::size_t root_slots() const {
    std::size_t slots = std::max<std::size_t>(2, limit_ * kRootShare / 120);
    while (slots > 2 && group_capacity(limit_ - slots) * (slots / 2) < tools_.size()) --slots;
    return slots;
  }

  void add_single(std::uint32_t tool) {
    root_.push_back({std::string(label_of(tools_[tool])), {}, {tool}, {}, {}});
  }

  void add_builtin() {
    const std::size_t room =
        root_slots_ - std::min({sources_.size(), kMaxSourceRoom, root_slots_ / 2});
    if (settings_.group_builtin) {
      std::vector<std::string_view> names;
      for (const std::uint32_t tool : builtin_) names.push_back(names_[tool]);
      const auto entries = group_builtin_tools(names);
      if (entries.size() <= room) {
        for (const BuiltinEntry& entry : entries) add_category(entry);
        return;
      }
    }
    if (builtin_.size() <= room) {
      for (const std::uint32_t tool : builtin_) add_single(tool);
      return;
    }
    add_crowded_builtin(room);
  }

  void add_category(const BuiltinEntry& entry) {
    GroupPart part{{}, std::string(entry.category), {}, {}, {}};
    for (const std::uint32_t index : entry.tools) part.tools.push_back(builtin_[index]);
    root_.push_back(std::move(part));
  }

  // More built-in tools than there is room for: the core ones stay, the others are grouped.
  void add_crowded_builtin(std::size_t room) {
    Source others{kBuiltin, {}, {}};
    std::size_t core = 0;
    for (const std::uint32_t tool : builtin_) {
      if (core < room / 2 && builtin_category(names_[tool]) == "Core") {
        add_single(tool);
        ++core;
      } else {
        others.members.push_back(tool);
      }
    }
    add_source(others, room - core);
  }

  void add_sources() {
    if (sources_.empty()) return;
    const std::size_t available = root_slots_ - std::min(root_slots_, root_.size());
    if (sources_.size() > available) {
      add_crowded_sources(std::max<std::size_t>(available, 1));
      return;
    }
    std::vector<std::size_t> sizes;
    for (const Source& source : sources_) sizes.push_back(source.members.size());
    const auto slots = allocate_slots(sizes, static_cast<std::int64_t>(available));
    for (std::size_t i = 0; i < sources_.size(); ++i) add_source(sources_[i], slots[i]);
  }

  // More sources than room: neighbours by name share a group.
  void add_crowded_sources(std::size_t available) {
    if (limit_ < kMinLimitForSourceGroups) {
      Source all{"all", {}, {}};
      for (const Source& source : sources_)
        all.members.insert(all.members.end(), source.members.begin(), source.members.end());
      add_source(all, available);
      return;
    }
    std::vector<GroupPart> parts;
    for (Source& source : sources_)
      parts.push_back({std::string(source.label),
                       {},
                       std::move(source.members),
                       {},
                       {std::string(source.label)}});
    std::ranges::sort(parts, [](const GroupPart& a, const GroupPart& b) {
      return std::tie(a.source, a.tools.front()) < std::tie(b.source, b.tools.front());
    });
    gather(parts, available, root_);
  }

  // `parts` into at most `count` groups of neighbours.
  static void gather(std::vector<GroupPart>& parts, std::size_t count,
                     std::vector<GroupPart>& into) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = parts.size() * i / count;
      const std::size_t end = parts.size() * (i + 1) / count;
      if (begin == end) continue;
      if (end - begin == 1) {
        into.push_back(std::move(parts[begin]));
        continue;
      }
      GroupPart group;
      for (std::size_t part = begin; part < end; ++part) {
        const auto& inner = parts[part].source_labels;
        group.source_labels.insert(group.source_labels.end(), inner.begin(), inner.end());
        group.parts.push_back(std::move(parts[part]));
      }
      into.push_back(std::move(group));
    }
  }

  void add_source(const Source& source, std::size_t slots) {
    const std::size_t count = source.members.size();
    if (count == 0) return;
    if (slots >= count) {
      for (const std::uint32_t tool : source.members) add_single(tool);
      return;
    }
    GroupPart whole{std::string(source.label), {}, source.members, {}, {}};
    if (slots <= 1) {
      root_.push_back(std::move(whole));
      return;
    }
    const std::size_t budget = limit_ - root_slots_;
    const std::size_t wanted =
        std::max(2 * rounded_up(count, slots), std::min(kMaxLeaf, budget + 1));
    const std::size_t possible = group_capacity(budget);
    const std::size_t most = std::max(std::min(wanted, possible), rounded_up(count, slots));
    for (GroupPart& part : split(whole, {slots, most})) root_.push_back(std::move(part));
  }

  // Tool sets that people made come before words.
  std::vector<GroupPart> split(const GroupPart& part, const SplitLimits& limits) const {
    const std::vector<GroupPart> sets = sets_of(part);
    std::vector<std::size_t> sizes;
    for (const GroupPart& set : sets) sizes.push_back(set.tools.size());
    const auto slots = allocate_slots(sizes, static_cast<std::int64_t>(limits.max_parts));
    bool fits = sets.size() > 1;
    for (std::size_t i = 0; i < sets.size(); ++i)
      fits = fits && slots[i] * limits.max_size >= sizes[i];
    if (!fits) return split_words(part, limits);
    std::vector<GroupPart> parts;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (sizes[i] <= limits.max_size)
        parts.push_back(sets[i]);
      else
        std::ranges::move(split_words(sets[i], {slots[i], limits.max_size}),
                          std::back_inserter(parts));
    }
    return parts;
  }

  std::vector<GroupPart> split_words(const GroupPart& part, const SplitLimits& limits) const {
    std::vector<GroupPart> parts;
    for (WordCluster& cluster : split_by_words(names_, part.tools, limits))
      parts.push_back(
          {part.source, joined(part.label, cluster.label), std::move(cluster.members), {}, {}});
    return parts;
  }

  // In the order they appear; tools in no set make one of their own.
  std::vector<GroupPart> sets_of(const GroupPart& part) const {
    std::vector<GroupPart> sets;
    std::unordered_map<std::string_view, std::size_t> indexes;
    for (const std::uint32_t tool : part.tools) {
      const std::string_view set = tools_[tool].set;
      const auto [found, is_new] = indexes.try_emplace(set, sets.size());
      if (is_new)
        sets.push_back({part.source, joined(part.label, set.empty() ? "other" : set), {}, {}, {}});
      sets[found->second].tools.push_back(tool);
    }
    return sets;
  }

  static std::string joined(std::string_view outer, std::string_view inner) {
    if (outer.empty() || inner.starts_with(outer)) return std::string(inner);
    return std::string(outer) + "_" + std::string(inner);
  }

  void subdivide(GroupPart& part, std::size_t budget) const {
    if (!part.parts.empty()) {
      subdivide_parts(part, budget);
      return;
    }
    const std::size_t count = part.tools.size();
    if (count <= std::min(kMaxLeaf, budget + 1)) return;
    for (std::size_t levels = 2; levels <= kMaxLevels; ++levels) {
      const std::size_t entries = entries_per_level(budget, levels);
      if (entries < 2) return;
      if (power(entries, levels) < count) continue;
      std::size_t most = std::min(power(entries, levels - 1), count - 1);
      if (levels == 2) most = std::min(most, kMaxLeaf);
      part.parts = split(part, {entries, std::max(most, rounded_up(count, entries))});
      const std::size_t left = budget - (entries - 1);
      for (GroupPart& inner : part.parts) subdivide(inner, left);
      return;
    }
  }

  // A group of sources: few tools open at once, few sources as groups, else groups of sources.
  void subdivide_parts(GroupPart& part, std::size_t budget) const {
    Members all;
    for (const GroupPart& inner : part.parts)
      all.insert(all.end(), inner.tools.begin(), inner.tools.end());
    if (all.size() <= std::min(kMaxLeaf, budget + 1)) {
      part.tools = std::move(all);
      part.parts.clear();
      return;
    }
    if (part.parts.size() > budget / 2 + 1) {
      std::vector<GroupPart> gathered;
      gather(part.parts, budget / 4 + 1, gathered);
      part.parts = std::move(gathered);
    }
    const std::size_t left = budget - std::min(budget, part.parts.size() - 1);
    for (GroupPart& inner : part.parts) subdivide(inner, left);
  }

  std::span<const OfferedTool> tools_;
  const GroupSettings& settings_;
  std::size_t limit_;  // entries that groups may show
  std::vector<std::string_view> names_;
  Members builtin_;
  std::vector<Source> sources_;
  std::size_t root_slots_ = 0;
  std::vector<GroupPart> root_;
};

}  // namespace

std::size_t group_capacity(std::size_t budget) {
  std::size_t most = budget + 1;
  for (std::size_t levels = 2; levels <= kMaxLevels; ++levels)
    most = std::max(most, power(entries_per_level(budget, levels), levels));
  return most;
}

std::vector<GroupPart> plan_groups(std::span<const OfferedTool> tools,
                                   const GroupSettings& settings) {
  return Planner(tools, settings).plan();
}

}  // namespace toolgate
