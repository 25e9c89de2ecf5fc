// A tool that does one thing to the command in the background whose id it is given:
// get_terminal_output and kill_terminal.
#pragma once

#include <string>
#include <string_view>

#include "builtin/name_line.h"
#include "builtin/terminal_words.h"
#include "builtin/tool_input.h"

namespace toolgate {

inline constexpr std::string_view kTerminalIdSchema = R"({
  "type": "object",
  "properties": {
    "id": {"type": "string", "description": "The id that run_in_terminal gave."}
  },
  "required": ["id"]
})";

struct TerminalAct {
  Task<Result<TerminalView>> (Terminals::*run)(std::string id, TerminalOwner owner);
  std::string_view doing;  // "Reading"
  std::string_view done;   // "Read"
};

class TerminalById final : public Tool {
 public:
  TerminalById(Workbench& workbench, TerminalAct act) : workbench_(workbench), act_(act) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel&) override {
    auto view = co_await (workbench_.terminals().*act_.run)(ToolInput(call.input).text("id"),
                                                            owner_of(call));
    if (!view) co_return std::unexpected(view.error());
    co_return terminal_result(*view, {});
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string id = name_on_one_line(ToolInput(call.input).text("id"));
    co_return PreparedCall{.invocation_message = fmt::format("{} terminal {}", act_.doing, id),
                           .past_tense_message = fmt::format("{} terminal {}", act_.done, id)};
  }

 private:
  Workbench& workbench_;
  const TerminalAct act_;
};

}  // namespace toolgate
