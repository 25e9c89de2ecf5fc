#include "invoke/approval_rules.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/tool_record.h"

namespace toolgate {
namespace {

using Rules = std::vector<ApprovalRule>;

ApprovalRule rule(RuleVerdict verdict, std::string_view tool,
                  std::vector<ArgumentCondition> where = {}) {
  return {.tools = {std::string(tool)}, .where = std::move(where), .verdict = verdict};
}
ApprovalRule allow(std::string_view tool, std::vector<ArgumentCondition> where = {}) {
  return rule(RuleVerdict::Allow, tool, std::move(where));
}
ApprovalRule ask(std::string_view tool, std::vector<ArgumentCondition> where = {}) {
  return rule(RuleVerdict::Ask, tool, std::move(where));
}
ApprovalRule deny(std::string_view tool, std::vector<ArgumentCondition> where = {}) {
  return rule(RuleVerdict::Deny, tool, std::move(where));
}
ArgumentCondition is(std::string_view path, std::string_view glob) {
  return {.path = std::string(path), .glob = std::string(glob)};
}
ArgumentCondition matches(std::string_view path, std::string_view pattern) {
  return {.path = std::string(path), .pattern = std::string(pattern)};
}

CatalogTool make_tool(std::string_view id, std::string_view reference_name = {},
                      ToolSource source = {}) {
  ToolData data;
  data.id = id;
  data.reference_name = reference_name;
  data.source = std::move(source);
  CatalogTool tool;
  tool.record = std::make_shared<ToolRecord>(std::move(data));
  tool.full_reference_name = "terminal/" + std::string(reference_name);
  return tool;
}

std::optional<RuleHit> find(Rules profile, Rules workspace, const CatalogTool& tool,
                            std::string_view arguments = "{}") {
  const auto rules = ApprovalRules::make(std::move(profile), std::move(workspace));
  EXPECT_TRUE(rules) << rules.error().message;
  JsonTree tree;
  const auto root = tree.parse(arguments);
  EXPECT_TRUE(root) << arguments;
  return rules->find(tool, **root);
}

// "none", or the verdict's name.
std::string verdict(Rules profile, std::string_view arguments = "{}", Rules workspace = {}) {
  const auto hit =
      find(std::move(profile), std::move(workspace), make_tool("run", "runIt"), arguments);
  return hit ? std::string(name_of(hit->verdict)) : "none";
}

TEST(ApprovalRules, TheFirstThatMatchesCounts) {
  EXPECT_EQ(verdict({allow("other"), ask("run"), deny("run")}), "ask");
  EXPECT_EQ(verdict({deny("run"), allow("run")}), "deny");
  EXPECT_EQ(verdict({allow("other")}), "none");
}

TEST(ApprovalRules, TheStricterOfTwoListsCounts) {
  EXPECT_EQ(verdict({allow("run")}, "{}", {ask("run")}), "ask");
  EXPECT_EQ(verdict({ask("run")}, "{}", {deny("run")}), "deny");
  EXPECT_EQ(verdict({deny("run")}, "{}", {ask("run")}), "deny");
  EXPECT_EQ(verdict({}, "{}", {deny("run")}), "deny");
}

TEST(ApprovalRules, AWorkspaceAllowsNothing) {
  EXPECT_EQ(verdict({}, "{}", {allow("run")}), "none");
  EXPECT_EQ(verdict({ask("run")}, "{}", {allow("run")}), "ask");
  EXPECT_EQ(verdict({deny("run")}, "{}", {allow("run")}), "deny");
  // But it is an exception to what follows it in its own list.
  EXPECT_EQ(verdict({allow("run")}, "{}", {allow("run"), deny("*")}), "allow");
}

TEST(ApprovalRules, OfEqualAnswersTheProfileSpeaks) {
  ApprovalRule mine = ask("run");
  mine.name = "mine";
  ApprovalRule theirs = ask("run");
  theirs.name = "theirs";
  EXPECT_EQ(find({mine}, {theirs}, make_tool("run"))->name, "mine");
}

TEST(ApprovalRules, AHitSaysWhatTheRuleSays) {
  ApprovalRule given = deny("run", {is("/command", "rm *"), matches("/path", "^/etc")});
  given.message = "not here";
  given.place = "settings.json:3:5";
  const auto hit = find({given}, {}, make_tool("run"), R"({"command":"rm x","path":"/etc/y"})");
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->name, "deny run where /command is 'rm *' and /path matches '^/etc'");
  EXPECT_EQ(hit->message, "not here");
  EXPECT_EQ(hit->place, "settings.json:3:5");
}

TEST(ApprovalRules, ToolsGoByEachOfTheirNames) {
  for (const char* name : {"run", "r?n", "runIt", "run*", "terminal/runIt", "terminal/*", "*"})
    EXPECT_EQ(verdict({allow(name)}), "allow") << name;
  EXPECT_EQ(verdict({allow("runit")}), "none");
  EXPECT_EQ(verdict({deny("term*")}), "deny");
  EXPECT_EQ(verdict({allow("term*")}), "none");  // a set's name lets nothing in
  ApprovalRule all = deny("");
  all.tools.clear();
  EXPECT_EQ(verdict({all}), "deny");
}

TEST(ApprovalRules, SourcesGoByKindAndKey) {
  const auto from = [](std::string_view pattern, ToolSource source) {
    ApprovalRule given = deny("*");
    given.sources = {std::string(pattern)};
    return find({given}, {}, make_tool("run", "", std::move(source))).has_value();
  };
  const ToolSource server{.kind = ToolSource::Kind::Mcp, .id = "user", .server = "github"};
  const ToolSource extension{.kind = ToolSource::Kind::Extension, .id = "Pub.Name"};
  EXPECT_TRUE(from("mcp", server));
  EXPECT_TRUE(from("mcp:user:*", server));
  EXPECT_TRUE(from("m?p", server));
  EXPECT_FALSE(from("mcp:User:*", server));
  EXPECT_FALSE(from("extension", server));
  EXPECT_TRUE(from("extension:pub.NAME", extension));
  EXPECT_FALSE(from("internal", extension));
}

TEST(ApprovalRules, EveryConditionMustHold) {
  const std::vector<ArgumentCondition> both{is("/a", "x*"), matches("/b", "y$")};
  EXPECT_EQ(verdict({deny("run", both)}, R"({"a":"x1","b":"1y"})"), "deny");
  EXPECT_EQ(verdict({deny("run", both)}, R"({"a":"x1","b":"y1"})"), "none");
  EXPECT_EQ(verdict({deny("run", both)}, R"({"a":"x1"})"), "none");
}

TEST(ApprovalRules, PointersReadEscapes) {
  const std::string input = R"({"a/b":{"~c":"x"},"a~1b":"z","":"e","*":"s"})";
  EXPECT_EQ(verdict({deny("run", {is("/a~1b/~0c", "x")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/a~01b", "z")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/a/b", "*")})}, input), "none");
  EXPECT_EQ(verdict({deny("run", {is("/", "e")})}, input), "deny");
}

