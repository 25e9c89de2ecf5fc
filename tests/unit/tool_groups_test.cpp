// Groups of tools: over generated catalogues, what must hold for all of them.
#include "tools/tool_groups.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "tools/tool_group_words.h"

namespace toolgate {
namespace {

struct Generated {
  std::vector<std::string> texts;  // name, source, label, set of each tool
  std::vector<OfferedTool> tools;
};

// `per_source` tools of each of `sources` sources after `builtin` built-in ones.
Generated generate(std::size_t builtin, std::size_t sources, std::size_t per_source,
                   std::uint32_t seed) {
  constexpr std::array<std::string_view, 6> kVerbs{"get",    "list", "create",
                                                   "delete", "find", "run"};
  constexpr std::array<std::string_view, 9> kNouns{"issue",  "pull_request", "file", "user", "page",
                                                   "branch", "commit",       "team", "label"};
  std::mt19937 random(seed);
  Generated made;
  made.texts.reserve(4 * (builtin + sources * per_source));
  const auto keep = [&](std::string text) -> std::string_view {
    return made.texts.emplace_back(std::move(text));
  };
  const auto add = [&](std::string_view source, std::string_view label) {
    const auto number = made.tools.size();
    std::string name = random() % 8 == 0 ? fmt::format("tool{}", number)
                                         : fmt::format("{}_{}_{}", kVerbs[random() % kVerbs.size()],
                                                       kNouns[random() % kNouns.size()], number);
    made.tools.push_back({keep(std::move(name)), "Does it.", source, label, {}});
  };
  for (std::size_t i = 0; i < builtin; ++i) add("builtin", "Built-In");
  for (std::size_t i = 0; i < sources; ++i) {
    const auto source = keep(fmt::format("mcp_Server {}", i));
    const auto label = source.substr(4);
    for (std::size_t j = 0; j < per_source; ++j) add(source, label);
  }
  return made;
}

struct Shape {
  std::size_t builtin;
  std::size_t sources;
  std::size_t per_source;
};

constexpr std::array kShapes{
    Shape{129, 0, 0},  Shape{0, 1, 129},  Shape{5000, 0, 0},  Shape{0, 1, 5000}, Shape{40, 5, 1000},
    Shape{10, 70, 3},  Shape{0, 90, 3},   Shape{200, 300, 5}, Shape{0, 5000, 1}, Shape{0, 500, 10},
    Shape{100, 1, 30}, Shape{20, 4, 200}, Shape{128, 1, 1},   Shape{3, 60, 83},  Shape{90, 90, 1},
};

std::size_t deepest_path(const GroupTree& tree, std::uint32_t group) {
  std::size_t inner = 0;
  for (const GroupEntry& entry : tree.groups()[group].entries)
    if (entry.is_group) inner = std::max(inner, deepest_path(tree, entry.index));
  return tree.groups()[group].entries.size() - 1 + inner;
}

bool is_legal_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxGroupNameLength &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

void expect_sound(const GroupTree& tree, std::size_t tool_count, std::size_t limit) {
  std::vector<int> seen(tool_count, 0);
  std::set<std::string_view> names(tree.tool_names().begin(), tree.tool_names().end());
  for (std::uint32_t index = 0; index < tree.groups().size(); ++index) {
    const ToolGroup& group = tree.groups()[index];
    for (const GroupEntry& entry : group.entries) {
      if (entry.is_group) {
        ASSERT_GT(entry.index, index);
        ASSERT_EQ(tree.groups()[entry.index].parent, index);
      } else {
        ++seen[entry.index];
        ASSERT_EQ(tree.container_of(entry.index), index);
      }
    }
    if (index == 0) continue;
    EXPECT_TRUE(is_legal_name(group.name)) << group.name;
    EXPECT_TRUE(group.name.starts_with(kGroupNamePrefix)) << group.name;
    EXPECT_TRUE(names.insert(group.name).second) << group.name;
    EXPECT_GE(group.entries.size(), 2u) << group.name;
    EXPECT_FALSE(group.description.empty());
    EXPECT_LE(group.description.size(), kMaxGroupDescriptionLength);
    EXPECT_TRUE(is_valid_utf8(group.description));
  }
  EXPECT_TRUE(std::ranges::all_of(seen, [](int count) { return count == 1; }));
  EXPECT_LE(1 + deepest_path(tree, 0), limit - limit / 16);  // the rest is for named tools
}

std::string drawn(const GroupTree& tree) {
  std::string text;
  for (const ToolGroup& group : tree.groups()) {
    text += group.name + " (" + group.description + "):";
    for (const GroupEntry& entry : group.entries) text += " " + std::string(tree.name_of(entry));
    text += '\n';
  }
  return text;
}

TEST(ToolGroups, EveryToolIsInOneGroupAndEveryGroupCanBeOpenedWithinTheLimit) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(fmt::format("{} + {} x {}", shape.builtin, shape.sources, shape.per_source));
    const auto made = generate(shape.builtin, shape.sources, shape.per_source, 1);
    const auto tree = group_tools(made.tools, {});
    EXPECT_GT(tree->groups().size(), 1u);
    expect_sound(*tree, made.tools.size(), 128);
  }
}

