// Virtual tools: a tree of groups (tool_groups.h) and which of them a conversation has opened. The
// chat endpoint makes one per request, replays the calls of its history, and asks what to offer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tool_groups.h"

namespace toolgate {

struct VirtualToolSettings {
  std::size_t limit = 128;
  // As the original: a group's own age is not set when it is opened, a hidden tool that is called
  // stays hidden, nothing is known before the first compute(), and the limit may be passed.
  bool upstream_quirks = false;
};

// What is offered: a tool by its index in the tree, or a closed group as a tool without input.
struct VisibleTool {
  std::uint32_t tool = 0;
  const ToolGroup* group = nullptr;  // null: the tool; lives as long as the tree
};

class VirtualTools {
 public:
  using Grouper =
      std::function<std::shared_ptr<const GroupTree>(std::span<const OfferedTool> tools)>;

  explicit VirtualTools(VirtualToolSettings settings = {});
  explicit VirtualTools(std::shared_ptr<const GroupTree> tree, VirtualToolSettings settings = {});

  // Takes another tree; groups of the same name, or former name, stay as open as they were.
  void set_tree(std::shared_ptr<const GroupTree> tree);
  // Groups the tools unless their names, in order, are those of the tree it has. True: it did.
  bool set_tools(std::span<const OfferedTool> tools, const Grouper& grouper);

  // What to offer now, never more than the limit: what was used longest ago is closed first.
  const std::vector<VisibleTool>& compute();

  // The model called this. A group opens, and the text is the call's result: the call runs nothing.
  // A real tool gives nothing; the groups around it open if they were closed.
  std::optional<std::string> did_call(std::string_view name);
  // One round of the conversation has ended.
  void did_take_turn() { ++turn_; }
  // The conversation was summarised: the next compute() closes more than it must.
  void did_invalidate_cache() { trim_more_ = true; }
  // A person named this tool or group: it is offered, and closed again as any other; a tool stays
  // when its group is closed. What the model called last goes before it. Unknown names are ignored.
  void ensure_expanded(std::string_view name);

  // The group that directly holds the tool or group; nothing: it is always shown, or unknown.
  const ToolGroup* container_of(std::string_view name) const;
  // The group of this name or former name; null: none.
  const ToolGroup* find_group(std::string_view name) const;
  // In tree order.
  std::vector<std::string_view> expanded_groups() const;
  const GroupTree& tree() const { return *tree_; }

 private:
  struct State {
    bool expanded = false;
    std::uint64_t last_used = 0;
  };
  struct Pin {
    std::uint32_t tool = 0;
    std::uint64_t last_used = 0;
  };
  struct Foldable;

  std::optional<GroupEntry> find(std::string_view name) const;
  void touch(std::uint32_t group, bool expand);
  bool is_shown(std::uint32_t group) const;
  std::size_t shown_size(std::uint32_t group) const;
  std::size_t pins_outside() const;
  bool is_first_of_name(std::uint32_t tool) const;
  std::vector<Foldable> foldables() const;
  void trim(std::size_t limit, bool groups_only);
  void list(std::uint32_t group);

  VirtualToolSettings settings_;
  std::shared_ptr<const GroupTree> tree_;
  std::vector<State> states_;  // one per group
  std::vector<Pin> pins_;      // tools that a person named, the oldest first
  std::uint64_t turn_ = 0;
  std::uint64_t uses_ = 0;  // counts calls, so that no two have the same age
  std::uint64_t last_call_ = 0;
  bool computed_ = false;
  bool trim_more_ = false;
  std::vector<VisibleTool> visible_;
};

}  // namespace toolgate
