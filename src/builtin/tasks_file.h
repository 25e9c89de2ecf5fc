// .vscode/tasks.json: the tasks of a workspace, with comments and trailing commas. Pure; run_task
// reads the file and runs them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace toolgate {

struct TaskDefinition {
  std::string label = {};
  bool is_shell = true;      // else a program with its arguments
  std::string command = {};  // empty: only what it depends on
  std::vector<std::string> arguments = {};
  std::vector<bool> is_quoted = {};  // of each argument: as one word, whatever it holds
  std::string folder = {};           // options.cwd; empty: the workspace
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::vector<std::string> depends_on = {};
  bool is_background = false;
};

// `workspace` takes the place of ${workspaceFolder}. Tasks of other kinds (npm, typescript, …) are
// left out; the error names the task and the member that cannot be used.
Result<std::vector<TaskDefinition>> parse_tasks_file(std::string_view text,
                                                     std::string_view workspace,
                                                     std::string_view home);

// The task and before it what it depends on, each once. `id` is a label, or "shell: label".
Result<std::vector<TaskDefinition>> order_tasks(const std::vector<TaskDefinition>& tasks,
                                                std::string_view id);

// The line for the shell, as VS Code puts it together; for a program, the same for people to read.
std::string command_line_of(const TaskDefinition& task);

}  // namespace toolgate
