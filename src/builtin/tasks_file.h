// .vscode/tasks.json: the tasks of a workspace, with comments and trailing commas. Pure; run_task
// reads the file and runs them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "builtin/workspace.h"

namespace toolgate {

// The input of tools that name a task.
inline constexpr std::string_view kTaskSchema = R"({
  "type": "object",
  "properties": {
    "workspaceFolder": {"type": "string", "description": "Which of the workspace's folders the task is of. Default: the first."},
    "id": {"type": "string", "description": "The task's label, or 'shell: label'."}
  },
  "required": ["id"]
})";

struct TaskDefinition {
  std::string label = {};
  std::string kind = {};     // shell, process, or one that cannot be run here
  bool is_shell = true;      // else a program with its arguments
  std::string command = {};  // empty: only what it depends on
  std::vector<std::string> arguments = {};
  std::vector<bool> is_quoted = {};  // of each argument: as one word, whatever it holds
  std::string folder = {};           // options.cwd; empty: the workspace
  std::string root = {};             // the folder of the workspace that it is of, once it is to run
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::vector<std::string> depends_on = {};
  bool is_background = false;
  std::string problem = {};  // why it cannot be run here; empty: it can
};

// Which of the workspace's folders is given; the first where none is. Blocks as files do.
Result<std::string> find_task_root(const Workspace& workspace, const std::string& given);

// `workspace` takes the place of ${workspaceFolder}. Tasks that cannot be run here (of the types
// npm, typescript, …; with members that only an editor knows) are there with their problem.
Result<std::vector<TaskDefinition>> parse_tasks_file(std::string_view text,
                                                     std::string_view workspace,
                                                     std::string_view home);

// The task and before it what it depends on, each once. `id` is a label, or "shell: label". The
// error of one of these that cannot be run is its problem; that of others does not matter.
Result<std::vector<TaskDefinition>> order_tasks(const std::vector<TaskDefinition>& tasks,
                                                std::string_view id);

// The line for the shell, as VS Code puts it together; for a program, the same for people to read.
std::string command_line_of(const TaskDefinition& task);

}  // namespace toolgate
