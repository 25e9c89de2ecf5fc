#include "tools/names.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "catalog_fixture.h"

namespace toolgate {
namespace {

std::vector<std::string> names(const Catalog& catalog) {
  std::vector<std::string> result;
  for (const NamedItem& item : full_reference_names(catalog)) result.push_back(item.name);
  return result;
}

bool has(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

std::vector<std::string> messages(const std::vector<CatalogProblem>& problems) {
  std::vector<std::string> result;
  for (const CatalogProblem& problem : problems) result.push_back(problem.message);
  return result;
}

TEST(Names, SetsThatHoldEachOtherHaveEachMemberOnce) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add("b");
  fixture.add_set("first", {"a", "second"});
  fixture.add_set("second", {"b", "third"});
  fixture.add_set("third", {"first", "third", "a"});
  const auto catalog = fixture.build();
  for (const std::string_view name : {"first", "second", "third"}) {
    const CatalogSet* set = catalog->find_set_by_reference_name(name);
    ASSERT_NE(set, nullptr);
    auto found = ids(*catalog, catalog->members_of(*set));
    std::ranges::sort(found);
    EXPECT_EQ(found, (std::vector<std::string>{"a", "b"})) << name;
  }
  EXPECT_EQ(
      names(*catalog),
      (std::vector<std::string>{"vscode", "execute", "read", "agent", "first", "first/a", "first/b",
                                "second", "second/b", "second/a", "third", "third/a", "third/b"}));
}

TEST(Names, AMemberOfANestedSetTwiceIsListedOnce) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add_set("inner", {"a"});
  fixture.add_set("outer", {"a", "inner"});
  const auto all = names(*fixture.build());
  EXPECT_EQ(std::ranges::count(all, "outer/a"), 1);
}

TEST(Names, OfAToolInSeveralSetsTheFirstListedIsItsOwn) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add_user_set("mine.toolsets.jsonc", "mine", {"a"});
  fixture.add_set("one", {"a"});
  fixture.add_set("two", {"a"});
  EXPECT_EQ(fixture.build()->find_tool("a")->full_reference_name, "one/a");
}

TEST(Names, AToolOfAPersonsSetAloneKeepsItsName) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add_user_set("mine.toolsets.jsonc", "mine", {"a"});
  const auto catalog = fixture.build();
  EXPECT_EQ(catalog->find_tool("a")->full_reference_name, "a");
  EXPECT_EQ(catalog->find_set_by_reference_name("mine")->full_reference_name, "");
}

TEST(Names, AToolThatIsOffStillHasItsFullName) {
  CatalogFixture fixture;
  ToolData tool = CatalogFixture::tool("a");
  tool.when = "never.set";
  fixture.add(tool);
  fixture.add_set("server", {"a"}, ToolSource::Kind::Mcp);
  const auto catalog = fixture.build();
  EXPECT_EQ(catalog->find_tool("a")->full_reference_name, "server/a");
  EXPECT_FALSE(has(names(*catalog), "server/a"));
}

TEST(Names, PrivateToolsAreInNoListButKeepTheirPlaceInSets) {
  CatalogFixture fixture;
  ToolData tool = CatalogFixture::tool("secret");
  tool.is_private = true;
  fixture.add(tool);
  EXPECT_FALSE(has(names(*fixture.build()), "secret"));
  fixture.add_set("set", {"secret"});
  EXPECT_TRUE(has(names(*fixture.build()), "set/secret"));
}

TEST(Names, AnExtensionsIdIsInLowerCaseButTheToolsNameIsNot) {
  CatalogFixture fixture;
  ToolData tool = CatalogFixture::tool("DoIt");
  tool.source = {.kind = ToolSource::Kind::Extension,
                 .id = "Pub.Name",
                 .server = {},
                 .label = {},
                 .instructions = {}};
  fixture.add(tool);
  EXPECT_EQ(fixture.build()->find_tool("DoIt")->full_reference_name, "pub.name/DoIt");
}

TEST(Names, OneOldNameOfTwoToolsLeadsToBoth) {
  CatalogFixture fixture;
  for (const auto* id : {"a", "b"}) {
    ToolData tool = CatalogFixture::tool(id);
    tool.legacy_full_names = {"gone/x", "gone/x"};
    fixture.add(tool);
  }
  const auto old = deprecated_names(*fixture.build());
  for (const std::string_view name : {"gone/x", "x", "gone"}) {
    const auto found = std::ranges::find(old, name, &DeprecatedName::name);
    ASSERT_NE(found, old.end()) << name;
    EXPECT_EQ(found->current, (std::vector<std::string>{"a", "b"}));
  }
}

TEST(Names, NothingAnswersToTheEmptyName) {
  CatalogFixture fixture;
  ToolData tool = CatalogFixture::tool("a");
  tool.legacy_full_names = {"old/", ""};
  fixture.add(tool);
  const auto catalog = fixture.build();
  EXPECT_FALSE(find_by_full_name_or_alias(*catalog, ""));
  EXPECT_FALSE(NameIndex(*catalog).find(""));
}

