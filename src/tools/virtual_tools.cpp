#include "tools/virtual_tools.h"

#include <algorithm>
#include <tuple>

namespace toolgate {
namespace {

constexpr std::uint32_t kRoot = 0;

// After a summary the conversation starts afresh, and three quarters are enough.
std::size_t soft_limit(std::size_t limit) {
  return limit * 3 / 4;
}

std::shared_ptr<const GroupTree> empty_tree() {
  static const auto tree =
      std::make_shared<const GroupTree>(std::vector<std::string>(), std::vector<ToolGroup>());
  return tree;
}

}  // namespace

// Something that can be closed: an open group, or a tool that shows outside its closed group.
struct VirtualTools::Foldable {
  // Groups go before single tools, which take little room; what the model called last goes last.
  enum class Turn : std::uint8_t { First, Second, Last };

  std::uint64_t last_used = 0;
  std::uint32_t group = 0;  // of a pin: the root
  std::uint32_t tool = 0;   // of a pin
  Turn turn = Turn::First;
  std::size_t position = 0;
};

VirtualTools::VirtualTools(VirtualToolSettings settings) : VirtualTools(empty_tree(), settings) {}

VirtualTools::VirtualTools(std::shared_ptr<const GroupTree> tree, VirtualToolSettings settings)
    : settings_(settings), tree_(std::move(tree)), states_(tree_->groups().size()) {
  states_[kRoot].expanded = true;
}

void VirtualTools::set_tree(std::shared_ptr<const GroupTree> tree) {
  std::vector<State> states(tree->groups().size());
  states[kRoot].expanded = true;
  for (std::uint32_t group = 1; group < states_.size(); ++group) {
    if (!states_[group].expanded && states_[group].last_used == 0) continue;
    const ToolGroup& old = tree_->groups()[group];
    auto same = tree->find(old.name);
    if (!same && !old.former_name.empty()) same = tree->find(old.former_name);
    if (same && same->is_group) states[same->index] = states_[group];
  }
  std::vector<Pin> pins;
  for (const Pin& pin : pins_) {
    const auto same = tree->find(tree_->tool_names()[pin.tool]);
    if (same && !same->is_group) pins.push_back({same->index, pin.last_used});
  }
  tree_ = std::move(tree);
  states_ = std::move(states);
  pins_ = std::move(pins);
  visible_.clear();
}

bool VirtualTools::set_tools(std::span<const OfferedTool> tools, const Grouper& grouper) {
  if (std::ranges::equal(tools, tree_->tool_names(), {}, &OfferedTool::name)) return false;
  set_tree(grouper(tools));
  return true;
}

std::optional<GroupEntry> VirtualTools::find(std::string_view name) const {
  if (settings_.upstream_quirks && !computed_) return std::nullopt;
  return tree_->find(name);
}

// `group` was used: it and those around it get younger and, if asked, open.
void VirtualTools::touch(std::uint32_t group, bool expand) {
  for (; group != kRoot; group = tree_->groups()[group].parent) {
    State& state = states_[group];
    // A person's reference, if not a call, leaves the last call's groups as they are.
    if (settings_.upstream_quirks)
      state.last_used = turn_;
    else if (state.last_used != last_call_ || last_call_ == 0)
      state.last_used = uses_;
    if (expand) state.expanded = true;
  }
}

std::optional<std::string> VirtualTools::did_call(std::string_view name) {
  const auto entry = find(name);
  if (!entry) return std::nullopt;
  last_call_ = ++uses_;
  const bool quirks = settings_.upstream_quirks;
  if (!entry->is_group) {
    touch(tree_->container_of(entry->index), !quirks);
    return std::nullopt;
  }
  const ToolGroup& group = tree_->groups()[entry->index];
  states_[entry->index].expanded = true;
  touch(quirks ? group.parent : entry->index, !quirks);
  std::string text = "Tools activated: ";
  for (std::size_t i = 0; i < group.entries.size(); ++i) {
    if (i > 0) text += ", ";
    text += tree_->name_of(group.entries[i]);
  }
  return text;
}

void VirtualTools::ensure_expanded(std::string_view name) {
  const auto entry = tree_->find(name);
  if (!entry) return;
  ++uses_;
  const std::uint32_t group = entry->is_group ? entry->index : tree_->container_of(entry->index);
  touch(group, true);
  if (entry->is_group || settings_.upstream_quirks) return;
  const auto pin = std::ranges::find(pins_, entry->index, &Pin::tool);
  if (pin != pins_.end()) pins_.erase(pin);
  pins_.push_back({entry->index, uses_});
  if (pins_.size() > settings_.limit) pins_.erase(pins_.begin());
}

const ToolGroup* VirtualTools::container_of(std::string_view name) const {
  const auto entry = find(name);
  if (!entry) return nullptr;
  const std::uint32_t group =
      entry->is_group ? tree_->groups()[entry->index].parent : tree_->container_of(entry->index);
  return group == kRoot ? nullptr : &tree_->groups()[group];
}

const ToolGroup* VirtualTools::find_group(std::string_view name) const {
  const auto entry = find(name);
  return entry && entry->is_group ? &tree_->groups()[entry->index] : nullptr;
}

std::vector<std::string_view> VirtualTools::expanded_groups() const {
  std::vector<std::string_view> names;
  for (std::uint32_t group = 1; group < states_.size(); ++group)
    if (states_[group].expanded) names.emplace_back(tree_->groups()[group].name);
  return names;
}

// Its entries show: it and all around it are open.
bool VirtualTools::is_shown(std::uint32_t group) const {
  for (; group != kRoot; group = tree_->groups()[group].parent)
    if (!states_[group].expanded) return false;
  return true;
}

// How many entries stand for an open group.
std::size_t VirtualTools::shown_size(std::uint32_t group) const {
  std::size_t size = 0;
  for (const GroupEntry& entry : tree_->groups()[group].entries)
    size += entry.is_group && states_[entry.index].expanded ? shown_size(entry.index) : 1;
  return size;
}

// In the order in which they are closed.
std::vector<VirtualTools::Foldable> VirtualTools::foldables() const {
  using Turn = Foldable::Turn;
  std::vector<Foldable> result;
  for (std::uint32_t group = 1; group < states_.size(); ++group)
    if (tree_->groups()[group].collapsible && is_shown(group))
      result.push_back({states_[group].last_used, group, 0, Turn::First, 0});
  // An inner group comes after those around it in the tree and is closed before them. The original
  // has them the other way round.
  if (!settings_.upstream_quirks) std::ranges::reverse(result);
  for (const Pin& pin : pins_) result.push_back({pin.last_used, kRoot, pin.tool, Turn::Second, 0});
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].position = i;
    const bool is_last_call = result[i].turn == Turn::First && result[i].last_used == last_call_;
    if (!settings_.upstream_quirks && is_last_call) result[i].turn = Turn::Last;
  }
  std::ranges::sort(result, [](const Foldable& a, const Foldable& b) {
    return std::tie(a.turn, a.last_used, a.position) < std::tie(b.turn, b.last_used, b.position);
  });
  return result;
}

