#include "builtin/terminal_last_command.h"

#include "base/utf8.h"
#include "builtin/terminal_words.h"

namespace toolgate {
namespace {

class TerminalLastCommand final : public Tool {
 public:
  explicit TerminalLastCommand(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel&) override {
    auto view = co_await workbench_.terminals().latest(owner_of(call), Terminals::Which::Any);
    if (!view) co_return fail(Errc::NotFound, "no command has been run in a terminal yet");
    ToolResult result = terminal_result(*view, {});
    result.content.front().text =
        mend_utf8(fmt::format("The command, run in {}:\n{}\n\nIt showed:\n{}", view->folder,
                              view->command, result.content.front().text));
    co_return result;
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall&, const Cancel&) override {
    co_return PreparedCall{.invocation_message = "Reading the last command",
                           .past_tense_message = "Read the last command"};
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData terminal_last_command_data() {
  return {.id = "terminal_last_command",
          .reference_name = "terminalLastCommand",
          .display_name = "Terminal Last Command",
          .user_description = "The latest command with its output",
          .model_description =
              "Returns the command line that was run last in a terminal, its folder, how it ended, "
              "and what it showed.",
          .input_schema = R"({"type": "object", "properties": {}})",
          .icon = "$(terminal)",
          .is_read_only = true};
}

std::shared_ptr<Tool> make_terminal_last_command(const BuiltinSurroundings& around) {
  return std::make_shared<TerminalLastCommand>(around.workbench);
}

}  // namespace toolgate
