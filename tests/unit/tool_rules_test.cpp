#include "tools/tool_rules.h"

#include <gtest/gtest.h>

#include "hand_made_catalog.h"

namespace toolgate {
namespace {

ToolData tool(std::string_view id, std::string_view reference_name, ToolSource source = {}) {
  ToolData data;
  data.id = id;
  data.reference_name = reference_name;
  data.display_name = "A tool";
  data.source = std::move(source);
  return data;
}

ToolSource extension(std::string_view id) {
  ToolSource source;
  source.kind = ToolSource::Kind::Extension;
  source.id = id;
  return source;
}

ToolSource server(std::string_view collection, std::string_view definition) {
  ToolSource source;
  source.kind = ToolSource::Kind::Mcp;
  source.id = collection;
  source.server = definition;
  return source;
}

struct Lists {
  std::vector<std::string> allow;
  std::vector<std::string> deny;
};

RuleDecision decide(const Lists& lists, const ToolData& data, std::string_view full_name = {},
                    std::vector<std::string_view> sets = {}) {
  return ToolRules(lists.allow, lists.deny).decide(data, full_name, sets, sets);
}

bool denied(std::string_view rule, const ToolData& data, std::string_view full_name = {},
            std::vector<std::string_view> sets = {}) {
  return !decide({.allow = {}, .deny = {std::string(rule)}}, data, full_name, std::move(sets))
              .allowed;
}

TEST(ToolRules, NoListsSayNothing) {
  const RuleDecision decision = decide({}, tool("a", "b"));
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.rule, "");
  EXPECT_TRUE(ToolRules({}, {}).empty());
}

TEST(ToolRules, ARuleNamesAToolByAnyOfItsNames) {
  const ToolData fetch = tool("vscode_fetch", "fetch");
  EXPECT_TRUE(denied("vscode_fetch", fetch));
  EXPECT_TRUE(denied("fetch", fetch));
  EXPECT_TRUE(denied("web/fetch", fetch, "web/fetch"));
  EXPECT_TRUE(denied("web/*", fetch, "web/fetch"));
  EXPECT_TRUE(denied("*_fetch", fetch));
  EXPECT_FALSE(denied("Fetch", fetch));
  EXPECT_FALSE(denied("A tool", fetch));
  EXPECT_FALSE(denied("", fetch));
}

TEST(ToolRules, DenyWinsOverAllowAndSaysSo) {
  const RuleDecision decision =
      decide({.allow = {"fetch"}, .deny = {"x", "web/*", "f*"}}, tool("f", "fetch"), "web/fetch");
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.rule, "toolgate.tools.deny: \"web/*\"");
}

TEST(ToolRules, AnAllowListDeniesWhatItDoesNotName) {
  const Lists lists{.allow = {"get_*"}, .deny = {}};
  EXPECT_EQ(decide(lists, tool("get_time", "")).rule, "toolgate.tools.allow: \"get_*\"");
  const RuleDecision other = decide(lists, tool("set_time", ""));
  EXPECT_FALSE(other.allowed);
  EXPECT_EQ(other.rule, "toolgate.tools.allow: no rule names it");
}

TEST(ToolRules, ASetStandsForItsMembersButNoWildcardStandsForASet) {
  const ToolData dangerous = tool("run", "run");
  EXPECT_TRUE(denied("read", dangerous, "read/run", {"read"}));
  EXPECT_FALSE(denied("rea*", dangerous, "read/run", {"read"}));
  EXPECT_TRUE(denied("rea*/*", dangerous, "read/run", {"read"}));
}

TEST(ToolRules, AToolInSeveralSetsHasAFullNameInEach) {
  EXPECT_TRUE(denied("web/*", tool("f", "fetch"), "read/fetch", {"read", "web"}));
  EXPECT_TRUE(denied("web/fetch", tool("f", "fetch"), "read/fetch", {"read", "web"}));
}

TEST(ToolRules, SourcesHaveKindsAndKeys) {
  const ToolData issue = tool("issue", "", server("workspace", "github"));
  for (const auto* rule : {"source:mcp", "source:mcp:*", "mcp:*", "mcp:workspace:github",
                           "source:mcp:workspace:git?ub", "source:m*"})
    EXPECT_TRUE(denied(rule, issue)) << rule;
  for (const auto* rule : {"mcp", "m*:none", "mcp*", "source:http", "source:", "source:mcp:github"})
    EXPECT_FALSE(denied(rule, issue)) << rule;
  EXPECT_TRUE(denied("source:internal", tool("a", "")));
  EXPECT_FALSE(denied("internal", tool("a", "")));
}

TEST(ToolRules, CaseOfExtensionIdsDoesNotMatter) {
  const ToolData lint = tool("lint", "", extension("Acme.Linter"));
  EXPECT_TRUE(denied("source:extension:acme.linter", lint));
  EXPECT_TRUE(denied("extension:ACME.*", lint));
  EXPECT_FALSE(denied("mcp:A:B", tool("x", "", server("a", "b"))));
}

TEST(ToolRules, ASetStandsForTheMembersOfNestedSetsToo) {
  const auto allowed = [](std::string_view rule) {
    HandMadeCatalog made;
    const auto fetch = made.add_tool("vscode_fetch", "fetch");
    const auto inner = made.add_set("inner", "inner", {fetch});
    const auto outer = made.add_set("outer", "outer", {}, {inner});
    made.set(inner).sets.push_back(outer);
    Catalog& catalog = made.catalog();
    const std::vector<std::string> deny{std::string(rule)};
    ToolRules({}, deny).apply(catalog);
    return catalog.tools[fetch].allowed;
  };
  EXPECT_FALSE(allowed("inner"));
  EXPECT_FALSE(allowed("outer"));
  EXPECT_FALSE(allowed("outer/*"));
  EXPECT_FALSE(allowed("outer/fetch"));
  EXPECT_TRUE(allowed("other"));
}

TEST(ToolRules, OnlyATrustedSetLetsItsMembersIn) {
  const auto allowed = [](bool is_trusted, bool is_second) {
    HandMadeCatalog made;
    const auto fetch = made.add_tool("vscode_fetch", "fetch");
    if (is_second) made.add_set("web", "web", {});
    const auto set = made.add_set("mine", "web", {fetch}, {}, ToolSource::Kind::User);
    ToolSetData data = *made.set(set).data;
    data.is_trusted = is_trusted;
    made.set(set).data = std::make_shared<const ToolSetData>(std::move(data));
    const std::vector<std::string> allow{"web"};
    ToolRules(allow, {}).apply(made.catalog());
    return made.catalog().tools[fetch].allowed;
  };
  EXPECT_TRUE(allowed(true, false));
  EXPECT_FALSE(allowed(false, false));
  EXPECT_FALSE(allowed(true, true));
}

TEST(ToolRules, RulesThatNameNothingAreReported) {
  HandMadeCatalog made;
  const auto fetch = made.add_tool("vscode_fetch", "fetch");
  made.add_set("web", "web", {fetch});
  const std::vector<std::string> allow{"web/*", "source:mcp", "fetch", "fetch"};
  const std::vector<std::string> deny{"fetsh", "web"};
  EXPECT_EQ(ToolRules(allow, deny).unmatched(made.catalog()),
            (std::vector<std::string>{"toolgate.tools.allow: \"source:mcp\"",
                                      "toolgate.tools.deny: \"fetsh\""}));
}

}  // namespace
}  // namespace toolgate
