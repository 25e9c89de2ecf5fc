// What a terminal's state is in words and JSON: for models, for people, for details. Used by the
// tools that run commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "builtin/terminals.h"
#include "builtin/workbench.h"
#include "toolgate/tool.h"

namespace toolgate {

// "exited with 0", "was ended by signal 9: it was cancelled", "is still running".
std::string describe_state(const TerminalView& view);
// Output and state for a model. A command that failed is no error of the tool.
ToolResult terminal_result(const TerminalView& view, std::string_view message);

// Whether, and how, commands are kept in; the words stand in questions.
struct SandboxState {
  bool is_on = false;
  std::string words = {};
};
SandboxState sandbox_state(const BuiltinSettings& settings);

// One command that a call would run, in a shell of its own.
struct PlannedCommand {
  std::string line = {};
  std::string folder = {};                  // absolute
  std::vector<std::string> variables = {};  // names that its environment has besides the usual
  std::string task = {};                    // its label; empty: none
};

struct CommandQuestion {
  std::string_view title = {};
  std::string_view text = {};  // all that would run, for people
  std::vector<PlannedCommand> commands = {};
  std::string_view explanation = {};  // the model's
  std::string key = {};               // what is the same when it is asked again
};

// What people are asked about commands, or why they need not be: each must be approved by itself.
PreparedCall prepare_command(const CommandQuestion& question, const BuiltinSettings& settings);

TerminalOwner owner_of(const ToolCall& call);
// What is remembered of a call between question and run. `script` is what its input does not say.
ShownCommand shown_command(const BuiltinSettings& settings, const ToolCall& call,
                           std::string script = {});
// As the settings say; `folder` absolute.
TerminalRequest make_request(const BuiltinSettings& settings, const ToolCall& call,
                             std::string folder);

// Reports what a running command shows to whoever watches the call.
Terminals::Report report_to(const ToolCall& call);

}  // namespace toolgate
