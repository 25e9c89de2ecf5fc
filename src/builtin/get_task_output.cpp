#include "builtin/get_task_output.h"

#include "async/offload.h"
#include "builtin/name_line.h"
#include "builtin/tasks_file.h"
#include "builtin/terminal_words.h"
#include "builtin/tool_input.h"

namespace toolgate {
namespace {

std::string label_of(std::string id) {
  for (const std::string_view kind : {"shell: ", "process: "})
    if (id.starts_with(kind)) return id.substr(kind.size());
  return id;
}

class GetTaskOutput final : public Tool {
 public:
  explicit GetTaskOutput(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const ToolInput input(call.input);
    const std::string label = label_of(input.text("id"));
    std::string root = input.text("workspaceFolder");
    if (!root.empty()) {
      const auto settings = workbench_.settings();
      const auto find = [&] { return find_task_root(*settings->workspace, root); };
      auto found = co_await offload(find, cancel);
      if (!found) co_return std::unexpected(found.error());
      root = std::move(*found);
    }
    auto view = co_await workbench_.terminals().latest({.caller = call.caller, .session = {}},
                                                       Terminals::Which::Task, label, root);
    if (!view)
      co_return fail(Errc::NotFound, "the task '{}' has not been run; run it with run_task", label);
    co_return terminal_result(*view, {});
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string label = name_on_one_line(ToolInput(call.input).text("id"));
    co_return PreparedCall{.invocation_message = "Reading the output of task " + label,
                           .past_tense_message = "Read the output of task " + label};
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData get_task_output_data() {
  return {.id = "get_task_output",
          .reference_name = "getTaskOutput",
          .display_name = "Get Task Output",
          .user_description = "Read what a task has shown",
          .model_description =
              "Returns what the latest run of a task has shown so far, and whether it still runs.",
          .input_schema = std::string(kTaskSchema),
          .icon = "$(tools)",
          .is_read_only = true};
}

std::shared_ptr<Tool> make_get_task_output(const BuiltinSurroundings& around) {
  return std::make_shared<GetTaskOutput>(around.workbench);
}

}  // namespace toolgate
