#include "builtin/run_task.h"

#include <algorithm>
#include <cstdlib>

#include "async/offload.h"
#include "base/utf8.h"
#include "builtin/file_bytes.h"
#include "builtin/name_line.h"
#include "builtin/tasks_file.h"
#include "builtin/terminal_words.h"
#include "builtin/tool_input.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::string_view kId = "run_task";
constexpr std::size_t kMostFileBytes = 1 << 20;
constexpr std::chrono::milliseconds kFirstLook{400};
constexpr std::chrono::milliseconds kTimeOfTask{600'000};
constexpr std::string_view kFile = ".vscode/tasks.json";

Result<std::string> read_tasks(const Workspace& workspace, const std::string& root) {
  auto file = workspace.open_file(fmt::format("{}/{}", root, kFile));
  if (!file) return std::unexpected(file.error());
  return read_whole_file(file->descriptor.get(), kMostFileBytes, kFile);
}

// What a program gets ends at a NUL, and the name of a variable at '='.
Result<void> check_texts(const TaskDefinition& task) {
  bool is_usable = !task.command.contains('\0');
  for (const std::string& argument : task.arguments) is_usable &= !argument.contains('\0');
  for (const auto& [name, value] : task.environment)
    is_usable &= !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == name.npos &&
                 !value.contains('\0');
  if (is_usable) return {};
  return fail(Errc::InvalidRequest,
              "the task '{}' has a NUL character, or a variable whose name is empty or has '='",
              visible_text(task.label, false));
}

// The tasks to run one after the other, their folders absolute and inside the workspace.
Result<std::vector<TaskDefinition>> find_tasks(const Workspace& workspace, const ToolInput& input) {
  const auto root = find_task_root(workspace, input.text("workspaceFolder"));
  if (!root) return std::unexpected(root.error());
  const auto text = read_tasks(workspace, *root);
  if (!text) return std::unexpected(text.error());
  const char* home = std::getenv("HOME");
  auto all = parse_tasks_file(*text, *root, home ? home : "");
  if (!all) return std::unexpected(all.error());
  auto tasks = order_tasks(*all, input.text("id"));
  if (!tasks) return std::unexpected(tasks.error());
  for (TaskDefinition& task : *tasks) {
    auto folder = workspace.open_folder(task.folder.empty() ? *root : task.folder);
    if (!folder) return std::unexpected(folder.error());
    task.folder = std::move(folder->path);
    task.root = *root;
    if (auto checked = check_texts(task); !checked) return std::unexpected(checked.error());
  }
  return tasks;
}

// For people: a task alone as its command, several with a line before each.
std::string tell_tasks(const std::vector<TaskDefinition>& tasks, const Workspace& workspace) {
  std::string text;
  for (const TaskDefinition& task : tasks) {
    std::string about;
    if (tasks.size() > 1)
      about += fmt::format("task '{}' in {}", name_on_one_line(task.label),
                           name_on_one_line(workspace.shown(task.folder)));
    for (const auto& [name, value] : task.environment)
      about += fmt::format("{}{}={}", about.empty() ? "with " : ", ", name_on_one_line(name),
                           name_on_one_line(value));
    if (!text.empty()) text += "\n\n";
    if (!about.empty()) text += fmt::format("[{}]\n", about);
    text += command_line_of(task);
  }
  return text;
}

std::vector<PlannedCommand> plan(const std::vector<TaskDefinition>& tasks) {
  std::vector<PlannedCommand> commands;
  for (const TaskDefinition& task : tasks) {
    PlannedCommand command{
        .line = command_line_of(task), .folder = task.folder, .task = task.label};
    for (const auto& [name, value] : task.environment) command.variables.push_back(name);
    commands.push_back(std::move(command));
  }
  return commands;
}

// All that a run depends on, so that two that differ anywhere differ here.
std::string script_of(const std::vector<TaskDefinition>& tasks) {
  std::string script;
  const auto add = [&](std::string_view part) { append_with_length(script, part); };
  for (const TaskDefinition& task : tasks) {
    for (const std::string_view part : {std::string_view(task.label), std::string_view(task.folder),
                                        std::string_view(task.command)})
      add(part);
    add(task.is_shell ? command_line_of(task) : "");
    add(task.is_background ? "background" : "");
    for (const std::string& argument : task.arguments) add(argument);
    add("environment");
    for (const auto& [name, value] : task.environment) add(name + "=" + value);
    script += '\n';
  }
  return script;
}

class RunTask final : public Tool {
 public:
  explicit RunTask(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const auto settings = workbench_.settings();
    auto tasks = co_await load(call, *settings, cancel);
    if (!tasks) co_return std::unexpected(tasks.error());
    const auto check = [&] {
      return workbench_.shown_commands().take(kId, call,
                                              shown_command(*settings, call, script_of(*tasks)));
    };
    if (auto same = co_await offload(check, cancel); !same) co_return std::unexpected(same.error());
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
    const auto work = [&]() -> Result<std::optional<PreparedCall>> {
      auto noted = workbench_.shown_commands().note(
          kId, call, shown_command(*settings, call, script_of(*tasks)));
      if (!noted) return std::unexpected(noted.error());
      const std::string text = tell_tasks(*tasks, *settings->workspace);
      return prepare_command({.title = "Run this task?",
                              .text = text,
                              .commands = plan(*tasks),
                              .key = script_of(*tasks)},
                             *settings);
    };
    co_return co_await offload(work, cancel);
  }

 private:
  static Task<Result<std::vector<TaskDefinition>>> load(const ToolCall& call,
                                                        const BuiltinSettings& settings,
                                                        const Cancel& cancel) {
    const ToolInput input(call.input);
    const auto work = [&] { return find_tasks(*settings.workspace, input); };
    co_return co_await offload(work, cancel);
  }

  Task<Result<TerminalView>> run(const TaskDefinition& task, const ToolCall& call,
                                 const BuiltinSettings& settings, const Cancel& cancel) {
    TerminalRequest request = make_request(settings, call, task.folder);
    request.title = task.label;
    request.root = task.root;
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
  return {.id = std::string(kId),
          .reference_name = "runTask",
          .display_name = "Run Task",
          .user_description = "Run a task of .vscode/tasks.json",
          .model_description =
              "Runs a task that .vscode/tasks.json defines, after the tasks it depends on, and "
              "returns what it shows and its exit code. Knows tasks of the types shell and "
              "process. A task in the background goes on; read it with get_task_output.",
          .input_schema = std::string(kTaskSchema),
          .icon = "$(tools)"};
}

std::shared_ptr<Tool> make_run_task(const BuiltinSurroundings& around) {
  return std::make_shared<RunTask>(around.workbench);
}

}  // namespace toolgate
