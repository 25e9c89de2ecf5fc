#include "builtin/get_terminal_output.h"

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

class GetTerminalOutput final : public Tool {
 public:
  explicit GetTerminalOutput(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel&) override {
    auto view =
        co_await workbench_.terminals().look(ToolInput(call.input).text("id"), owner_of(call));
    if (!view) co_return std::unexpected(view.error());
    co_return terminal_result(*view, {});
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string id = visible_text(ToolInput(call.input).text("id"), false);
    co_return PreparedCall{.invocation_message = "Reading terminal " + id,
                           .past_tense_message = "Read terminal " + id};
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData get_terminal_output_data() {
  return {.id = "get_terminal_output",
          .reference_name = "getTerminalOutput",
          .display_name = "Get Terminal Output",
          .user_description = "Read what a command in the background has shown",
          .model_description =
              "Returns what a command that run_in_terminal started in the background has shown so "
              "far, and whether it still runs.",
          .input_schema = std::string(kSchema),
          .icon = "$(terminal)",
          .is_read_only = true};
}

std::shared_ptr<Tool> make_get_terminal_output(const BuiltinSurroundings& around) {
  return std::make_shared<GetTerminalOutput>(around.workbench);
}

}  // namespace toolgate
