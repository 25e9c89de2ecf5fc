#include "builtin/kill_terminal.h"

#include "builtin/terminal_words.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string", "description": "The id that run_in_terminal gave."}
  },
  "required": ["id"]
})";

class KillTerminal final : public Tool {
 public:
  explicit KillTerminal(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel&) override {
    auto view =
        co_await workbench_.terminals().kill(ToolInput(call.input).text("id"), owner_of(call));
    if (!view) co_return std::unexpected(view.error());
    co_return terminal_result(*view, {});
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string id = visible_text(ToolInput(call.input).text("id"), false);
    co_return PreparedCall{.invocation_message = "Ending terminal " + id,
                           .past_tense_message = "Ended terminal " + id};
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData kill_terminal_data() {
  return {.id = "kill_terminal",
          .reference_name = "killTerminal",
          .display_name = "Kill Terminal",
          .user_description = "End a command in the background",
          .model_description =
              "Ends a command that run_in_terminal started in the background, with everything it "
              "started, and returns what it showed last.",
          .input_schema = std::string(kSchema),
          .icon = "$(terminal)"};
}

std::shared_ptr<Tool> make_kill_terminal(const BuiltinSurroundings& around) {
  return std::make_shared<KillTerminal>(around.workbench);
}

}  // namespace toolgate
