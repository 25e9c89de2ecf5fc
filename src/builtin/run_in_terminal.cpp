#include "builtin/run_in_terminal.h"

#include <algorithm>

#include "async/offload.h"
#include "builtin/terminal_words.h"
#include "builtin/tool_input.h"
#include "invoke/canonical.h"

namespace toolgate {
namespace {

constexpr std::string_view kId = "run_in_terminal";
constexpr std::chrono::milliseconds kFirstLook{400};
constexpr double kUsualTime = 300'000;
constexpr double kLongestTime = 86'400'000;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1, "maxLength": 65536, "description": "A line for bash."},
    "explanation": {"type": "string", "description": "One sentence for the user: what the command does."},
    "isBackground": {"type": "boolean", "description": "true: for what does not end by itself, such as a server or a watcher; the answer has an id. false (default): the answer comes when the command has ended."},
    "timeout": {"type": "number", "minimum": 0, "description": "Milliseconds after which the command is ended. Default: 300000; 0, or in the background: none."}
  },
  "required": ["command"]
})";

class RunInTerminal final : public Tool {
 public:
  explicit RunInTerminal(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const ToolInput input(call.input);
    const auto settings = workbench_.settings();
    if (input.text("command").contains('\0'))
      co_return fail(Errc::InvalidRequest, "the command has a NUL character");
    const auto check = [&] {
      return workbench_.shown_commands().take(kId, call, shown_command(*settings, call));
    };
    if (auto same = co_await offload(check, cancel); !same) co_return std::unexpected(same.error());
    TerminalRequest request = make_request(*settings, call, settings->workspace->folder());
    request.command = input.text("command");
    const bool is_background = input.flag("isBackground");
    const double time = input.number("timeout").value_or(is_background ? 0 : kUsualTime);
    request.time_limit =
        std::chrono::milliseconds(static_cast<std::int64_t>(std::min(time, kLongestTime)));
    auto view =
        is_background
            ? co_await workbench_.terminals().start(std::move(request), kFirstLook, cancel)
            : co_await workbench_.terminals().run(std::move(request), report_to(call), cancel);
    if (!view) co_return std::unexpected(view.error());
    co_return terminal_result(*view, {});
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call,
                                                    const Cancel& cancel) override {
    const ToolInput input(call.input);
    const auto settings = workbench_.settings();
    const std::string command = input.text("command");
    const std::string explanation = input.text("explanation");
    const CommandQuestion question{
        .title = input.flag("isBackground") ? "Run this command in the background?"
                                            : "Run this command?",
        .text = command,
        .commands = {{.line = command, .folder = settings->workspace->folder()}},
        .explanation = explanation,
        .key = with_lengths({input.flag("isBackground") ? "background" : "", command})};
    const auto work = [&]() -> Result<std::optional<PreparedCall>> {
      auto noted = workbench_.shown_commands().note(kId, call, shown_command(*settings, call));
      if (!noted) return std::unexpected(noted.error());
      return prepare_command(question, *settings);
    };
    co_return co_await offload(work, cancel);
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData run_in_terminal_data() {
  return {.id = std::string(kId),
          .reference_name = "runInTerminal",
          .display_name = "Run In Terminal",
          .user_description = "Run commands in a terminal",
          .model_description =
              "Runs a bash command line in a terminal and returns what it shows and its exit code. "
              "Each command begins in the workspace's folder in a new shell: folders and variables "
              "of earlier commands are forgotten, so join steps with &&. Of long output the "
              "beginning and the end are returned; filter it with grep, head or tail. Commands "
              "mostly run in a sandbox that writes to the workspace and /tmp only and has no "
              "network. What a command leaves running is ended with it: use isBackground for "
              "servers and watchers, and read them with get_terminal_output.",
          .input_schema = std::string(kSchema),
          .icon = "$(terminal)"};
}

std::shared_ptr<Tool> make_run_in_terminal(const BuiltinSurroundings& around) {
  return std::make_shared<RunInTerminal>(around.workbench);
}

}  // namespace toolgate
