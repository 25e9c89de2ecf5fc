#include "builtin/test_report.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

struct Case {
  std::string_view output;
  std::string_view format;
  std::string_view name;
  std::string_view part_of_text;
};

TEST(TestReport, KnowsCommonFormats) {
  constexpr Case kCases[]{
      {"[ RUN      ] A.b\na.cpp:3: Failure\nExpected 1\n[  FAILED  ] A.b (0 ms)\n[  FAILED  ] "
       "A.b\n",
       "GoogleTest", "A.b", "Expected 1"},
      {"=== short test summary info ===\nFAILED tests/a_test.py::test_b - assert 1 == 2\n",
       "pytest", "tests/a_test.py::test_b", "assert 1 == 2"},
      {"ok 1 - a\nnot ok 2 - b\n  ---\n  error: 'no'\n  ...\nok 3 - c\n", "TAP", "b",
       "error: 'no'"},
      {"✖ failing tests:\n\ntest at a.mjs:3:1\n✖ adds (1.2ms)\n  AssertionError: 1 != 2\n",
       "node:test", "adds", "AssertionError"},
      {"50% tests passed\nThe following tests FAILED:\n\t  2 - parse (Failed)\nErrors while "
       "running CTest\n",
       "CTest", "parse", "(Failed)"},
  };
  for (const Case& each : kCases) {
    const TestReport report = read_test_report(each.output);
    EXPECT_EQ(report.format, each.format);
    ASSERT_EQ(report.failures.size(), 1u) << each.format;
    EXPECT_EQ(report.failures[0].name, each.name);
    EXPECT_NE(report.failures[0].text.find(each.part_of_text), std::string::npos)
        << report.failures[0].text;
  }
}

TEST(TestReport, OtherOutputHasNoFailures) {
  EXPECT_TRUE(read_test_report("all is well\n").failures.empty());
  EXPECT_TRUE(read_test_report("ok 1 - a\nnot ok 2 - b # TODO later\n").failures.empty());
  EXPECT_TRUE(read_test_report("").failures.empty());
}

}  // namespace
}  // namespace toolgate
