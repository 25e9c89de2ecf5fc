#include "toolgate/selection.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "hand_made_catalog.h"

namespace toolgate {
namespace {

using Names = std::vector<std::string>;

class SelectionTest : public testing::Test {
 protected:
  SelectionTest() {
    edit_file_ = made_.add_tool("vscode_editFile", "editFile");
    delete_file_ = made_.add_tool("vscode_del", "deleteFile");
    fetch_ = made_.add_tool("vscode_fetch", "fetch");
    create_issue_ = made_.add_tool("mcp_gh_create", "create_issue");
    list_issues_ = made_.add_tool("mcp_gh_list", "list_issues");
    alone_ = made_.add_tool("alone");
    edit_ = made_.add_set("toolset:E/edit", "edit", {edit_file_, delete_file_});
    web_ = made_.add_set("web", "web", {fetch_});
    github_ =
        made_.add_set("mcp.gh", "github", {create_issue_, list_issues_}, {}, ToolSource::Kind::Mcp);
  }

  Result<Selection> select(const ToolFilter& filter, const ModelFacts* model = nullptr) {
    return select_tools(made_.catalog(), model, filter);
  }

  // The ids of the tools that are on, or the error's words.
  Names on(std::optional<Names> include, std::optional<Names> exclude = std::nullopt) {
    const auto selection = select({.include = std::move(include), .exclude = std::move(exclude)});
    if (!selection) return {selection.error().message};
    Names ids;
    for (const std::uint32_t tool : selection->tools) ids.push_back(made_.tool(tool).data().id);
    return ids;
  }

  Names warnings(Names include) {
    include.push_back("alone");
    const auto selection = select({.include = std::move(include), .exclude = {}});
    return selection ? selection->warnings : Names{selection.error().message};
  }

  HandMadeCatalog made_;
  std::uint32_t edit_file_, delete_file_, fetch_, create_issue_, list_issues_, alone_;
  std::uint32_t edit_, web_, github_;
};

TEST_F(SelectionTest, WithoutListsEverythingIsOn) {
  const auto selection = select({});
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->tools.size(), 6u);
  EXPECT_EQ(selection->sets, (std::vector<std::uint32_t>{edit_, web_, github_}));
}

TEST_F(SelectionTest, WithoutListsAnEmptyCatalogueIsNoError) {
  const Catalog empty;
  EXPECT_TRUE(select_tools(empty, nullptr, {}));
  EXPECT_TRUE(select_tools(empty, nullptr, {.include = {}, .exclude = Names{}}));
  EXPECT_FALSE(select_tools(empty, nullptr, {.include = Names{}, .exclude = {}}));
}

TEST_F(SelectionTest, ExplicitToolBeatsExcludedToolset) {
  EXPECT_EQ(on(Names{"editFile"}, Names{"edit"}), Names{"vscode_editFile"});
  EXPECT_EQ(on(Names{"edit", "deleteFile"}, Names{"edit"}), Names{"vscode_del"});
}

TEST_F(SelectionTest, ExplicitExclusionBeatsEverything) {
  EXPECT_EQ(on(Names{"edit", "editFile"}, Names{"vscode_editFile"}), Names{"vscode_del"});
}

TEST_F(SelectionTest, AFullNameNamesItsTool) {
  EXPECT_EQ(on(Names{"edit/editFile"}), Names{"vscode_editFile"});
  EXPECT_EQ(on(Names{"edit/editFile"}, Names{"edit"}), Names{"vscode_editFile"});
  EXPECT_EQ(on(Names{"edit"}, Names{"edit/editFile"}), Names{"vscode_del"});
}

TEST_F(SelectionTest, AToolInTwoSetsHasTwoFullNames) {
  made_.join(web_, edit_file_);
  EXPECT_EQ(on(Names{"web/editFile"}), Names{"vscode_editFile"});
  EXPECT_EQ(on(Names{"web/*"}), (Names{"vscode_editFile", "vscode_fetch"}));
}

TEST_F(SelectionTest, AMemberOfANestedSetHasAFullNameBelowTheOuterOne) {
  made_.add_set("outer", "outer", {}, {web_});
  EXPECT_EQ(on(Names{"outer/fetch"}), Names{"vscode_fetch"});
  EXPECT_EQ(on(Names{"out*/*"}), Names{"vscode_fetch"});
}

TEST_F(SelectionTest, TheFullNameOfAServersSetIsThatSet) {
  EXPECT_EQ(on(Names{"github/*"}), (Names{"mcp_gh_create", "mcp_gh_list"}));
  // A member that calls itself otherwise belongs to the set, though the pattern would miss it.
  made_.tool(list_issues_).full_reference_name = "elsewhere";
  EXPECT_EQ(on(Names{"github/*"}), (Names{"mcp_gh_create", "mcp_gh_list"}));
}

TEST_F(SelectionTest, APatternLooksAtToolsAndCountsAsAGroup) {
  EXPECT_EQ(on(Names{"edit*"}), Names{"vscode_editFile"});
  EXPECT_EQ(on(Names{"edit/*"}), (Names{"vscode_editFile", "vscode_del"}));
  EXPECT_EQ(on(Names{"vscode_*"}, Names{"edit"}), Names{"vscode_fetch"});
  EXPECT_EQ(on(Names{"editFile"}, Names{"*"}), Names{"vscode_editFile"});
  EXPECT_EQ(on(std::nullopt, Names{"vscode_*", "mcp_*"}), Names{"alone"});
  EXPECT_EQ(on(Names{"*"}, Names{"editFile", "web", "mcp*"}), (Names{"vscode_del", "alone"}));
}

TEST_F(SelectionTest, APlainIdentifierIsNeverAPattern) {
  const auto odd = made_.add_tool("odd", "edit*");
  EXPECT_EQ(on(Names{"edit*"}), Names{"odd"});
  made_.tool(odd).when_holds = false;
  EXPECT_EQ(on(Names{"edit*"}), Names{"vscode_editFile"});
}

TEST_F(SelectionTest, DisplayNamesAreNotLookedAt) {
  EXPECT_EQ(on(Names{"The alone", "fetch"}), Names{"vscode_fetch"});
  EXPECT_EQ(on(Names{"The*", "fetch"}), Names{"vscode_fetch"});
}

TEST_F(SelectionTest, WhatIsDisabledIsNeverChosen) {
  made_.tool(edit_file_).allowed = false;
  made_.tool(edit_file_).rule = "toolgate.tools.deny: \"edit*\"";
  EXPECT_EQ(on(Names{"edit", "editFile", "edit/editFile", "vscode_*"}, Names{"web"}),
            Names{"vscode_del"});
  EXPECT_EQ(warnings({"editFile"}),
            Names{"\"editFile\" is a tool that is off: denied (toolgate.tools.deny: \"edit*\")"});
}

TEST_F(SelectionTest, ADisabledMemberDoesNotKeepItsSetOff) {
  made_.tool(delete_file_).when_holds = false;
  const auto selection = select({.include = Names{"editFile"}, .exclude = {}});
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->sets, std::vector<std::uint32_t>{edit_});
}

