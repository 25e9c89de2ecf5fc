#include "builtin/test_report.h"

#include <algorithm>

#include "builtin/trimmed.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostFailures = 200;
constexpr std::size_t kMostText = 4'000;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

void add_line(std::string& text, std::string_view line) {
  if (text.size() + line.size() < kMostText) (text += line) += '\n';
}

// What stands between "[ RUN      ] A.b" and "[  FAILED  ] A.b (3 ms)".
TestReport read_gtest(const std::vector<std::string_view>& lines) {
  TestReport report{.format = "GoogleTest", .failures = {}};
  std::string text;
  for (const std::string_view line : lines) {
    if (line.starts_with("[ RUN      ] ")) {
      text.clear();
    } else if (line.starts_with("[  FAILED  ] ") && line.contains(" ms)")) {
      const std::string_view name = line.substr(13);
      report.failures.push_back({std::string(name.substr(0, name.find(" ("))), text});
      // "A.b, where GetParam() = 3 (0 ms)" keeps its parameter.
    } else if (!line.starts_with("[")) {
      add_line(text, line);
    }
  }
  return report;
}

// "FAILED tests/a.py::test_b - AssertionError: …" in the summary.
TestReport read_pytest(const std::vector<std::string_view>& lines) {
  TestReport report{.format = "pytest", .failures = {}};
  for (const std::string_view line : lines)
    for (const std::string_view word : {"FAILED ", "ERROR "})
      if (line.starts_with(word) && line.contains(".py")) {
        const std::string_view rest = line.substr(word.size());
        const auto dash = rest.find(" - ");
        report.failures.push_back(
            {std::string(rest.substr(0, dash)),
             dash == rest.npos ? std::string() : std::string(rest.substr(dash + 3))});
      }
  return report;
}

// "not ok 3 - name", and the indented lines behind it.
TestReport read_tap(const std::vector<std::string_view>& lines) {
  TestReport report{.format = "TAP", .failures = {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (!line.starts_with("not ok ")) continue;
    if (line.contains("# TODO") || line.contains("# SKIP")) continue;
    const std::size_t indent = lines[i].find('n');
    const auto dash = line.find(" - ");
    FailedTest failure{std::string(line.substr(dash == line.npos ? 7 : dash + 3)), {}};
    for (++i; i < lines.size() && (lines[i].find_first_not_of(' ') > indent); ++i)
      add_line(failure.text, trimmed(lines[i]));
    --i;
    report.failures.push_back(std::move(failure));
  }
  return report;
}

// node:test as people see it: "✖ name (1.2ms)", each again behind "failing tests:".
TestReport read_node(const std::vector<std::string_view>& lines) {
  TestReport report{.format = "node:test", .failures = {}};
  const auto from = std::ranges::find_if(
      lines, [](std::string_view line) { return line.contains("failing tests:"); });
  for (auto line = from; line != lines.end(); ++line) {
    constexpr std::string_view kCross = "✖ ";
    const std::string_view text = trimmed(*line);
    if (text.starts_with(kCross) && !text.contains("failing tests:")) {
      const std::string_view name = text.substr(kCross.size());
      report.failures.push_back({std::string(name.substr(0, name.rfind(" ("))), {}});
    } else if (!report.failures.empty()) {
      add_line(report.failures.back().text, text);
    }
  }
  return report;
}

// "	  3 - name (Failed)" behind "The following tests FAILED:".
TestReport read_ctest(const std::vector<std::string_view>& lines) {
  TestReport report{.format = "CTest", .failures = {}};
  const auto from = std::ranges::find_if(
      lines, [](std::string_view line) { return line.contains("The following tests FAILED:"); });
  for (auto line = from; line != lines.end(); ++line) {
    const std::string_view text = trimmed(*line);
    const auto dash = text.find(" - ");
    if (dash == text.npos || text.empty() || text[0] < '0' || text[0] > '9') continue;
    const std::string_view rest = text.substr(dash + 3);
    const auto open = rest.rfind(" (");
    report.failures.push_back(
        {std::string(rest.substr(0, open)),
         open == rest.npos ? std::string() : std::string(rest.substr(open + 1))});
  }
  return report;
}

}  // namespace

TestReport read_test_report(std::string_view output) {
  const std::vector<std::string_view> lines = lines_of(output);
  for (const auto read : {read_gtest, read_ctest, read_pytest, read_node, read_tap}) {
    TestReport report = read(lines);
    if (report.failures.empty()) continue;
    if (report.failures.size() > kMostFailures) report.failures.resize(kMostFailures);
    return report;
  }
  return {};
}

}  // namespace toolgate
