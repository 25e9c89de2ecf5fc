#include "builtin/send_to_terminal.h"

#include "builtin/name_line.h"
#include "builtin/terminal_words.h"
#include "builtin/tool_input.h"
#include "invoke/canonical.h"

namespace toolgate {
namespace {

constexpr std::chrono::milliseconds kFirstLook{400};

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string", "description": "The id that run_in_terminal gave."},
    "command": {"type": "string", "maxLength": 4000, "description": "What to type. \u0003 is Ctrl+C, \u0004 ends the input."},
    "enter": {"type": "boolean", "description": "Whether the Enter key follows. Default: true."}
  },
  "required": ["id", "command"]
})";

class SendToTerminal final : public Tool {
 public:
  explicit SendToTerminal(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const ToolInput input(call.input);
    std::string text = input.text("command");
    if (input.flag("enter", true)) text += '\n';
    auto view = co_await workbench_.terminals().send(input.text("id"), owner_of(call),
                                                     std::move(text), kFirstLook, cancel);
    if (!view) co_return std::unexpected(view.error());
    co_return terminal_result(*view, {});
  }

  // The program may be a shell: what is typed can be any command, so people see it.
  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const ToolInput input(call.input);
    auto view = co_await workbench_.terminals().look(input.text("id"), owner_of(call));
    if (!view) co_return std::unexpected(view.error());
    PreparedCall prepared{.invocation_message = "Typing into " + view->id,
                          .past_tense_message = "Typed into " + view->id};
    prepared.confirmation_title = "Type this into a running command?";
    prepared.confirmation_message = fmt::format(
        "Into {}, which runs {}. {}:\n\n{}\n", name_on_one_line(view->command),
        view->is_sandboxed ? "in the sandbox" : "WITHOUT a sandbox: it can do all that you can",
        input.flag("enter", true) ? "The Enter key follows" : "No Enter key follows",
        input.text("command"));
    prepared.approval_key = sha256_hex(
        with_lengths({view->id, input.flag("enter", true) ? "enter" : "", input.text("command")}));
    if (!view->is_sandboxed) prepared.allow_auto_confirm = false;
    co_return prepared;
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData send_to_terminal_data() {
  return {.id = "send_to_terminal",
          .reference_name = "sendToTerminal",
          .display_name = "Send To Terminal",
          .user_description = "Type into a command in the background",
          .model_description =
              "Types a line into a command that run_in_terminal started in the background, for "
              "instance to answer its question, and returns what its terminal shows shortly after.",
          .input_schema = std::string(kSchema),
          .icon = "$(terminal)"};
}

std::shared_ptr<Tool> make_send_to_terminal(const BuiltinSurroundings& around) {
  return std::make_shared<SendToTerminal>(around.workbench);
}

}  // namespace toolgate