TEST(ApprovalRules, PointersGoThroughArrays) {
  const std::string input = R"({"list":[{"u":"one"},{"u":"two"}],"3":"x"})";
  EXPECT_EQ(verdict({deny("run", {is("/list/1/u", "two")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/list/0/u", "two")})}, input), "none");
  EXPECT_EQ(verdict({deny("run", {is("/list/01/u", "two")})}, input), "none");
  EXPECT_EQ(verdict({deny("run", {is("/list/*/u", "two")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/*/1/u", "two")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/3", "x")})}, input), "deny");
}

TEST(ApprovalRules, OneBadItemIsEnoughToDenyAndNotToAllow) {
  const std::string mixed = R"({"urls":["https://good/1","https://bad/2"]})";
  EXPECT_EQ(verdict({deny("run", {is("/urls/*", "https://bad/*")})}, mixed), "deny");
  EXPECT_EQ(verdict({allow("run", {is("/urls/*", "https://good/*")})}, mixed), "none");
  EXPECT_EQ(verdict({allow("run", {matches("/urls/*", "^https://good/")})}, mixed), "none");
  EXPECT_EQ(verdict({allow("run", {is("/urls/*", "https://*")})}, mixed), "allow");
  EXPECT_EQ(verdict({allow("run", {is("/urls/*", "*")})}, R"({"urls":[]})"), "none");
}

TEST(ApprovalRules, OtherValuesAreComparedAsJson) {
  const std::string input = R"({"n":22.0,"t":true,"z":null,"o":{"a":[1, 2]},"big":1e999})";
  EXPECT_EQ(verdict({deny("run", {is("/t", "true")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/z", "null")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/o", R"({"a":[1,2]})")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {matches("", "\"z\":null")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/n", "22")})}, input), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/n", "22.0")})}, input), "deny");
  EXPECT_EQ(verdict({allow("run", {is("/n", "22")})}, input), "none");
  EXPECT_EQ(verdict({allow("run", {is("/n", "22*")})}, input), "allow");
  EXPECT_EQ(verdict({deny("run", {is("/big", "1e999")})}, input), "deny");
}

TEST(ApprovalRules, EscapedTextIsTheSameText) {
  EXPECT_EQ(verdict({deny("run", {is("/c", "rm *")})}, R"({"c":"\u0072m x"})"), "deny");
  EXPECT_EQ(verdict({deny("run", {is("/c", "rm")})}, R"({"\u0063":"rm"})"), "deny");
}

TEST(ApprovalRules, APatternThatGivesUpIsAMatchOfStrictRulesOnly) {
  const std::string endless = "^(x+x+)+[yz]";
  const std::string input = R"({"a":")" + std::string(5000, 'x') + R"("})";
  EXPECT_EQ(verdict({deny("run", {matches("/a", endless)})}, input), "deny");
  EXPECT_EQ(verdict({ask("run", {matches("/a", endless)})}, input), "ask");
  EXPECT_EQ(verdict({allow("run", {matches("/a", endless)})}, input), "none");
  EXPECT_EQ(verdict({allow("run", {matches("/a", endless)}), ask("run")}, input), "ask");
  EXPECT_EQ(verdict({allow("run")}, input, {deny("run", {matches("/a", endless)})}), "deny");
}

TEST(ApprovalRules, ARuleThatGivesUpTakesNothingFromTheNext) {
  const std::string input = R"({"a":")" + std::string(5000, 'x') + R"(","b":"ok"})";
  EXPECT_EQ(verdict({allow("run", {matches("/a", "^(x+x+)+[yz]")}),
                     deny("run", {matches("/b", "no")}), allow("run", {matches("/b", "^ok$")})},
                    input),
            "allow");
}

TEST(ApprovalRules, ABadRuleIsRefusedByName) {
  ApprovalRule bad = deny("run", {matches("/a", "(")});
  bad.name = "no shells";
  bad.place = "settings.json:7:1";
  const auto made = ApprovalRules::make({allow("x")}, {bad});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::InvalidSettings);
  EXPECT_EQ(made.error().where, "settings.json:7:1");
  EXPECT_NE(made.error().message.find("no shells"), std::string::npos);
  for (const ArgumentCondition& condition :
       {ArgumentCondition{.path = "/a"}, is("a", "x"),
        ArgumentCondition{.path = "/a", .glob = "x", .pattern = "y"}, matches("/a", "\xff")})
    EXPECT_FALSE(ApprovalRules::make({deny("run", {condition})}, {})) << condition.path;
}

TEST(ApprovalRules, WithoutRulesThereIsNoAnswer) {
  EXPECT_TRUE(ApprovalRules().empty());
  EXPECT_TRUE(ApprovalRules::make({}, {})->empty());
  EXPECT_FALSE(ApprovalRules::make({}, {ask("x")})->empty());
  EXPECT_EQ(verdict({}), "none");
}

TEST(ApprovalRules, VerdictsHaveNames) {
  for (const RuleVerdict verdict : {RuleVerdict::Allow, RuleVerdict::Ask, RuleVerdict::Deny})
    EXPECT_EQ(parse_rule_verdict(name_of(verdict)), verdict);
  EXPECT_FALSE(parse_rule_verdict("Allow"));
}

}  // namespace
}  // namespace toolgate
