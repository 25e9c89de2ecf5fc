#include "builtin/test_failure.h"

#include "base/utf8.h"
#include "builtin/terminal_words.h"
#include "builtin/test_report.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::size_t kTailBytes = 8'000;

std::string_view end_of(std::string_view text) {
  if (text.size() <= kTailBytes) return text;
  text.remove_prefix(text.size() - kTailBytes);
  const auto line = text.find('\n');
  return line == text.npos ? text : text.substr(line + 1);
}

std::string describe(const TerminalView& view) {
  std::string text =
      fmt::format("The last test run, {}, {}.\n", view.command, describe_state(view));
  const TestReport report = read_test_report(view.output);
  if (report.failures.empty()) {
    const bool is_good = !view.is_running && view.exit_code == 0 && view.signal == 0;
    return text + (is_good ? "No test failed.\n"
                           : fmt::format("Its output ends with:\n{}\n", end_of(view.output)));
  }
  text += fmt::format("{} failed ({}):\n", report.failures.size(), report.format);
  for (const FailedTest& failure : report.failures)
    text += fmt::format("\n{}\n{}", failure.name, failure.text);
  return text;
}

class TestFailure final : public Tool {
 public:
  explicit TestFailure(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel&) override {
    auto view = co_await workbench_.terminals().latest(owner_of(call), Terminals::Which::Test);
    if (!view)
      co_return fail(Errc::NotFound,
                     "no tests have been run yet; run them with run_in_terminal or run_task");
    co_return text_result(mend_utf8(describe(*view)));
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall&, const Cancel&) override {
    co_return PreparedCall{.invocation_message = "Reading the failures of the last test run",
                           .past_tense_message = "Read the failures of the last test run"};
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData test_failure_data() {
  return {.id = "test_failure",
          .reference_name = "testFailure",
          .display_name = "Test Failure",
          .user_description = "What failed in the last test run",
          .model_description =
              "Returns which tests failed in the latest run of tests in a terminal or task, with "
              "what was said about each. Run the tests first.",
          .input_schema = R"({"type": "object", "properties": {}})",
          .tags = {"vscode_editing_with_tests"},
          .icon = "$(beaker)",
          .is_read_only = true};
}

std::shared_ptr<Tool> make_test_failure(const BuiltinSurroundings& around) {
  return std::make_shared<TestFailure>(around.workbench);
}

}  // namespace toolgate
