// What a terminal's state is in words and JSON: for models, for people, for details. Used by the
// tools that run commands.
#pragma once

#include <string>

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

// What people are asked about a command line, or why they need not be.
PreparedCall prepare_command(std::string_view title, std::string_view line,
                             const std::string& folder, std::string_view explanation,
                             const BuiltinSettings& settings);

TerminalOwner owner_of(const ToolCall& call);
// As the settings say; `folder` absolute.
TerminalRequest make_request(const BuiltinSettings& settings, const ToolCall& call,
                             std::string folder);

// Reports what a running command shows to whoever watches the call.
Terminals::Report report_to(const ToolCall& call);

}  // namespace toolgate
