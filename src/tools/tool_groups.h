// Groups of tools: what a model is offered when there are more tools than a request may carry.
// group_tools() makes a tree of groups from the tools of a request, without a model and always the
// same from the same tools; VirtualTools (virtual_tools.h) decides which groups stand open.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "toolgate/tool.h"

namespace toolgate {

inline constexpr std::string_view kGroupNamePrefix = "activate_";
inline constexpr std::size_t kMaxGroupNameLength = 64;
inline constexpr std::size_t kMaxGroupDescriptionLength = 480;
// The fewest tools that a limit may allow; a smaller one counts as this.
inline constexpr std::size_t kMinToolLimit = 16;

// A tool as it would be offered. The texts belong to the caller and are not needed afterwards.
struct OfferedTool {
  std::string_view name = {};
  std::string_view description = {};
  std::string_view source = {};        // source_group_key(); empty counts as "builtin"
  std::string_view source_label = {};  // for names and descriptions; empty: made from `source`
  std::string_view set = {};           // a tool set within the source; may be empty
};

// "builtin", "ext_<id>", "mcp_<label>", …: tools with the same key are grouped together.
std::string source_group_key(const ToolSource& source);

struct GroupEntry {
  bool is_group = false;
  std::uint32_t index = 0;  // of a tool or of a group

  bool operator==(const GroupEntry&) const = default;
};

struct ToolGroup {
  std::string name;
  std::string description;
  std::uint32_t parent = 0;
  std::vector<GroupEntry> entries;
  bool collapsible = true;
  // What it was called before a namer gave it its name, and may be called in conversations that
  // began then; empty: it has the name that was made for it.
  std::string former_name = {};
};

// Immutable once made: keep one per list of tools and share it. Group 0 is the root: it has no name
// and is always open.
class GroupTree {
 public:
  // Each tool is an entry of one group. Of two tools with one name the first counts.
  GroupTree(std::vector<std::string> tool_names, std::vector<ToolGroup> groups);
  GroupTree(const GroupTree&) = delete;
  GroupTree& operator=(const GroupTree&) = delete;

  const std::vector<std::string>& tool_names() const { return tool_names_; }
  const std::vector<ToolGroup>& groups() const { return groups_; }
  std::uint32_t container_of(std::uint32_t tool) const { return containers_[tool]; }
  // Also by the former name of a group. Groups first: a group and a tool never share a name in a
  // tree of group_tools().
  std::optional<GroupEntry> find(std::string_view name) const;
  std::string_view name_of(const GroupEntry& entry) const;

 private:
  std::vector<std::string> tool_names_;
  std::vector<ToolGroup> groups_;
  std::vector<std::uint32_t> containers_;
  std::unordered_map<std::string_view, GroupEntry> by_name_;
};

// Gives groups better names than words of their tools, for instance from a model.
class GroupNamer {
 public:
  struct Names {
    std::string name;         // any text: group_name_words(), prefixed and made unique
    std::string description;  // what the tools are for; empty: ours is kept
  };
  virtual ~GroupNamer() = default;
  // Nothing: the group keeps the name that was made for it.
  virtual std::optional<Names> names_for(std::span<const OfferedTool> members) const = 0;
};

struct GroupSettings {
  // github.copilot.chat.virtualTools.threshold: more tools than this are grouped; 0 or less: never.
  std::int64_t threshold = 128;
  std::size_t limit = 128;     // what a request may carry
  bool group_builtin = false;  // built-in tools by category, as soon as there are more than 20
  // As the original: grouping from 64 tools on, whatever the threshold is.
  bool upstream_quirks = false;
  const GroupNamer* namer = nullptr;
  std::vector<std::string> taken = {};  // names that a group must not have, beside those of tools
};

// The threshold that a configured value stands for; nothing: never group.
std::optional<std::size_t> effective_threshold(std::optional<std::int64_t> configured);
bool should_group(std::size_t tool_count, const GroupSettings& settings);

// Every tool is in the tree once. With groups, any one group can be opened, together with those
// around it, without more than 15/16 of `limit` showing: the rest is for tools that people name.
std::shared_ptr<const GroupTree> group_tools(std::span<const OfferedTool> tools,
                                             const GroupSettings& settings);

// How many entries each source gets of `available`, by its number of tools.
std::vector<std::size_t> allocate_slots(std::span<const std::size_t> sizes, std::int64_t available);

// Lower case, and '_' for whatever is neither a letter nor a digit of ASCII; one per UTF-16 unit.
std::string normalize_group_name(std::string_view text);

// What a namer's text becomes behind the prefix: "Pull Requests: all" is pull_requests_all. Empty
// where nothing of it can stay.
std::string group_name_words(std::string_view text);

struct NamedEntry {
  std::string name;
  bool is_group = false;
};
// A group whose name an earlier entry has gets _2, _3, …; tools keep their names.
void deduplicate_names(std::span<NamedEntry> entries);

// The entries that a category of built-in tools makes, in order: groups, core tools, others.
struct BuiltinEntry {
  std::string_view category;         // empty: a single tool
  std::vector<std::uint32_t> tools;  // indexes into the names given
};
std::vector<BuiltinEntry> group_builtin_tools(std::span<const std::string_view> names);
// "Core" for those that are never grouped; empty: in no category.
std::string_view builtin_category(std::string_view tool_name);

}  // namespace toolgate