TEST(NameIndex, FindsWhatASearchFinds) {
  CatalogFixture fixture;
  ToolData tool = CatalogFixture::tool("new");
  tool.legacy_full_names = {"old/name", "agent"};
  fixture.add(tool);
  fixture.add("runSubagent");
  fixture.add_set("agent", {"runSubagent"});
  fixture.add_set("github/github-mcp-server", {"new"}, ToolSource::Kind::Mcp);
  fixture.add_user_set("f", "mine", {"new"});
  const auto catalog = fixture.build();
  const NameIndex index(*catalog);
  for (const std::string_view name :
       {"new", "name", "old/name", "agent", "runSubagent", "agent/runSubagent", "github",
        "github/*", "github/new", "github-mcp-server/new", "io.github.github/github-mcp-server/*",
        "mine", "shell", "nothing", "github/nothing", "*", "/"}) {
    const auto found = find_by_full_name_or_alias(*catalog, name);
    const auto expected = found ? std::optional(found->item()) : std::nullopt;
    EXPECT_EQ(index.find(name), expected) << name;
  }
}

TEST(NameIndex, GoesOnToReferenceNamesToolsFirst) {
  CatalogFixture fixture;
  ToolData hidden = CatalogFixture::tool("hidden");
  hidden.can_be_referenced_in_prompt = false;
  fixture.add(hidden);
  fixture.add("a");
  fixture.add_user_set("f", "hidden", {"a"});
  fixture.add_user_set("f", "mine", {"a"});
  const auto catalog = fixture.build();
  const NameIndex index(*catalog);
  EXPECT_FALSE(index.find("hidden"));
  EXPECT_EQ(id(*catalog, index.find_any("hidden")), "hidden");
  EXPECT_EQ(id(*catalog, index.find_any("mine")), "user/f/mine");
  EXPECT_EQ(id(*catalog, index.find_any("nothing")), std::nullopt);
}

TEST(NameIndex, MembersOfPeoplesSetsAreFoundAmongThousandsOfTools) {
  CatalogFixture fixture;
  std::vector<std::string> all;
  for (int i = 0; i < 5000; ++i) {
    fixture.add(fmt::format("tool_{}", i));
    if (i % 10 == 0) all.push_back(fmt::format("server/tool_{}", i));
  }
  std::vector<std::string> members;
  for (int i = 0; i < 5000; ++i) members.push_back(fmt::format("tool_{}", i));
  fixture.add_set("server", members, ToolSource::Kind::Mcp);
  fixture.add_user_set("f", "mine", all);
  const auto catalog = fixture.build();
  const CatalogSet* mine = catalog->find_set_by_reference_name("mine");
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(mine->tools.size(), 500u);
  EXPECT_TRUE(mine->missing.empty());
}

TEST(UserSets, ANameThatIsTakenIsReported) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add("b");
  fixture.add_set("server", {"b"}, ToolSource::Kind::Mcp);
  fixture.add_user_set("w", "read", {"a"});
  fixture.add_user_set("w", "shell", {"a"});
  fixture.add_user_set("w", "server", {"a"});
  fixture.add_user_set("w", "b", {"a"});
  fixture.add_user_set("w", "web", {"a"});
  fixture.add_user_set("w", "fine", {"a"});
  const auto catalog = fixture.build();
  EXPECT_EQ(
      messages(clashes_of_user_sets(*catalog)),
      (std::vector<std::string>{
          "the tool set 'read' of w has a name that belongs to the tool set 'read'",
          "the tool set 'shell' of w has a name that belongs to the tool set 'execute'",
          "the tool set 'server' of w has a name that belongs to the tool set 'server'",
          "the tool set 'b' of w has a name that belongs to the tool 'b'",
          "the tool set 'web' of w has a name that belongs to a built-in tool set that is not "
          "here now"}));
  // The name still means what it meant.
  EXPECT_EQ(catalog->find_set_by_reference_name("read")->data->id, "read");
  EXPECT_EQ(id(*catalog, NameIndex(*catalog).find("read")), "read");
}

TEST(UserSets, TheSameNameInTwoFilesIsReportedOnceWithTheFirstFile) {
  CatalogFixture fixture;
  fixture.add("a");
  fixture.add_user_set("one.toolsets.jsonc", "mine", {"a"});
  fixture.add_user_set("two.toolsets.jsonc", "mine", {"a"});
  const auto catalog = fixture.build();
  EXPECT_EQ(messages(clashes_of_user_sets(*catalog)),
            (std::vector<std::string>{"the tool set 'mine' of two.toolsets.jsonc has a name that "
                                      "belongs to the tool set of one.toolsets.jsonc"}));
  EXPECT_EQ(catalog->find_set_by_reference_name("mine")->data->source.id, "one.toolsets.jsonc");
}

TEST(UserSets, WithoutAnyNothingIsReported) {
  CatalogFixture fixture;
  fixture.add("read");
  EXPECT_TRUE(clashes_of_user_sets(*fixture.build()).empty());
}

}  // namespace
}  // namespace toolgate
