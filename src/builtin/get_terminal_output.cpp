#include "builtin/get_terminal_output.h"

#include "builtin/terminal_by_id.h"

namespace toolgate {

ToolData get_terminal_output_data() {
  return {.id = "get_terminal_output",
          .reference_name = "getTerminalOutput",
          .display_name = "Get Terminal Output",
          .user_description = "Read what a command in the background has shown",
          .model_description =
              "Returns what a command that run_in_terminal started in the background has shown so "
              "far, and whether it still runs.",
          .input_schema = std::string(kTerminalIdSchema),
          .icon = "$(terminal)",
          .is_read_only = true};
}

std::shared_ptr<Tool> make_get_terminal_output(const BuiltinSurroundings& around) {
  return std::make_shared<TerminalById>(around.workbench,
                                        TerminalAct{&Terminals::look, "Reading", "Read"});
}

}  // namespace toolgate