TEST(ToolGroups, SmallLimitsHoldToo) {
  for (const std::size_t limit : {16u, 20u, 32u, 50u, 64u, 100u}) {
    for (const Shape& shape : kShapes) {
      SCOPED_TRACE(fmt::format("limit {}: {} + {} x {}", limit, shape.builtin, shape.sources,
                               shape.per_source));
      const auto made = generate(shape.builtin, shape.sources, shape.per_source, 2);
      const auto tree = group_tools(made.tools, {.limit = limit});
      expect_sound(*tree, made.tools.size(), limit);
    }
  }
}

TEST(ToolGroups, RandomCataloguesHoldToo) {
  std::mt19937 random(7);
  for (std::uint32_t round = 0; round < 60; ++round) {
    const auto made = generate(random() % 150, 1 + random() % 120, 1 + random() % 60, round);
    const std::size_t limit = 64 + random() % 100;
    SCOPED_TRACE(fmt::format("round {}", round));
    expect_sound(*group_tools(made.tools, {.limit = limit}), made.tools.size(), limit);
  }
}

TEST(ToolGroups, SameToolsMakeTheSameGroups) {
  const auto made = generate(40, 20, 50, 3);
  EXPECT_EQ(drawn(*group_tools(made.tools, {})), drawn(*group_tools(made.tools, {})));
}

TEST(ToolGroups, OneMoreToolLeavesMostGroupNamesAsTheyWere) {
  const auto made = generate(10, 4, 100, 4);
  auto more = made.tools;
  more.push_back(
      {"list_issue_extra", "", made.tools.back().source, made.tools.back().source_label, {}});
  const auto before = group_tools(made.tools, {});
  const auto after = group_tools(more, {});
  std::size_t kept = 0;
  for (const ToolGroup& group : before->groups())
    if (const auto same = after->find(group.name); same && same->is_group) ++kept;
  EXPECT_GE(kept * 10, (before->groups().size() - 1) * 9);
}

TEST(ToolGroups, UpToTheThresholdNothingIsGrouped) {
  const auto made = generate(0, 2, 50, 5);
  EXPECT_EQ(group_tools(made.tools, {})->groups().size(), 1u);
  EXPECT_EQ(group_tools(made.tools, {.threshold = 100})->groups().size(), 1u);
  EXPECT_GT(group_tools(made.tools, {.threshold = 99})->groups().size(), 1u);
  EXPECT_GT(group_tools(made.tools, {.limit = 60})->groups().size(), 1u);
  EXPECT_EQ(group_tools(made.tools, {.threshold = 0, .limit = 60})->groups().size(), 1u);
}

TEST(ToolGroups, NoToolsMakeAnEmptyRoot) {
  const auto tree = group_tools({}, {});
  ASSERT_EQ(tree->groups().size(), 1u);
  EXPECT_TRUE(tree->groups()[0].entries.empty());
  EXPECT_FALSE(tree->find("anything").has_value());
}

