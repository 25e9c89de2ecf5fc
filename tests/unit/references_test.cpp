#include "tools/references.h"

#include <gtest/gtest.h>

#include "hand_made_catalog.h"

namespace toolgate {
namespace {

using Kind = ReferencePart::Kind;
using Indexes = std::vector<std::uint32_t>;

class ReferencesTest : public testing::Test {
 protected:
  ReferencesTest() {
    read_ = made_.add_tool("vscode_read", "readFile");
    fetch_ = made_.add_tool("vscode_fetch", "fetch");
    ToolData named;
    named.id = "plain";
    named.display_name = "My Tool";
    my_tool_ = made_.add_tool(named);
    issue_ = made_.add_tool("mcp_issue", "issue");
    web_ = made_.add_set("web", "web", {fetch_, read_});
    github_ = made_.add_set("mcp.gh", "github", {issue_}, {}, ToolSource::Kind::Mcp);
  }

  std::vector<ReferencePart> parse(std::string_view text, bool additions = true) {
    options_.additions = additions;
    const CatalogReferences names(made_.catalog());
    return parse_references(text, names, options_);
  }

  // What each part is, in a word.
  std::string shape(std::string_view text, bool additions = true) {
    constexpr std::string_view kLetters = "tTSACspd";
    std::string result;
    for (const ReferencePart& part : parse(text, additions)) {
      if (!result.empty()) result += ' ';
      result += kLetters[static_cast<std::size_t>(part.kind)];
      result += '(' + std::string(part.source) + ')';
    }
    return result;
  }

  ReferencedTools referenced(std::string_view text, const ModelFacts* model = nullptr) {
    return referenced_tools(text, made_.catalog(), model);
  }

  HandMadeCatalog made_;
  ReferenceOptions options_;
  std::uint32_t read_, fetch_, my_tool_, issue_, web_, github_;
};

TEST_F(ReferencesTest, AFullNameBehindToolColon) {
  EXPECT_EQ(shape("see #tool:web/fetch."), "t(see ) T(#tool:web/fetch) t(.)");
  EXPECT_EQ(shape("#tool:github/* now"), "S(#tool:github/*) t( now)");
  EXPECT_EQ(shape("#tool:github/*."), "S(#tool:github/*) t(.)");
  EXPECT_EQ(shape("#tool:fetch"), "T(#tool:fetch)");
  EXPECT_EQ(shape("#tool:vscode_read)"), "T(#tool:vscode_read) t())");
  EXPECT_EQ(shape("#tool:nobody"), "t(#tool:nobody)");
  EXPECT_EQ(shape("#tool:web/fetch", false), "t(#tool:web/fetch)");
}

TEST_F(ReferencesTest, AToolInTwoSetsHasTwoFullNames) {
  made_.join(github_, fetch_);
  EXPECT_EQ(shape("#tool:github/fetch"), "T(#tool:github/fetch)");
  EXPECT_EQ(shape("#tool:web/fetch"), "T(#tool:web/fetch)");
}

TEST_F(ReferencesTest, AMemberOfANestedSetHasAFullNameBelowTheOuterOne) {
  made_.add_set("outer", "outer", {}, {web_});
  EXPECT_EQ(shape("#tool:outer/fetch"), "T(#tool:outer/fetch)");
  EXPECT_EQ(referenced("#tool:outer/fetch").tools, Indexes{fetch_});
}

TEST_F(ReferencesTest, AQuotedName) {
  EXPECT_EQ(shape("ask #\"My Tool\"!"), "t(ask ) T(#\"My Tool\") t(!)");
  EXPECT_EQ(shape("#tool:\"My Tool\""), "T(#tool:\"My Tool\")");
  EXPECT_EQ(parse("#\"My Tool\"")[0].name, "My Tool");
  EXPECT_EQ(shape("#\"web\""), "S(#\"web\")");
  EXPECT_EQ(shape("#\"My Tool"), "t(#\"My Tool)");
  EXPECT_EQ(shape("#\"My\nTool\""), "t(#\"My\nTool\")");
  EXPECT_EQ(shape("#\"\""), "t(#\"\")");
  EXPECT_EQ(shape("#\"My Tool\"", false), "t(#\"My Tool\")");
}

TEST_F(ReferencesTest, AnIdWhereNoNameFits) {
  EXPECT_EQ(shape("#vscode_read"), "T(#vscode_read)");
  EXPECT_EQ(shape("#vscode_read", false), "t(#vscode_read)");
  const auto shadow = made_.add_tool("shadow", "vscode_read");
  EXPECT_EQ(parse("#vscode_read")[0].index, shadow);
}

TEST_F(ReferencesTest, ATextThatIsNoReferenceIsOnePart) {
  EXPECT_EQ(shape("# Heading\nC# and #123"), "t(# Heading\nC# and #123)");
  EXPECT_EQ(shape(""), "");
}

TEST_F(ReferencesTest, PlacesAreInUtf16Units) {
  const auto parts = parse("\U0001F600ä\n\U0001F600 #fetch:12!");
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].start, 7u);
  EXPECT_EQ(parts[1].end, 16u);
  EXPECT_EQ(parts[1].from.line, 2u);
  EXPECT_EQ(parts[1].from.column, 4u);
  EXPECT_EQ(parts[1].to.column, 13u);
  EXPECT_EQ(parts[1].text, "#fetch");
  EXPECT_EQ(parts[1].source, "#fetch:12");
  EXPECT_EQ(prompt_of(parts), "\U0001F600ä\n\U0001F600 #fetch!");
}

