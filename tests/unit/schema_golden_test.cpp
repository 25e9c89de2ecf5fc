// Our own cases for each keyword of both dialects (tests/golden/json_schema, in the format of the
// official suite), so that a clone without the suite still tests them.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "schema/check.h"
#include "schema/compile.h"
#include "schema_files.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

void run_folder(const char* name, Dialect dialect, std::size_t least_files) {
  const fs::path folder = tests_folder() / "golden/json_schema" / name;
  ASSERT_TRUE(fs::exists(folder)) << folder;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  EXPECT_GE(files.size(), least_files);
  CompileOptions options;
  options.default_dialect = dialect;
  for (const fs::path& file : files) {
    TestDocument document(file);
    for (JsonNode* group = document.root->first; group; group = group->next) {
      const auto schema = compile_schema(*group->find("schema"), options);
      ASSERT_TRUE(schema) << file << ": " << schema.error().message;
      for (JsonNode* test = group->find("tests")->first; test; test = test->next) {
        SCOPED_TRACE(file.string() + ": " + std::string(group->find("description")->text) + ": " +
                     std::string(test->find("description")->text));
        const bool expected = test->find("valid")->truth;
        JsonNode& data = *test->find("data");
        EXPECT_EQ(is_valid(**schema, data).value(), expected);
        EXPECT_EQ(check(**schema, data, document.tree).value().valid(), expected);
      }
    }
  }
}

TEST(SchemaGolden, Draft7) {
  run_folder("draft7", Dialect::Draft7, 35);
}
TEST(SchemaGolden, Draft2020) {
  run_folder("draft2020-12", Dialect::Draft2020, 40);
}
TEST(SchemaGolden, WithoutDeclaredDialect) {
  run_folder("mixed", Dialect::Mixed, 2);
}

}  // namespace
}  // namespace toolgate
