// Runs the official JSON Schema test suite where it is present: the required tests must all pass,
// the optional ones are counted.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "schema/check.h"
#include "schema/compile.h"
#include "schema_files.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackagedSuite = "/usr/share/json-schema-test-suite";

fs::path suite_folder() {
  for (const fs::path& folder :
       {thirdparty_folder("json-schema-test-suite"), fs::path(kPackagedSuite)}) {
    if (fs::exists(folder / "tests")) return folder;
  }
  return {};
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

SchemaRegistry remote_schemas(const fs::path& suite) {
  SchemaRegistry registry;
  for (const fs::path& file : files_below(suite / "remotes")) {
    const std::string uri =
        "http://localhost:1234/" + fs::relative(file, suite / "remotes").generic_string();
    // Some remotes of other drafts are not for us; those that are not JSON fail where they matter.
    (void)registry.add(uri, read_test_file(file));
  }
  return registry;
}

struct Tally {
  std::size_t passed = 0;
  std::size_t failed = 0;
};

// The verdict of both checks, or a text that says why there is none.
std::string verdict_of(const Schema& schema, JsonNode& data, JsonTree& tree) {
  const auto fast = is_valid(schema, data);
  if (!fast) return fast.error().message;
  const auto thorough = check(schema, data, tree);
  if (!thorough) return thorough.error().message;
  CheckOptions first;
  first.first_only = true;
  const auto shortest = check(schema, data, tree, first);
  if (!shortest) return shortest.error().message;
  if (*fast != thorough->valid() || *fast != shortest->valid()) return "the checks disagree";
  return *fast ? "valid" : "invalid";
}

void run_file(const fs::path& file, const CompileOptions& options, Tally& tally, bool report) {
  TestDocument document(file);
  for (JsonNode* group = document.root->first; group; group = group->next) {
    const auto schema = compile_schema(*group->find("schema"), options);
    for (JsonNode* test = group->find("tests")->first; test; test = test->next) {
      const std::string expected = test->find("valid")->truth ? "valid" : "invalid";
      const std::string seen = schema ? verdict_of(**schema, *test->find("data"), document.tree)
                                      : schema.error().message;
      if (seen == expected) {
        ++tally.passed;
        continue;
      }
      ++tally.failed;
      const std::string line = fmt::format(
          "{}: {}: {}: expected {}, got {}", file.filename().string(),
          group->find("description")->text, test->find("description")->text, expected, seen);
      if (report) ADD_FAILURE() << line;
      if (!report) fmt::print("  optional: {}\n", line);
    }
  }
}

void run_draft(const char* folder, Dialect dialect, std::size_t least) {
  const fs::path suite = suite_folder();
  if (suite.empty() || !fs::exists(suite / "tests" / folder)) {
    GTEST_SKIP() << "third-party data: json-schema-test-suite/" << folder << " is not there";
  }
  const SchemaRegistry registry = remote_schemas(suite);
  CompileOptions options;
  options.default_dialect = dialect;
  options.registry = &registry;
  Tally required;
  Tally optional;
  for (const fs::path& file : files_below(suite / "tests" / folder)) {
    const std::string below = fs::relative(file, suite / "tests" / folder).generic_string();
    const bool is_optional = below.starts_with("optional/");
    options.assert_formats = below.starts_with("optional/format/");
    run_file(file, options, is_optional ? optional : required, !is_optional);
  }
  fmt::print("{}: required {} of {} passed, optional {} of {}\n", folder, required.passed,
             required.passed + required.failed, optional.passed, optional.passed + optional.failed);
  EXPECT_EQ(required.failed, 0U);
  // Debian's package is older and has fewer.
  const bool is_packaged = suite == fs::path(kPackagedSuite);
  EXPECT_GE(required.passed, is_packaged ? least - least / 5 : least);
}

TEST(SchemaSuite, Draft7RequiredTestsPass) {
  run_draft("draft7", Dialect::Draft7, 927);
}

TEST(SchemaSuite, Draft2020RequiredTestsPass) {
  run_draft("draft2020-12", Dialect::Draft2020, 1299);
}

}  // namespace
}  // namespace toolgate
