#include "tools/picker.h"

#include <gtest/gtest.h>

#include "catalog_fixture.h"

namespace toolgate {
namespace {

using State = EnablementMap::State;

TEST(Picker, TheOlderListsOfWhatIsDisabledAreRead) {
  const auto state = read_picker_state(R"({"disabledToolSets":["s"],"disabledTools":["a","b"]})");
  EXPECT_EQ(state.fault, "");
  EXPECT_EQ(state.sets, (PickerState::Entries{{"s", false}}));
  EXPECT_EQ(state.tools, (PickerState::Entries{{"a", false}, {"b", false}}));
}

TEST(Picker, EitherOfTheOlderListsMayBeMissing) {
  EXPECT_EQ(read_picker_state(R"({"disabledTools":["a"]})").tools,
            (PickerState::Entries{{"a", false}}));
  EXPECT_EQ(read_picker_state("{}").fault, "");
}

TEST(Picker, BadDataGivesAnEmptyStateThatSaysWhy) {
  for (const std::string_view bad :
       {"", "nonsense", "[]", "null", "7", R"({"version":3})", R"({"version":"2"})",
        R"({"version":null})", R"({"version":2})", R"({"version":2,"toolSetEntries":[]})",
        R"({"version":2,"toolSetEntries":{},"toolEntries":[]})",
        R"({"version":2,"toolSetEntries":[["s",false]],"toolEntries":["a"]})",
        R"({"version":2,"toolSetEntries":[["s",false]],"toolEntries":[null]})",
        R"({"version":1,"disabledTools":["a"]})", R"({"disabledTools":"a"})",
        R"({"disabledTools":["a"],"disabledToolSets":null})"}) {
    const auto state = read_picker_state(bad);
    EXPECT_TRUE(state.sets.empty()) << bad;
    EXPECT_TRUE(state.tools.empty()) << bad;
    EXPECT_FALSE(state.fault.empty()) << bad;
  }
}

TEST(Picker, OfTheSameIdTheLastEntryCounts) {
  const auto state = read_picker_state(
      R"({"version":2,"toolSetEntries":[],
          "toolEntries":[["a",false],["b",true],["a",true],["c",false],["c",1],["d"],[],[7,true]]})");
  EXPECT_EQ(state.fault, "");
  EXPECT_EQ(state.tools, (PickerState::Entries{{"a", true}, {"b", true}}));
}

TEST(Picker, WhatIsWrittenReadsBackTheSame) {
  PickerState state;
  state.sets = {{"s", true}, {"user/f \"x\"/ü", false}};
  state.tools = {{"a", false}};
  const std::string text = write_picker_state(state);
  EXPECT_EQ(text, R"({"version":2,"toolSetEntries":[["s",true],["user/f \"x\"/ü",false]],)"
                  R"("toolEntries":[["a",false]]})");
  const auto again = read_picker_state(text);
  EXPECT_EQ(again.sets, state.sets);
  EXPECT_EQ(again.tools, state.tools);
}

TEST(Picker, ToolsOfAnotherModelAreNotShown) {
  CatalogFixture fixture;
  ToolData tool = CatalogFixture::tool("a");
  tool.models = {{.vendor = {}, .family = "x", .version = {}, .id = {}}};
  fixture.add(tool);
  fixture.add("b");
  fixture.add_set("s", {"a"});
  const auto catalog = fixture.build();
  const ModelFacts model{.vendor = {}, .family = "y", .version = {}, .id = {}};
  const auto map = apply_picker_state(*catalog, {}, &model);
  EXPECT_EQ(map.tool(0), State::Absent);
  EXPECT_EQ(map.tool(1), State::On);
}

TEST(Picker, WithAgentModeOffOnlyWhatIsPermittedIsShown) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add("b");
  fixture.add_set("read", {"a"});
  fixture.add_user_set("f", "mine", {"b"});
  fixture.parts.settings.agent_enabled = false;
  const auto catalog = fixture.build();
  const auto map = apply_picker_state(*catalog, {});
  EXPECT_EQ(map.tool(0), State::On);
  EXPECT_EQ(map.tool(1), State::Absent);
  EXPECT_EQ(map.items().size(), 2u);
}

TEST(Picker, AChoiceThatIsStoredMeansTheSameLater) {
  CatalogFixture fixture;
  for (const auto* id : {"a", "b", "c"}) fixture.add(id);
  fixture.add_set("s", {"a", "b"});
  const auto catalog = fixture.build();
  EnablementMap map(*catalog);
  for (std::uint32_t i = 0; i < 5; ++i) map.put({true, i}, i != 4);
  map.put({false, 0}, true);
  map.put({false, 1}, false);
  map.put({false, 2}, false);
  const auto stored = write_picker_state(picker_state_of(*catalog, map));
  const auto again = apply_picker_state(*catalog, read_picker_state(stored));
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(again.tool(i), map.tool(i)) << i;
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(again.set(i), map.set(i)) << i;
}

}  // namespace
}  // namespace toolgate
