#include "builtin/tasks_file.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/json.h"
#include "builtin/shell_command.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostTasks = 500;
constexpr std::size_t kMostInOrder = 50;

class TaskReader {
 public:
  TaskReader(std::string_view workspace, std::string_view home)
      : workspace_(workspace), home_(home) {}

  // Also when it cannot be run: others can.
  TaskDefinition read(const json::value& value) {
    TaskDefinition task;
    task.label = text_of(value, "label");
    if (task.label.empty()) task.label = text_of(value, "taskName");
    task.kind = text_of(value, "type");
    if (task.kind.empty()) task.kind = "shell";
    if (task.kind != "shell" && task.kind != "process") return read_foreign(value, std::move(task));
    label_ = task.label;
    task.is_shell = task.kind != "process";
    task.is_background = find(value, "isBackground") == nullptr
                             ? false
                             : *find(value, "isBackground") == json::value(true);
    if (auto done = read_members(value, task); !done) task.problem = done.error().message;
    return task;
  }

 private:
  // Of an extension, which would know what to run. VS Code calls it by its script if it has no
  // label.
  static TaskDefinition read_foreign(const json::value& value, TaskDefinition task) {
    for (const std::string_view name : {"script", "task"})
      if (task.label.empty() && !text_of(value, name).empty())
        task.label = fmt::format("{}: {}", task.kind, text_of(value, name));
    task.problem = fmt::format(
        "the task '{}' is of the type '{}', which is not supported here, only shell and process "
        "are; run its command with run_in_terminal",
        task.label, task.kind);
    return task;
  }

  Result<void> read_members(const json::value& value, TaskDefinition& task) {
    auto command = read_word(find(value, "command"));
    if (!command) return std::unexpected(command.error());
    task.command = std::move(command->first);
    if (auto done = read_arguments(value, task); !done) return done;
    if (auto done = read_options(value, task); !done) return done;
    return read_depends_on(value, task);
  }

  static std::string text_of(const json::value& value, std::string_view name) {
    const json::value* found = find(value, name);
    return found && found->is_string() ? std::string(found->get_string()) : std::string();
  }

  // A text, a list of texts, or {"value", "quoting"}; and whether it is to be one word.
  Result<std::pair<std::string, bool>> read_word(const json::value* value) {
    if (!value) return std::pair{std::string(), false};
    const bool is_quoted = value->is_object();
    if (is_quoted) value = find(*value, "value");
    std::string text;
    if (value && value->is_string()) text = value->get_string();
    if (value && value->is_array())
      for (const json::value& part : value->get_array())
        if (part.is_string()) text += (text.empty() ? "" : " ") + std::string(part.get_string());
    auto substituted = substitute(text);
    if (!substituted) return std::unexpected(substituted.error());
    return std::pair{std::move(*substituted), is_quoted};
  }

  Result<void> read_arguments(const json::value& value, TaskDefinition& task) {
    const json::value* list = find(value, "args");
    if (!list || !list->is_array()) return {};
    for (const json::value& argument : list->get_array()) {
      auto word = read_word(&argument);
      if (!word) return std::unexpected(word.error());
      task.arguments.push_back(std::move(word->first));
      task.is_quoted.push_back(word->second);
    }
    return {};
  }

  Result<void> read_options(const json::value& value, TaskDefinition& task) {
    const json::value* options = find(value, "options");
    if (!options) return {};
    auto folder = substitute(text_of(*options, "cwd"));
    if (!folder) return std::unexpected(folder.error());
    task.folder = std::move(*folder);
    const json::value* variables = find(*options, "env");
    if (!variables || !variables->is_object()) return {};
    for (const auto& [name, text] : variables->get_object()) {
      if (!text.is_string()) continue;
      auto substituted = substitute(std::string(text.get_string()));
      if (!substituted) return std::unexpected(substituted.error());
      task.environment.emplace_back(name, std::move(*substituted));
    }
    return {};
  }

  Result<void> read_depends_on(const json::value& value, TaskDefinition& task) {
    const json::value* depends = find(value, "dependsOn");
    if (!depends) return {};
    const std::span<const json::value> list =
        depends->is_array()
            ? std::span<const json::value>(depends->get_array().data(), depends->get_array().size())
            : std::span(depends, 1);
    for (const json::value& each : list) {
      if (!each.is_string())
        return fail(Errc::InvalidRequest,
                    "the task '{}' depends on one that is not named by its label, which is not "
                    "supported; run its command with run_in_terminal",
                    label_);
      task.depends_on.emplace_back(each.get_string());
    }
    return {};
  }

  Result<std::string> substitute(std::string_view text) {
    std::string result;
    for (;;) {
      const auto open = text.find("${");
      result += text.substr(0, open);
      if (open == text.npos) return result;
      const auto close = text.find('}', open);
      if (close == text.npos) return result + std::string(text.substr(open));
      const std::string_view name = text.substr(open + 2, close - open - 2);
      if (name == "workspaceFolder" || name == "workspaceRoot" || name == "cwd")
        result += workspace_;
      else if (name == "workspaceFolderBasename")
        result += std::filesystem::path(workspace_).filename().string();
      else if (name == "userHome")
        result += home_;
      else if (name == "pathSeparator" || name == "/")
        result += '/';
      else if (name.find_first_of(":") != name.npos || name.starts_with("file") ||
               name.starts_with("relativeFile") || name == "lineNumber" || name == "selectedText")
        return fail(Errc::InvalidRequest,
                    "the task '{}' uses ${{{}}}, which only an editor knows; run its command with "
                    "run_in_terminal",
                    label_, name);
      else  // a variable of the shell
        result += text.substr(open, close - open + 1);
      text.remove_prefix(close + 1);
    }
  }

