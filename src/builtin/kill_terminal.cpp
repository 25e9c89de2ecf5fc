#include "builtin/kill_terminal.h"

#include "builtin/terminal_by_id.h"

namespace toolgate {

ToolData kill_terminal_data() {
  return {.id = "kill_terminal",
          .reference_name = "killTerminal",
          .display_name = "Kill Terminal",
          .user_description = "End a command in the background",
          .model_description =
              "Ends a command that run_in_terminal started in the background, with everything it "
              "started, and returns what it showed last.",
          .input_schema = std::string(kTerminalIdSchema),
          .icon = "$(terminal)"};
}

std::shared_ptr<Tool> make_kill_terminal(const BuiltinSurroundings& around) {
  return std::make_shared<TerminalById>(around.workbench,
                                        TerminalAct{&Terminals::kill, "Ending", "Ended"});
}

}  // namespace toolgate