TEST_F(ReferencesTest, WhatIsNotUtf8CountsAsOneUnitPerSequence) {
  const auto parts = parse("\xF0\x9F\x98 \xFF\xC3 #fetch");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].start, 5u);
}

TEST_F(ReferencesTest, AgentsAndCommandsStandInFront) {
  options_.agents = {{"agent", {"sub"}}};
  options_.slash_commands = {"fix"};
  options_.prompts = {"plan", "plugin:task", "größe"};
  EXPECT_EQ(shape(" @agent  /sub do"), "t( ) A(@agent) t(  ) C(/sub) t( do)");
  EXPECT_EQ(shape("@agent.x /sub"), "t(@agent.x /sub)");
  EXPECT_EQ(shape("@agent, /sub"), "A(@agent) t(, /sub)");
  EXPECT_EQ(shape("@agent @agent"), "A(@agent) t( @agent)");
  EXPECT_EQ(shape("#fetch @agent /fix"), "T(#fetch) t( @agent /fix)");
  EXPECT_EQ(shape("/fix /fix"), "s(/fix) t( /fix)");
  EXPECT_EQ(shape("/fix, then"), "s(/fix) t(, then)");
  EXPECT_EQ(shape("/plugin \ttask!"), "p(/plugin \ttask) t(!)");
  EXPECT_EQ(parse("/plugin task")[0].name, "plugin:task");
  EXPECT_EQ(shape("/plugin:task"), "p(/plugin:task)");
  EXPECT_EQ(shape("/größe x"), "p(/größe) t( x)");
  EXPECT_EQ(shape("/fixé,"), "s(/fix) t(é,)");
  EXPECT_EQ(shape("/plané"), "t(/plané)");
}

TEST_F(ReferencesTest, ADynamicReferenceCoversItsColumns) {
  options_.dynamic = {{"file", 1, 3, 9}, {"empty", 2, 1, 1}, {"wide", 3, 1, 2}};
  EXPECT_EQ(shape("a #fetch"), "t(a ) T(#fetch)");
  EXPECT_EQ(shape("a b #fetch"), "t(a ) d(b #fet) t(ch)");
  EXPECT_EQ(shape("a b"), "t(a ) d(b)");
  EXPECT_EQ(shape("x\ny"), "t(x\n) d() t(y)");
  EXPECT_EQ(shape("x\n#fetch\n\U0001F600\xC3"), "t(x\n) T(#fetch) t(\n) d(\U0001F600) t(\xC3)");
}

