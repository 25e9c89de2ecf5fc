// What a command was when people were shown it, or rules judged it: kept until it runs, also over a
// restart, so that neither another tasks.json nor a weaker sandbox takes the place of what was
// approved. run_in_terminal and run_task note and compare; the workbench has one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "builtin/call_notes.h"
#include "toolgate/tool.h"

namespace toolgate {

struct ShownCommand {
  std::string input = {};  // of the call: what a person changed is not compared with what was shown
  std::string script = {};  // what the input alone does not say: the commands of a task
  bool is_sandboxed = true;
  bool has_network = false;
  std::vector<std::string> writable = {};  // of the sandbox
  std::vector<std::string> hidden = {};
};

// Conflict, with the reason, when `now` is something else or can do more.
Result<void> check_as_shown(const ShownCommand& shown, const ShownCommand& now);

// Any thread may use it; everything blocks as files do: call it through offload().
class ShownCommands {
 public:
  // Empty `data`: nothing is kept or compared.
  explicit ShownCommands(const std::filesystem::path& data);

  Result<void> note(std::string_view tool, const ToolCall& call, const ShownCommand& shown);
  // Compares, and forgets what was noted.
  Result<void> take(std::string_view tool, const ToolCall& call, const ShownCommand& now);

 private:
  CallNotes notes_;
};

}  // namespace toolgate