std::size_t VirtualTools::pins_outside() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      pins_, [&](const Pin& pin) { return !is_shown(tree_->container_of(pin.tool)); }));
}

void VirtualTools::trim(std::size_t limit, bool groups_only) {
  std::size_t shown = shown_size(kRoot);
  if (shown + pins_outside() <= limit) return;
  for (const Foldable& next : foldables()) {
    if (shown + pins_outside() <= limit) break;
    if (groups_only && next.turn != Foldable::Turn::First) break;
    if (next.group == kRoot) {
      std::erase_if(pins_, [&](const Pin& pin) { return pin.tool == next.tool; });
    } else if (is_shown(next.group)) {
      shown -= shown_size(next.group) - 1;
      states_[next.group].expanded = false;
    }
  }
}

void VirtualTools::list(std::uint32_t group) {
  for (const GroupEntry& entry : tree_->groups()[group].entries) {
    if (!entry.is_group) {
      if (is_first_of_name(entry.index)) visible_.push_back({entry.index, nullptr});
      continue;
    }
    if (states_[entry.index].expanded)
      list(entry.index);
    else
      visible_.push_back({0, &tree_->groups()[entry.index]});
  }
}

bool VirtualTools::is_first_of_name(std::uint32_t tool) const {
  return tree_->find(tree_->tool_names()[tool]) == GroupEntry{false, tool};
}

const std::vector<VisibleTool>& VirtualTools::compute() {
  computed_ = true;
  if (trim_more_) trim(soft_limit(settings_.limit), !settings_.upstream_quirks);
  trim_more_ = false;
  trim(settings_.limit, false);
  visible_.clear();
  list(kRoot);
  for (const Pin& pin : pins_)
    if (!is_shown(tree_->container_of(pin.tool)) && is_first_of_name(pin.tool))
      visible_.push_back({pin.tool, nullptr});
  return visible_;
}

}  // namespace toolgate
