// Real tools of MCP servers, where the corpus is present: every input gets the verdict that two
// other validators agree on, and every schema compiles or is refused with a reason.
#include <map>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "schema/check.h"
#include "schema/compile.h"
#include "schema_files.h"

namespace toolgate {
namespace {

// "package tool" to its input schema; of equal names the first counts.
std::map<std::string, const JsonNode*> schemas_by_tool(const JsonNode& corpus) {
  std::map<std::string, const JsonNode*> out;
  const auto add = [&](const JsonNode& owner, const std::string& name) {
    for (const JsonNode* tool = owner.find("tools")->first; tool; tool = tool->next) {
      const JsonNode* schema = tool->find("inputSchema");
      if (schema) out.emplace(name + " " + std::string(tool->find("name")->text), schema);
    }
  };
  for (const JsonNode* server = corpus.find("servers")->first; server; server = server->next) {
    add(*server, std::string(server->find("package")->text));
  }
  for (const JsonNode* client = corpus.find("clients")->first; client; client = client->next) {
    add(*client, "client:" + std::string(client->find("client")->text));
  }
  return out;
}

class SchemaCorpus : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = thirdparty_folder("tool-corpus");
    if (!std::filesystem::exists(folder_ / "tool_schemas.json")) {
      GTEST_SKIP() << "third-party data: tool-corpus is not there";
    }
  }
  std::filesystem::path folder_;
};

TEST_F(SchemaCorpus, EveryVerdictIsEqual) {
  const TestDocument corpus(folder_ / "tool_schemas.json");
  TestDocument instances(folder_ / "instances.shared.json");
  const auto schemas = schemas_by_tool(*corpus.root);
  std::size_t equal_verdicts = 0;
  for (JsonNode* group = instances.root->find("schemas")->first; group; group = group->next) {
    const std::string name =
        std::string(group->find("server")->text) + " " + std::string(group->find("tool")->text);
    const auto found = schemas.find(name);
    ASSERT_NE(found, schemas.end()) << name;
    const auto schema = compile_schema(write_json(*found->second));
    ASSERT_TRUE(schema) << name << ": " << schema.error().message;
    for (JsonNode* each = group->find("cases")->first; each; each = each->next) {
      JsonNode& instance = *each->find("instance");
      const bool expected = each->find("valid")->truth;
      const auto fast = is_valid(**schema, instance);
      const auto thorough = check(**schema, instance, instances.tree);
      ASSERT_TRUE(fast && thorough) << name;
      EXPECT_EQ(*fast, expected) << name << ": " << write_json(instance);
      EXPECT_EQ(thorough->valid(), expected) << name << ": " << write_json(instance);
      equal_verdicts += *fast == expected && thorough->valid() == expected ? 1 : 0;
    }
  }
  fmt::print("tool corpus: {} verdicts equal\n", equal_verdicts);
  EXPECT_GE(equal_verdicts, 8239U);
}

TEST_F(SchemaCorpus, EverySchemaCompilesOrIsRefusedWithAReason) {
  const TestDocument corpus(folder_ / "tool_schemas.json");
  std::size_t compiled = 0;
  std::size_t refused = 0;
  for (const JsonNode* server = corpus.root->find("servers")->first; server;
       server = server->next) {
    for (const JsonNode* tool = server->find("tools")->first; tool; tool = tool->next) {
      const auto schema = compile_schema(write_json(*tool->find("inputSchema")));
      ++(schema ? compiled : refused);
      if (schema) continue;
      EXPECT_FALSE(schema.error().message.empty());
      EXPECT_TRUE(schema.error().where.starts_with('#')) << schema.error().where;
      fmt::print("refused: {} {}: {} at {}\n", server->find("package")->text,
                 tool->find("name")->text, schema.error().message, schema.error().where);
    }
  }
  fmt::print("tool corpus: {} schemas compiled, {} refused\n", compiled, refused);
  EXPECT_LE(refused, compiled / 100);
}

}  // namespace
}  // namespace toolgate