TEST_F(ReferencesTest, AToolHidesASetOfItsNameAndTheLastToolCounts) {
  const auto first = made_.add_tool("web1", "web");
  const auto last = made_.add_tool("web2", "web");
  EXPECT_EQ(parse("#web")[0].index, last);
  made_.tool(last).when_holds = false;
  EXPECT_EQ(parse("#web")[0].index, first);
  made_.tool(first).permitted = false;
  EXPECT_EQ(parse("#web")[0].kind, Kind::ToolSet);
  made_.set(web_).permitted = false;
  EXPECT_EQ(parse("#web")[0].kind, Kind::Text);
}

TEST_F(ReferencesTest, WhatItsAuthorHidesIsNotReferenced) {
  ToolData data;
  data.id = "inner";
  data.can_be_referenced_in_prompt = false;
  const auto inner = made_.add_tool(data);
  EXPECT_EQ(shape("#inner"), "t(#inner)");
  made_.join(web_, inner);
  EXPECT_EQ(shape("#inner"), "T(#inner)");
}

TEST_F(ReferencesTest, ReferencedToolsAreEachThereOnce) {
  const auto found = referenced(
      "use #fetch and #web, #fetch\u3000#\"My Tool\" #tool:github/issue #tool:github/* "
      "#tool:wbe/x, "
      "#tool:\"No One\" #nobody x#fetch");
  EXPECT_EQ(found.tools, (Indexes{fetch_, my_tool_, issue_}));
  EXPECT_EQ(found.sets, (Indexes{web_, github_}));
  EXPECT_EQ(found.unknown, (std::vector<std::string>{"wbe/x", "No One"}));
}

TEST_F(ReferencesTest, ReferencedToolsAreForTheModel) {
  ToolData data;
  data.id = "gpt_patch";
  data.reference_name = "fetch";
  data.models = {{.vendor = {}, .family = "gpt", .version = {}, .id = {}}};
  const auto patch = made_.add_tool(data);
  const ModelFacts gpt{.vendor = {}, .family = "gpt", .version = {}, .id = {}};
  const ModelFacts claude{.vendor = {}, .family = "claude", .version = {}, .id = {}};
  EXPECT_EQ(referenced("#fetch", &gpt).tools, Indexes{patch});
  EXPECT_EQ(referenced("#fetch", &claude).tools, Indexes{fetch_});
}

TEST_F(ReferencesTest, ATextWithoutReferencesNamesNothing) {
  EXPECT_TRUE(referenced("C# is a language; see issue#12").tools.empty());
  EXPECT_TRUE(referenced("").sets.empty());
  EXPECT_TRUE(referenced("# Heading").unknown.empty());
}

TEST_F(ReferencesTest, HostileTextsAreBounded) {
  std::string many;
  for (int i = 0; i < 50'000; ++i) many += "#fetch ";
  EXPECT_EQ(parse(many).size(), 2 * kMostReferences);
  EXPECT_EQ(referenced(many).tools, Indexes{fetch_});
  options_.slash_commands = {"x"};
  std::string slashes(1'000'000, ' ');
  for (int i = 0; i < 300'000; ++i) slashes += "/x. ";
  EXPECT_EQ(parse(slashes).size(), 1u);
  std::string dots;
  for (int i = 0; i < 4'000; ++i) dots += "#tool:" + std::string(250, '.') + " ";
  EXPECT_EQ(referenced(dots).tools.size(), 0u);
  EXPECT_EQ(parse("#" + std::string(1'000'000, '-') + "!").size(), 1u);
  EXPECT_EQ(parse("/" + std::string(1'000'000, 'a')).size(), 1u);
}

}  // namespace
}  // namespace toolgate
