// Every tool of the corpus of real MCP servers for every family, held against the counts that the
// corpus states. Skipped by name where the corpus is not there.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schema/families.h"
#include "schema/normalize.h"

namespace toolgate {
namespace {

std::filesystem::path corpus() {
  const char* given = std::getenv("TOOLGATE_THIRDPARTY");
  return std::filesystem::path(given != nullptr ? given : "../shared/thirdparty") / "tool-corpus" /
         "tool_schemas.json";
}

// The server's tools as OpenAI's function tools.
std::vector<std::string> read_tools() {
  std::ifstream stream(corpus(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  JsonTree tree;
  const JsonNode* root = tree.parse(text).value();
  std::vector<std::string> tools;
  for (const JsonNode* server = root->find("servers")->first; server; server = server->next) {
    for (const JsonNode* tool = server->find("tools")->first; tool; tool = tool->next) {
      std::string out = R"({"type":"function","function":{"name":)";
      append_json(out, *tool->find("name"));
      if (const JsonNode* description = tool->find("description"))
        out += ",\"description\":" + write_json(*description);
      out += ",\"parameters\":" + write_json(*tool->find("inputSchema")) + "}}";
      tools.push_back(std::move(out));
    }
  }
  return tools;
}

struct Counts {
  int changed = 0;
  int silent = 0;
  std::map<NormalizeRule, int> faults;
  std::map<NormalizeRule, int> tools_by_rule;

  bool operator==(const Counts&) const = default;
};

// What the corpus counts: a tool with a fault is fatal, and its fixes until then count as well.
Counts count(const std::vector<std::string>& tools, std::string_view family) {
  const NormalizeOptions options{.changes = Families().changes_for(family)};
  Counts counts;
  for (const std::string& text : tools) {
    const auto tool = normalize_tool(text, options).value();
    counts.changed += tool.fixes.empty() ? 0 : 1;
    counts.silent += tool.coerced.empty() ? 0 : 1;
    if (tool.fault) ++counts.faults[tool.fault->rule];
    std::set<NormalizeRule> rules;
    for (const SchemaFix& fix : tool.fixes) rules.insert(fix.rule);
    for (const NormalizeRule rule : rules) ++counts.tools_by_rule[rule];
  }
  return counts;
}

class NormalizeCorpus : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(corpus()))
      GTEST_SKIP() << "third-party data: " << corpus().string() << " is not there";
    tools_ = read_tools();
    ASSERT_EQ(tools_.size(), 5680);
  }

  void expect(std::string_view family, int changed, std::map<NormalizeRule, int> by_rule) {
    using enum NormalizeRule;
    const Counts counts = count(tools_, family);
    EXPECT_EQ(counts.changed, changed) << family;
    EXPECT_EQ(counts.silent, 1) << family;
    EXPECT_EQ(counts.faults, (std::map<NormalizeRule, int>{{ValidSchema, 4}, {ArrayItems, 6}}))
        << family;
    EXPECT_EQ(counts.tools_by_rule, by_rule) << family;
  }

  std::vector<std::string> tools_;
};

TEST_F(NormalizeCorpus, CountsOfEveryFamilyAreTheStatedOnes) {
  using enum NormalizeRule;
  const std::map<NormalizeRule, int> common{{RootProperties, 1}, {Description, 37}};
  expect("claude-sonnet-4", 38, common);
  expect("gpt-5", 38, common);
  expect("o3", 38, common);
  expect("o4-mini", 38, common);
  expect("gpt-4.1", 1967,
         {{RootProperties, 1}, {Description, 37}, {DescriptionLength, 29}, {Keywords, 1945}});
  expect("gemini-2.5-pro", 185, {{RootProperties, 1}, {Description, 37}, {Nullable, 147}});
}

TEST_F(NormalizeCorpus, NormalisingTwiceChangesNothingMore) {
  for (const std::string_view family : {"gpt-4.1", "claude-sonnet-4", "gemini-2.5-pro", "gpt-5"}) {
    const NormalizeOptions options{.changes = Families().changes_for(family)};
    for (const std::string& text : tools_) {
      const auto once = normalize_tool(text, options).value();
      if (once.fault) continue;
      const auto twice = normalize_tool(once.text, options).value();
      ASSERT_FALSE(twice.fault) << once.name;
      ASSERT_TRUE(twice.fixes.empty()) << once.name << ": " << twice.fixes.front().message;
      ASSERT_EQ(twice.text, once.text);
    }
  }
}

}  // namespace
}  // namespace toolgate
