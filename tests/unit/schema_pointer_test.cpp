// JSON pointers: their steps, and where they lead in a schema.
#include "schema/schema_pointer.h"

#include <string>

#include <gtest/gtest.h>

#include "base/json_pointer.h"

namespace toolgate {
namespace {

TEST(JsonPointer, EscapesAndReadsSteps) {
  for (const std::string name : {"", "a", "a/b", "~", "~1", "/~/", "m~n/", "é/…"}) {
    std::string path = "#";
    append_pointer_step(path, name);
    ASSERT_TRUE(path.starts_with("#/"));
    EXPECT_EQ(path.find('/', 2), std::string::npos) << path;
    EXPECT_EQ(unescape_pointer_step(path.substr(2)), name);
  }
  std::string path;
  append_pointer_step(path, "a~/b");
  EXPECT_EQ(path, "/a~0~1b");
  EXPECT_EQ(unescape_pointer_step("~01"), "~1");
  EXPECT_EQ(unescape_pointer_step("a~"), "a~");
}

TEST(JsonPointer, LeadsIntoSchemas) {
  JsonTree tree;
  const JsonNode& root = **tree.parse(R"({"$defs":{"a/b":[1,{"~":2}]}})");
  const JsonNode* found = find_in_schema(root, "#/$defs/a~1b/1/~0");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->text, "2");
  EXPECT_EQ(find_in_schema(root, "#"), &root);
  EXPECT_EQ(find_in_schema(root, "#/$defs/a~1b/2"), nullptr);
  EXPECT_EQ(find_in_schema(root, "/$defs"), nullptr);
}

}  // namespace
}  // namespace toolgate
