// Virtual tools: what is open after which calls, and that the limit always holds.
#include "tools/virtual_tools.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

class Offer {
 public:
  // `groups` sources of `size` tools: s<i>_t<j>.
  Offer(std::size_t groups, std::size_t size) {
    names_.reserve(groups * size);
    sources_.reserve(groups);
    for (std::size_t i = 0; i < groups; ++i) {
      sources_.push_back(fmt::format("mcp_s{}", i));
      for (std::size_t j = 0; j < size; ++j) {
        names_.push_back(fmt::format("s{}_t{}", i, j));
        tools_.push_back({names_.back(), "", sources_.back(), {}, {}});
      }
    }
  }
  const std::vector<OfferedTool>& tools() const { return tools_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> sources_;
  std::vector<OfferedTool> tools_;
};

bool shows(VirtualTools& tools, std::string_view name) {
  return std::ranges::any_of(tools.compute(), [&](const VisibleTool& shown) {
    return shown.group != nullptr ? shown.group->name == name
                                  : tools.tree().tool_names()[shown.tool] == name;
  });
}

// Its entries show, or what stands for them where they are open groups.
bool stands_open(VirtualTools& tools, const ToolGroup& group) {
  return std::ranges::all_of(group.entries, [&](const GroupEntry& entry) {
    if (shows(tools, tools.tree().name_of(entry))) return true;
    return entry.is_group && stands_open(tools, tools.tree().groups()[entry.index]);
  });
}

// Opens groups from the outside in, as a model would, until the tool shows.
bool can_reach(VirtualTools& tools, std::string_view name) {
  std::vector<std::string_view> around;
  for (const ToolGroup* group = tools.container_of(name); group != nullptr;
       group = tools.container_of(group->name))
    around.push_back(group->name);
  while (!around.empty()) {
    if (!shows(tools, around.back()) && tools.find_group(around.back()) == nullptr) return false;
    tools.did_call(around.back());
    around.pop_back();
    if (tools.compute().size() > 128) return false;
  }
  return shows(tools, name);
}

TEST(VirtualTools, EveryToolCanBeReachedByOpeningGroups) {
  const Offer offer(100, 50);
  VirtualTools tools(group_tools(offer.tools(), {}));
  for (std::size_t i = 0; i < offer.tools().size(); i += 13)
    EXPECT_TRUE(can_reach(tools, offer.tools()[i].name)) << offer.tools()[i].name;
}

TEST(VirtualTools, RandomCallsNeverShowMoreThanTheLimitAndWhatWasCalledShows) {
  std::mt19937 random(11);
  for (const auto& [groups, size] : {std::pair{100, 50}, {3, 1000}, {1, 5000}, {700, 7}}) {
    const Offer offer(static_cast<std::size_t>(groups), static_cast<std::size_t>(size));
    const auto tree = group_tools(offer.tools(), {});
    VirtualTools tools(tree);
    for (int round = 0; round < 300; ++round) {
      const auto& name = offer.tools()[random() % offer.tools().size()].name;
      const auto& group = tree->groups()[1 + random() % (tree->groups().size() - 1)];
      switch (random() % 4) {
        case 0:
          EXPECT_FALSE(tools.did_call(name).has_value());
          EXPECT_TRUE(shows(tools, name));
          break;
        case 1:
          EXPECT_TRUE(tools.did_call(group.name).has_value());
          EXPECT_TRUE(stands_open(tools, group));
          break;
        case 2:
          tools.ensure_expanded(name);
          EXPECT_TRUE(shows(tools, name));
          break;
        default:
          tools.did_take_turn();
          if (random() % 5 == 0) tools.did_invalidate_cache();
      }
      ASSERT_LE(tools.compute().size(), 128u);
    }
  }
}

TEST(VirtualTools, ReplayingAHistoryGivesWhatComputingAlongGave) {
  const Offer offer(60, 40);
  const auto tree = group_tools(offer.tools(), {});
  std::mt19937 random(12);
  VirtualTools along(tree);
  std::vector<std::string_view> history;
  for (int round = 0; round < 100; ++round) {
    const auto& tool = offer.tools()[random() % offer.tools().size()];
    history.push_back(random() % 2 == 0 ? tool.name : tree->groups()[1 + random() % 20].name);
    along.did_call(history.back());
    along.did_take_turn();
    along.compute();
  }
  VirtualTools replayed(tree);
  for (const std::string_view name : history) replayed.did_call(name);
  replayed.compute();
  EXPECT_EQ(replayed.expanded_groups(), along.expanded_groups());
}

TEST(VirtualTools, ActivatingSaysWhatIsInside) {
  const Offer offer(90, 2);
  VirtualTools tools(group_tools(offer.tools(), {}));
  const ToolGroup* group = tools.container_of("s7_t0");
  ASSERT_NE(group, nullptr);
  const auto text = tools.did_call(group->name);
  ASSERT_TRUE(text.has_value());
  EXPECT_TRUE(text->starts_with("Tools activated: ")) << *text;
  EXPECT_NE(text->find("s7_t0"), text->npos);
  EXPECT_FALSE(tools.did_call("nobody").has_value());
}

TEST(VirtualTools, AHiddenToolThatIsCalledOpensItsGroup) {
  const Offer offer(90, 10);
  const auto tree = group_tools(offer.tools(), {});
  VirtualTools ours(tree);
  EXPECT_FALSE(shows(ours, "s50_t3"));
  EXPECT_FALSE(ours.did_call("s50_t3").has_value());
  EXPECT_TRUE(shows(ours, "s50_t3"));
  VirtualTools upstream(tree, {.upstream_quirks = true});
  EXPECT_FALSE(shows(upstream, "s50_t3"));
  upstream.did_call("s50_t3");
  EXPECT_FALSE(shows(upstream, "s50_t3"));
}

TEST(VirtualTools, TheOldestIsClosedFirst) {
  const Offer offer(80, 20);
  const auto tree = group_tools(offer.tools(), {});
  VirtualTools tools(tree);
  tools.did_call("s1_t0");
  tools.did_call("s2_t0");
  EXPECT_TRUE(shows(tools, "s1_t0"));
  tools.did_call("s1_t1");
  tools.did_call("s3_t0");
  EXPECT_TRUE(shows(tools, "s1_t0"));
  EXPECT_FALSE(shows(tools, "s2_t0"));
  EXPECT_TRUE(shows(tools, "s3_t0"));
}

TEST(VirtualTools, NamedToolsShowEvenIfTheirGroupsDoNotFit) {
  const Offer offer(80, 30);
  VirtualTools tools(group_tools(offer.tools(), {}));
  std::vector<std::string> named;
  for (int i = 0; i < 12; ++i) named.push_back(fmt::format("s{}_t{}", i, i));
  for (const std::string& name : named) tools.ensure_expanded(name);
  for (const std::string& name : named) EXPECT_TRUE(shows(tools, name)) << name;
  EXPECT_LE(tools.compute().size(), 128u);
  for (const OfferedTool& tool : offer.tools()) tools.ensure_expanded(tool.name);
  EXPECT_LE(tools.compute().size(), 128u);
}

TEST(VirtualTools, WhatTheModelCalledLastStaysOpenBesideNamedTools) {
  const Offer offer(88, 40);
  VirtualTools tools(group_tools(offer.tools(), {}));
  const ToolGroup* group = tools.container_of("s7_t0");
  ASSERT_NE(group, nullptr);
  tools.did_call("s3_t0");
  tools.did_call(group->name);
  for (const std::string_view name : {"s1_t1", "s2_t2", "s7_t39"}) tools.ensure_expanded(name);
  EXPECT_TRUE(stands_open(tools, *group));
  for (const std::string_view name : {"s1_t1", "s2_t2", "s7_t39"}) EXPECT_TRUE(shows(tools, name));
  EXPECT_FALSE(shows(tools, "s3_t0"));
  EXPECT_LE(tools.compute().size(), 128u);
}

TEST(VirtualTools, OpenGroupsStayOpenWhenTheToolsChange) {
  const Offer before(90, 10);
  const Offer after(91, 10);
  const auto grouper = [](std::span<const OfferedTool> tools) { return group_tools(tools, {}); };
  VirtualTools tools;
  EXPECT_TRUE(tools.set_tools(before.tools(), grouper));
  EXPECT_FALSE(tools.set_tools(before.tools(), grouper));
  const std::string group = tools.container_of("s5_t0")->name;
  tools.did_call("s5_t0");
  ASSERT_TRUE(shows(tools, "s5_t1"));
  EXPECT_TRUE(tools.set_tools(after.tools(), grouper));
  const ToolGroup* same = tools.find_group(group);
  ASSERT_NE(same, nullptr);
  const auto open = tools.expanded_groups();
  EXPECT_TRUE(std::ranges::find(open, group) != open.end());
}

TEST(VirtualTools, ASummaryClosesOldGroupsButNotTheNewest) {
  const Offer offer(80, 10);
  VirtualTools tools(group_tools(offer.tools(), {}));
  for (const std::string_view name : {"s1_t0", "s2_t0", "s3_t0"}) tools.did_call(name);
  const std::size_t before = tools.compute().size();
  ASSERT_GT(before, 96u);
  tools.did_invalidate_cache();
  EXPECT_LE(tools.compute().size(), 97u);
  EXPECT_TRUE(shows(tools, "s3_t0"));
  EXPECT_FALSE(shows(tools, "s1_t0"));
}

TEST(VirtualTools, OfToolsWithOneNameTheFirstIsOffered) {
  const std::vector<OfferedTool> twice{{.name = "a"}, {.name = "b"}, {.name = "a"}};
  VirtualTools tools(group_tools(twice, {}));
  const auto& shown = tools.compute();
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].tool, 0u);
  EXPECT_EQ(shown[1].tool, 1u);
}

TEST(VirtualTools, WithoutToolsNothingShows) {
  VirtualTools tools;
  EXPECT_TRUE(tools.compute().empty());
  EXPECT_EQ(tools.container_of("a"), nullptr);
}

}  // namespace
}  // namespace toolgate
