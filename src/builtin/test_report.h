// What failed in the output of a test run. Knows GoogleTest, pytest, node:test and other TAP, and
// CTest; of anything else the end is what says most. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

// Whether a command line or the name of a task looks like a run of tests.
bool is_test_command(std::string_view command, std::string_view title);

struct FailedTest {
  std::string name;
  std::string text;  // what was said about it; may be empty
};

struct TestReport {
  std::string format;  // "GoogleTest"; empty: not known
  std::vector<FailedTest> failures;
};
TestReport read_test_report(std::string_view output);

}  // namespace toolgate