TEST_F(SelectionTest, PrivateToolsAreChosenFromOnlyInSets) {
  ToolData data;
  data.id = "secret";
  data.is_private = true;
  const auto secret = made_.add_tool(data);
  EXPECT_EQ(on(Names{"secret", "fetch"}), Names{"vscode_fetch"});
  made_.join(web_, secret);
  EXPECT_EQ(on(Names{"web"}), (Names{"vscode_fetch", "secret"}));
  made_.set(web_).permitted = false;
  EXPECT_EQ(on(Names{"secret", "fetch"}), Names{"vscode_fetch"});
}

TEST_F(SelectionTest, ToolsForOtherModelsAreNotThere) {
  ToolData data;
  data.id = "patch";
  data.models = {{.vendor = {}, .family = "gpt", .version = {}, .id = {}}};
  const auto patch = made_.add_tool(data);
  const ModelFacts gpt{.vendor = {}, .family = "gpt", .version = {}, .id = {}};
  const ModelFacts claude{.vendor = {}, .family = "claude", .version = {}, .id = {}};
  const ToolFilter filter{.include = Names{"patch", "alone"}, .exclude = {}};
  EXPECT_EQ(select(filter, &gpt)->tools, (std::vector<std::uint32_t>{alone_, patch}));
  EXPECT_EQ(select(filter, &claude)->tools, std::vector<std::uint32_t>{alone_});
  EXPECT_EQ(select(filter, &claude)->warnings,
            Names{"\"patch\" is a tool, but not for this model"});
}

TEST_F(SelectionTest, NestedSetsMayBeACycle) {
  const auto outer = made_.add_set("outer", "outer", {alone_}, {web_});
  made_.set(web_).sets.push_back(outer);
  made_.set(web_).sets.push_back(web_);
  EXPECT_EQ(on(Names{"web"}), (Names{"vscode_fetch", "alone"}));
  EXPECT_EQ(on(std::nullopt, Names{"outer", "edit"}), (Names{"mcp_gh_create", "mcp_gh_list"}));
  EXPECT_EQ(select({.include = Names{"fetch"}, .exclude = {}})->sets.size(), 0u);
  EXPECT_EQ(select({.include = Names{"fetch", "alone"}, .exclude = {}})->sets,
            (std::vector<std::uint32_t>{web_, outer}));
}