TEST(ToolGroups, WordsThatToolsShareNameTheirGroup) {
  std::vector<OfferedTool> tools;
  std::vector<std::string> names;
  for (const std::string_view noun : {"issues", "pull_requests", "branches", "labels", "teams"})
    for (int i = 0; i < 30; ++i) names.push_back(fmt::format("do{}_{}", i, noun));
  for (const std::string& name : names) tools.push_back({name, "", "mcp_GitHub", "GitHub", {}});
  const auto tree = group_tools(tools, {});
  const auto group = tree->find("activate_github_pull_request");
  ASSERT_TRUE(group && group->is_group);
  EXPECT_EQ(tree->groups()[group->index].entries.size(), 30u);
  EXPECT_TRUE(tree->groups()[group->index].description.starts_with(
      "Opens 30 tools of GitHub (pull request): do0_pull_requests, do1_pull_requests, "))
      << tree->groups()[group->index].description;
}

TEST(ToolGroups, ToolSetsOfASourceComeBeforeWords) {
  std::vector<OfferedTool> tools;
  std::vector<std::string> names;
  for (int i = 0; i < 150; ++i) names.push_back(fmt::format("list_thing_{}", i));
  for (int i = 0; i < 150; ++i)
    tools.push_back({names[static_cast<std::size_t>(i)], "", "ext_pub.name", "Name",
                     i % 5 == 0 ? "Reading" : (i % 5 == 1 ? "Writing" : "Rest")});
  const auto tree = group_tools(tools, {});
  for (const std::string_view name : {"activate_name_reading", "activate_name_writing"}) {
    const auto group = tree->find(name);
    ASSERT_TRUE(group && group->is_group) << name;
    EXPECT_EQ(tree->groups()[group->index].entries.size(), 30u);
  }
  EXPECT_GT(tree->groups().size(), 3u);  // the third set is too large for one group
}

TEST(ToolGroups, AToolThatIsCalledLikeAGroupKeepsItsName) {
  auto made = generate(0, 1, 200, 6);
  const auto first = group_tools(made.tools, {});
  const std::string taken = first->groups()[1].name;
  made.tools.push_back({taken, "", "builtin", "", {}});
  const auto tree = group_tools(made.tools, {});
  expect_sound(*tree, made.tools.size(), 128);
  const auto found = tree->find(taken);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->is_group);
  EXPECT_TRUE(tree->find(taken + "_2").has_value());
}

TEST(ToolGroups, LabelsOfOtherScriptsAndLengthsMakeLegalNames) {
  std::vector<std::string> names;
  for (int i = 0; i < 400; ++i) names.push_back(fmt::format("x{}", i));
  const std::string endless(5000, 'L');
  const std::array<std::string_view, 4> labels{"日本語", "", endless, "…—…"};
  const std::array<std::string_view, 4> keys{"mcp_a", "mcp_b", "mcp_c", "mcp_d"};
  std::vector<OfferedTool> tools;
  for (std::size_t i = 0; i < names.size(); ++i)
    tools.push_back({names[i], "", keys[i % 4], labels[i % 4], {}});
  expect_sound(*group_tools(tools, {}), tools.size(), 128);
}

struct TestNamer final : GroupNamer {
  std::optional<Names> names_for(std::span<const OfferedTool> members) const override {
    if (members.size() < 10) return std::nullopt;
    return Names{"Best: Group!", fmt::format("All {} of them.", members.size())};
  }
};

TEST(ToolGroups, ANamerNamesWhatItWants) {
  const auto made = generate(0, 30, 20, 8);
  const TestNamer namer;
  const auto tree = group_tools(made.tools, {.namer = &namer});
  expect_sound(*tree, made.tools.size(), 128);
  const auto group = tree->find("activate_best_group");
  ASSERT_TRUE(group && group->is_group);
  EXPECT_TRUE(tree->groups()[group->index].description.starts_with("All "));
  EXPECT_TRUE(tree->find("activate_best_group_2").has_value());
}

