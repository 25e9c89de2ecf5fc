// What failed in the output of a test run. Knows GoogleTest, pytest, node:test and other TAP, and
// CTest; of anything else the end is what says most. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "builtin/test_command.h"  // which run it is of

namespace toolgate {

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