TEST_F(SelectionTest, AChainOfSetsIsFollowedToItsEnd) {
  std::uint32_t inner = web_;
  for (int i = 0; i < 20'000; ++i)
    inner = made_.add_set("chain" + std::to_string(i), "link" + std::to_string(i), {}, {inner});
  const auto selection = select({.include = Names{"link19999"}, .exclude = {}});
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->tools, std::vector<std::uint32_t>{fetch_});
  EXPECT_EQ(selection->sets.size(), 20'001u);
}

TEST_F(SelectionTest, UnknownIdentifiersAreNamedWithTheNearest) {
  EXPECT_EQ(warnings({"edtiFile", "Web", "nothing-like-it", "gihub/*", "edit/editFil"}),
            (Names{"\"edtiFile\" is no tool or tool set; did you mean \"editFile\"?",
                   "\"Web\" is no tool or tool set; did you mean \"web\"?",
                   "\"nothing-like-it\" is no tool or tool set", "\"gihub/*\" matches no tool",
                   "\"edit/editFil\" is no tool or tool set; did you mean \"edit/editFile\"?"}));
}

TEST_F(SelectionTest, IdAndReferenceNameTogetherAreBothKnown) {
  ToolFilter filter{.include = Names{"vscode_fetch", "fetch"}, .exclude = {}};
  EXPECT_TRUE(select(filter)->unknown.empty());
  filter.upstream_quirks = true;
  ASSERT_EQ(select(filter)->unknown.size(), 1u);
  EXPECT_EQ(select(filter)->unknown[0].identifier, "fetch");
}

TEST_F(SelectionTest, UpstreamReadsTheNameInAListThatLacksTheId) {
  const ToolFilter filter{.include = Names{"vscode_fetch", "fetch", "alone"},
                          .exclude = Names{"fetch"},
                          .upstream_quirks = true};
  EXPECT_TRUE(select(filter)->unknown.empty());
}

TEST_F(SelectionTest, AFilterThatLeavesNothingSaysWhatItWas) {
  const auto selection = select({.include = Names{"fetsh", "web"}, .exclude = Names{"fetch"}});
  ASSERT_FALSE(selection);
  EXPECT_EQ(selection.error().code, Errc::InvalidRequest);
  EXPECT_EQ(selection.error().where, "include_tools");
  EXPECT_EQ(selection.error().message,
            "the filter leaves no tool: include [\"fetsh\", \"web\"], exclude [\"fetch\"]; "
            "\"fetsh\" is no tool or tool set; did you mean \"fetch\"?");
  EXPECT_EQ(select({.include = {}, .exclude = Names{"*"}}).error().where, "exclude_tools");
}

TEST_F(SelectionTest, AHostileListIsBounded) {
  Names include;
  for (int i = 0; i < 10'000; ++i) include.push_back("edit_file_" + std::to_string(i));
  include.push_back(std::string(1'000'000, 'x') + "\xff");
  include.push_back("fetch");
  const auto selection = select({.include = include, .exclude = include});
  ASSERT_FALSE(selection);
  EXPECT_LT(selection.error().message.size(), 2'000u);
  const auto kept = select({.include = include, .exclude = {}});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->unknown.size(), 10'001u);
  ASSERT_EQ(kept->warnings.size(), Selection::kMostWarnings);
  EXPECT_EQ(kept->warnings.back(), "9982 more identifiers are no tool or tool set");
}

TEST_F(SelectionTest, TooManyPatternsAreRefused) {
  Names include;
  for (std::size_t i = 0; i <= ToolFilter::kMostPatterns; ++i)
    include.push_back("*" + std::to_string(i));
  const auto selection = select({.include = include, .exclude = {}});
  ASSERT_FALSE(selection);
  EXPECT_EQ(selection.error().message, "a filter has at most 100 patterns; this one has 101");
}

TEST_F(SelectionTest, NamesMayBeOfAnyScript) {
  made_.add_tool("datei", "Übersetzer");
  EXPECT_EQ(on(Names{"Übersetzer"}), Names{"datei"});
  EXPECT_EQ(on(Names{"?bersetzer"}), Names{"datei"});
  EXPECT_EQ(warnings({"Übersezer"}),
            Names{"\"Übersezer\" is no tool or tool set; did you mean \"Übersetzer\"?"});
}

}  // namespace
}  // namespace toolgate