// Calls every group what another one is called without a namer.
struct ShiftingNamer final : GroupNamer {
  explicit ShiftingNamer(const GroupTree& tree) : plain(tree) {}
  std::optional<Names> names_for(std::span<const OfferedTool>) const override {
    const std::size_t other = ++asked % (plain.groups().size() - 1) + 1;
    return Names{plain.groups()[other].name.substr(kGroupNamePrefix.size()), {}};
  }
  const GroupTree& plain;
  mutable std::size_t asked = 0;
};

TEST(ToolGroups, TheNameWithoutANamerStillFindsItsGroup) {
  for (const Shape& shape : kShapes) {
    const auto made = generate(shape.builtin, shape.sources, shape.per_source, 8);
    const auto plain = group_tools(made.tools, {});
    if (plain->groups().size() < 3) continue;
    const ShiftingNamer namer(*plain);
    const auto tree = group_tools(made.tools, {.namer = &namer});
    expect_sound(*tree, made.tools.size(), 128);
    ASSERT_EQ(tree->groups().size(), plain->groups().size());
    for (std::uint32_t i = 1; i < plain->groups().size(); ++i) {
      const std::string& name = plain->groups()[i].name;
      EXPECT_EQ(tree->find(name), (GroupEntry{true, i})) << name;
      EXPECT_EQ(tree->find(tree->groups()[i].name), (GroupEntry{true, i}));
      EXPECT_EQ(tree->groups()[i].entries, plain->groups()[i].entries);
    }
  }
}

TEST(ToolGroups, BuiltinToolsAreGroupedByCategoryWhenAsked) {
  constexpr std::array<std::string_view, 7> kNames{
      "read_file", "runTests", "mine", "test_search", "fetch_webpage", "test_failure", "list_dir"};
  const auto entries = group_builtin_tools(kNames);
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries[0].category, "Testing");
  EXPECT_EQ(entries[0].tools, (std::vector<std::uint32_t>{1, 3, 5}));
  EXPECT_EQ(entries[1].category, "");  // one tool of its category
  EXPECT_EQ(entries[1].tools, (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(entries[2].tools, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(entries[3].tools, (std::vector<std::uint32_t>{6}));
  EXPECT_EQ(entries[4].tools, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(group_builtin_tools(std::span(kNames).subspan(1, 2)).front().tools.size(), 1u);
}

TEST(NameWords, AreLowerCaseSingularAndWithoutNumbers) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(name_words("listPullRequests2"), (Words{"list", "pull", "request"}));
  EXPECT_EQ(name_words("get_HTTPStatus"), (Words{"get", "http", "status"}));
  EXPECT_EQ(name_words("notion-blocks.categories"), (Words{"notion", "block", "category"}));
  EXPECT_EQ(name_words("123"), Words{});
  EXPECT_EQ(name_words(std::string(10000, 'x')).front().size(), 32u);
}

TEST(SplitByWords, KeepsToItsLimits) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 1 + random() % 300;
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
      texts.push_back(fmt::format("a{}_{}_{}", random() % 3, "bcdefghij"[random() % 9],
                                  std::string(1 + random() % 3, "xyz"[random() % 3])));
    const std::vector<std::string_view> names(texts.begin(), texts.end());
    std::vector<std::uint32_t> members(count);
    for (std::uint32_t i = 0; i < count; ++i) members[i] = i;
    const std::size_t most = 1 + random() % 60;
    const SplitLimits limits{most, (count + most - 1) / most + random() % 20};
    std::vector<int> seen(count, 0);
    const auto parts = split_by_words(names, members, limits);
    EXPECT_LE(parts.size(), limits.max_parts);
    for (const WordCluster& part : parts) {
      EXPECT_LE(part.members.size(), limits.max_size);
      EXPECT_TRUE(std::ranges::is_sorted(part.members));
      for (const std::uint32_t member : part.members) ++seen[member];
    }
    EXPECT_TRUE(std::ranges::all_of(seen, [](int times) { return times == 1; }));
  }
}

}  // namespace
}  // namespace toolgate
