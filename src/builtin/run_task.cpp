#include "builtin/run_task.h"

#include <algorithm>
#include <cstdlib>

#include "async/offload.h"
#include "base/utf8.h"
#include "builtin/shell_command.h"
#include "builtin/tasks_file.h"
#include "builtin/terminal_words.h"
#include "builtin/tool_input.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostFileBytes = 1 << 20;
constexpr std::chrono::milliseconds kFirstLook{400};
constexpr std::chrono::milliseconds kTimeOfTask{600'000};
constexpr std::string_view kFile = ".vscode/tasks.json";

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "workspaceFolder": {"type": "string", "description": "The workspace's folder; may be left out."},
    "id": {"type": "string", "description": "The task's label, or 'shell: label'."}
  },
  "required": ["id"]
})";

Result<std::string> read_text(const Workspace& workspace) {
  auto file = workspace.open_file(kFile);
  if (!file) return std::unexpected(file.error());
  if (static_cast<std::size_t>(file->facts.st_size) > kMostFileBytes)
    return fail(Errc::TooLarge, "{} is larger than {} bytes", kFile, kMostFileBytes);
  std::string text(static_cast<std::size_t>(file->facts.st_size), '\0');
  const ssize_t size = ::pread(file->descriptor.get(), text.data(), text.size(), 0);
  if (size < 0) return file_failure(errno, "read", kFile);
  text.resize(static_cast<std::size_t>(size));
  return text;
}

// The tasks to run one after the other, their folders absolute and inside the workspace.
Result<std::vector<TaskDefinition>> find_tasks(const Workspace& workspace, std::string_view id) {
  auto text = read_text(workspace);
  if (!text) return std::unexpected(text.error());
  const char* home = std::getenv("HOME");
  auto all = parse_tasks_file(*text, workspace.folder(), home ? home : "");
  if (!all) return std::unexpected(all.error());
  auto tasks = order_tasks(*all, id);
  if (!tasks) return std::unexpected(tasks.error());
  for (TaskDefinition& task : *tasks) {
    auto folder = workspace.open_folder(task.folder.empty() ? workspace.folder() : task.folder);
    if (!folder) return std::unexpected(folder.error());
    task.folder = std::move(folder->path);
  }
  return tasks;
}

// All that would run, as a script for people and for the rules.
std::string script_of(const std::vector<TaskDefinition>& tasks, const std::string& folder) {
  std::string script;
  for (const TaskDefinition& task : tasks) {
    if (task.folder != folder)
      script += "cd " + write_shell_words({{.text = task.folder, .is_known = true}}) + "\n";
    for (const auto& [name, value] : task.environment)
      script += name + "=" + write_shell_words({{.text = value, .is_known = true}}) + "\n";
    script += command_line_of(task) + "\n";
  }
  script.pop_back();
  return script;
}

class RunTask final : public Tool {
 public:
  explicit RunTask(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const auto settings = workbench_.settings();
    auto tasks = co_await load(call, *settings, cancel);
    if (!tasks) co_return std::unexpected(tasks.error());
    ToolResult result;
    std::string text;
    for (const TaskDefinition& task : *tasks) {
      auto view = co_await run(task, call, *settings, cancel);
      if (!view) co_return std::unexpected(view.error());
      result = terminal_result(*view, {});
      if (tasks->size() > 1) text += fmt::format("Task {}:\n", task.label);
      text += result.content.front().text;
      const bool failed = !view->is_running &&
                          (view->exit_code != 0 || view->signal != 0 || !view->ended_by.empty());
      if (failed) break;  // what depends on it is not run
    }
    result.content.front().text = mend_utf8(text);
    co_return result;
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call,
                                                    const Cancel& cancel) override {
    const auto settings = workbench_.settings();
    auto tasks = co_await load(call, *settings, cancel);
    if (!tasks) co_return std::unexpected(tasks.error());
    const std::string folder = tasks->back().folder;
    PreparedCall prepared =
        prepare_command("Run this task?", script_of(*tasks, folder), folder, {}, *settings);
    co_return prepared;
  }

 private:
  static Task<Result<std::vector<TaskDefinition>>> load(const ToolCall& call,
                                                        const BuiltinSettings& settings,
                                                        const Cancel& cancel) {
    const std::string id = ToolInput(call.input).text("id");
    const auto work = [&] { return find_tasks(*settings.workspace, id); };
    co_return co_await offload(work, cancel);
  }

  Task<Result<TerminalView>> run(const TaskDefinition& task, const ToolCall& call,
                                 const BuiltinSettings& settings, const Cancel& cancel) {
    TerminalRequest request = make_request(settings, call, task.folder);
    request.title = task.label;
    for (const auto& [name, value] : task.environment)
      request.environment.push_back(name + "=" + value);
    if (task.is_shell) {
      request.command = command_line_of(task);
    } else {
      request.program = task.arguments;
      request.program.insert(request.program.begin(), task.command);
    }
    if (task.is_background)
      co_return co_await workbench_.terminals().start(std::move(request), kFirstLook, cancel);
    request.time_limit = kTimeOfTask;
    co_return co_await workbench_.terminals().run(std::move(request), report_to(call), cancel);
  }

  Workbench& workbench_;
};

}  // namespace

ToolData run_task_data() {
  return {.id = "run_task",
          .reference_name = "runTask",
          .display_name = "Run Task",
          .user_description = "Run a task of .vscode/tasks.json",
          .model_description =
              "Runs a task that .vscode/tasks.json defines, after the tasks it depends on, and "
              "returns what it shows and its exit code. Knows tasks of the types shell and "
              "process. A task in the background goes on; read it with get_task_output.",
          .input_schema = std::string(kSchema),
          .icon = "$(tools)"};
}

std::shared_ptr<Tool> make_run_task(const BuiltinSurroundings& around) {
  return std::make_shared<RunTask>(around.workbench);
}

}  // namespace toolgate