  std::string_view workspace_;
  std::string_view home_;
  std::string label_;
};

// A task's label, or that behind its kind: "npm: lint".
const TaskDefinition* find_task(const std::vector<TaskDefinition>& tasks, std::string_view id) {
  if (const auto found = std::ranges::find(tasks, id, &TaskDefinition::label); found != tasks.end())
    return &*found;
  const auto found = std::ranges::find_if(tasks, [&](const TaskDefinition& task) {
    return id == fmt::format("{}: {}", task.kind, task.label) || id == "shell: " + task.label ||
           id == "process: " + task.label;
  });
  return found != tasks.end() ? &*found : nullptr;
}

Result<void> append_in_order(const std::vector<TaskDefinition>& tasks, std::string_view id,
                             std::vector<std::string>& path, std::vector<TaskDefinition>& result) {
  const TaskDefinition* task = find_task(tasks, id);
  if (!task) {
    std::string known;
    for (const TaskDefinition& each : tasks)
      if (each.problem.empty())
        known += fmt::format("{}'{}'", known.empty() ? "" : ", ", each.label);
    return fail(Errc::NotFound, "there is no task '{}' in .vscode/tasks.json; it has {}", id,
                known.empty() ? "none that can be run here" : known);
  }
  if (!task->problem.empty()) return fail(Errc::InvalidRequest, "{}", task->problem);
  if (std::ranges::find(path, task->label) != path.end())
    return fail(Errc::InvalidRequest, "the task '{}' depends on itself", task->label);
  if (std::ranges::find(result, task->label, &TaskDefinition::label) != result.end()) return {};
  if (path.size() + result.size() >= kMostInOrder)
    return fail(Errc::InvalidRequest, "the task depends on more than {} others", kMostInOrder);
  path.push_back(task->label);
  for (const std::string& before : task->depends_on)
    if (auto done = append_in_order(tasks, before, path, result); !done) return done;
  path.pop_back();
  result.push_back(*task);
  return {};
}

}  // namespace

Result<std::string> find_task_root(const Workspace& workspace, const std::string& given) {
  if (given.empty()) return workspace.folder();
  const auto named = workspace.open_folder(given);
  if (!named) return std::unexpected(named.error());
  const auto found = std::ranges::find(workspace.real_roots(), named->path);
  if (found != workspace.real_roots().end())
    return workspace.roots()[static_cast<std::size_t>(found - workspace.real_roots().begin())];
  return fail(Errc::InvalidRequest, "{} is no folder of the workspace; there is {}",
              visible_text(given, false),
              visible_text(fmt::format("{}", fmt::join(workspace.roots(), ", ")), false));
}

Result<std::vector<TaskDefinition>> parse_tasks_file(std::string_view text,
                                                     std::string_view workspace,
                                                     std::string_view home) {
  const auto value = parse_jsonc(text);
  if (!value)
    return fail(Errc::InvalidRequest, ".vscode/tasks.json cannot be read: {}",
                value.error().message);
  const json::value* list = find(*value, "tasks");
  if (!list || !list->is_array())
    return fail(Errc::InvalidRequest, ".vscode/tasks.json has no list \"tasks\"");
  if (list->get_array().size() > kMostTasks)
    return fail(Errc::InvalidRequest, ".vscode/tasks.json has more than {} tasks", kMostTasks);
  std::vector<TaskDefinition> tasks;
  for (const json::value& each : list->get_array()) {
    if (!each.is_object()) continue;
    TaskDefinition task = TaskReader(workspace, home).read(each);
    if (!task.label.empty()) tasks.push_back(std::move(task));
  }
  return tasks;
}

Result<std::vector<TaskDefinition>> order_tasks(const std::vector<TaskDefinition>& tasks,
                                                std::string_view id) {
  std::vector<TaskDefinition> result;
  std::vector<std::string> path;
  if (auto done = append_in_order(tasks, id, path, result); !done)
    return std::unexpected(done.error());
  std::erase_if(result, [](const TaskDefinition& task) { return task.command.empty(); });
  if (result.empty()) return fail(Errc::InvalidRequest, "the task '{}' has no command", id);
  return result;
}

std::string command_line_of(const TaskDefinition& task) {
  std::string line =
      task.is_shell ? task.command : write_shell_words({{.text = task.command, .is_known = true}});
  for (std::size_t i = 0; i < task.arguments.size(); ++i) {
    const std::string& argument = task.arguments[i];
    const bool is_one_word =
        !task.is_shell || task.is_quoted[i] || argument.find_first_of(" \t\n") != argument.npos;
    line += ' ';
    line += is_one_word ? write_shell_words({{.text = argument, .is_known = true}}) : argument;
  }
  return line;
}

}  // namespace toolgate
