#include "tools/enablement.h"

#include <gtest/gtest.h>

#include "catalog_fixture.h"

namespace toolgate {
namespace {

using State = EnablementMap::State;
using Names = std::vector<std::string>;

State state_of(const Catalog& catalog, const EnablementMap& map, std::string_view id) {
  if (const CatalogTool* tool = catalog.find_tool(id))
    return map.tool(static_cast<std::uint32_t>(tool - catalog.tools.data()));
  const CatalogSet* set = catalog.find_set_by_reference_name(id);
  return map.set(static_cast<std::uint32_t>(set - catalog.sets.data()));
}

CatalogFixture two_sets() {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add_set("one", {"a"});
  fixture.add_set("two", {"a"});
  return fixture;
}

TEST(Enablement, EitherNameOfAToolInTwoSetsSwitchesItOn) {
  const auto catalog = two_sets().build();
  for (const auto* name : {"one/a", "two/a", "a"}) {
    const auto map = enablement_from_names(*catalog, Names{name});
    EXPECT_EQ(state_of(*catalog, map, "a"), State::On) << name;
    EXPECT_EQ(state_of(*catalog, map, "one"), State::Off) << name;
  }
}

TEST(Enablement, InClassicModeOnlyTheFirstNameDoes) {
  const auto catalog = two_sets().build();
  const auto first = enablement_from_names(*catalog, Names{"one/a"}, {.classic = true});
  EXPECT_EQ(state_of(*catalog, first, "a"), State::On);
  const auto second = enablement_from_names(*catalog, Names{"two/a"}, {.classic = true});
  EXPECT_EQ(state_of(*catalog, second, "a"), State::Off);
  EXPECT_TRUE(second.unknown.empty());
}

TEST(Enablement, ALaterSetDoesNotSwitchOffWhatANameSwitchedOn) {
  const auto catalog = two_sets().build();
  const auto map = enablement_from_names(*catalog, Names{"one"});
  EXPECT_EQ(state_of(*catalog, map, "a"), State::On);
  EXPECT_EQ(state_of(*catalog, map, "two"), State::Off);
}

TEST(Enablement, UnknownNamesAreNamedOnceInOrder) {
  const auto catalog = two_sets().build();
  const auto map = enablement_from_names(*catalog, Names{"zz", "one", "yy", "zz", "", "One"});
  EXPECT_EQ(map.unknown, (std::vector<std::string>{"zz", "yy", "", "One"}));
}

TEST(Enablement, ANameOfAToolForAnotherModelIsNotUnknown) {
  CatalogFixture fixture;
  ToolData tool = CatalogFixture::tool("a");
  tool.models = {{.vendor = {}, .family = "x", .version = {}, .id = {}}};
  fixture.add(tool);
  const auto catalog = fixture.build();
  const ModelFacts model{.vendor = {}, .family = "y", .version = {}, .id = {}};
  const auto map = enablement_from_names(*catalog, Names{"a"}, {.model = &model});
  EXPECT_EQ(state_of(*catalog, map, "a"), State::Absent);
  EXPECT_TRUE(map.unknown.empty());
}

TEST(Enablement, APersonsSetIsOnWhenAllItsMembersAre) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add("b");
  fixture.add_user_set("f", "mine", {"a", "b"});
  fixture.add_user_set("f", "nested", {"mine"});
  const auto catalog = fixture.build();
  const auto half = enablement_from_names(*catalog, Names{"a"});
  EXPECT_EQ(state_of(*catalog, half, "mine"), State::Off);
  EXPECT_EQ(state_of(*catalog, half, "nested"), State::Off);
  const auto whole = enablement_from_names(*catalog, Names{"a", "b"});
  EXPECT_EQ(state_of(*catalog, whole, "mine"), State::On);
  EXPECT_EQ(state_of(*catalog, whole, "nested"), State::On);
  EXPECT_EQ(to_full_reference_names(*catalog, whole), (std::vector<std::string>{"a", "b"}));
}

TEST(Enablement, NamesMadeOfAMapGiveTheSameMapAgain) {
  CatalogFixture fixture;
  for (const auto* id : {"a", "b", "c", "d"}) fixture.add(id);
  fixture.add_set("inner", {"a", "b"});
  fixture.add_set("outer", {"c", "inner"});
  fixture.add_set("other", {"a", "c"});
  const auto catalog = fixture.build();
  const Names all{"inner", "outer", "other", "a", "b", "c", "d", "other/a", "outer/b"};
  for (unsigned chosen = 0; chosen < 1u << all.size(); ++chosen) {
    Names names;
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((chosen >> i & 1) != 0) names.push_back(all[i]);
    const auto map = enablement_from_names(*catalog, names);
    const auto again = enablement_from_names(*catalog, to_full_reference_names(*catalog, map));
    for (std::uint32_t i = 0; i < catalog->tools.size(); ++i)
      ASSERT_EQ(again.tool(i), map.tool(i)) << fmt::format("{}", fmt::join(names, " "));
    for (std::uint32_t i = 0; i < catalog->sets.size(); ++i)
      ASSERT_EQ(again.set(i), map.set(i)) << fmt::format("{}", fmt::join(names, " "));
  }
}

TEST(Enablement, SetsThatHoldEachOtherAreSwitchedOnTogether) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add_set("first", {"second"});
  fixture.add_set("second", {"first", "a"});
  const auto catalog = fixture.build();
  const auto map = enablement_from_names(*catalog, Names{"first"});
  EXPECT_EQ(state_of(*catalog, map, "a"), State::On);
  EXPECT_EQ(state_of(*catalog, map, "second"), State::Off);
  EXPECT_EQ(map.enabled_count(), 2u);
}

TEST(SelectionNames, ToolsThatCannotBeNamedAgainAreLeftOut) {
  CatalogFixture fixture;
  fixture.add("a");
  ToolData hidden = CatalogFixture::tool("hidden");
  hidden.can_be_referenced_in_prompt = false;
  fixture.add(hidden);
  const auto catalog = fixture.build();
  EnablementMap map(*catalog);
  map.put({false, 0}, true);
  map.put({false, 1}, true);
  EXPECT_EQ(selection_names(*catalog, map), (std::vector<std::string>{"a"}));
}

TEST(SelectionNames, TheSameNameIsGivenOnce) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add("b");
  fixture.add_set("same", {"a"});
  fixture.add_set("same", {"b"}, ToolSource::Kind::Http);
  const auto catalog = fixture.build();
  EnablementMap map(*catalog);
  for (std::uint32_t i = 4; i < catalog->sets.size(); ++i) map.put({true, i}, true);
  EXPECT_EQ(selection_names(*catalog, map), (std::vector<std::string>{"same"}));
}

}  // namespace
}  // namespace toolgate
