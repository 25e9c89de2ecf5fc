#include "builtin/terminal_words.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/json.h"
#include "base/utf8.h"
#include "builtin/name_line.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

std::string seconds_of(std::chrono::milliseconds time) {
  return fmt::format("{}.{} s", time.count() / 1000, time.count() % 1000 / 100);
}

std::string signal_words(int number) {
  const char* name = ::sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

std::string details_of(const TerminalView& view) {
  json::object details{{"id", view.id},
                       {"command", mend_utf8(view.command)},
                       {"folder", mend_utf8(view.folder)},
                       {"running", view.is_running},
                       {"sandboxed", view.is_sandboxed},
                       {"durationMs", view.duration.count()},
                       {"bytesLeftOut", view.left_out}};
  if (!view.is_running && view.signal == 0) details["exitCode"] = view.exit_code;
  if (view.signal != 0) details["signal"] = signal_words(view.signal);
  if (!view.ended_by.empty()) details["endedBecause"] = view.ended_by;
  return write_json(json::value(std::move(details)));
}

// Each runs in a shell of its own, so each is judged alone.
CommandVerdict judge_all(const std::vector<PlannedCommand>& commands,
                         const BuiltinSettings& settings) {
  CommandVerdict all{true, {}};
  for (const PlannedCommand& command : commands) {
    CommandPlaces places = settings.command_places;
    places.folder = command.folder;
    CommandVerdict verdict =
        judge_command_line({command.line, command.variables}, settings.command_rules, places);
    if (commands.size() > 1)
      verdict.reason = fmt::format("task '{}': {}", command.task, verdict.reason);
    if (!verdict.is_approved) return verdict;
    all.reason += (all.reason.empty() ? "" : "; ") + verdict.reason;
  }
  return all;
}

// All that the sandbox lets a command touch counts, not only what the words say of it.
std::string approval_key_of(const CommandQuestion& question, const BuiltinSettings& settings,
                            std::string_view sandbox_words) {
  std::string key = with_lengths({sandbox_words, question.key});
  for (const PlannedCommand& command : question.commands) append_with_length(key, command.folder);
  for (const auto& paths : {settings.sandbox.writable, settings.workspace->roots(),
                            settings.sandbox.hidden, settings.workspace->hidden()}) {
    append_with_length(key, std::to_string(paths.size()));
    for (const std::string& path : paths) append_with_length(key, path);
  }
  return sha256_hex(key);
}

}  // namespace

std::string describe_state(const TerminalView& view) {
  if (view.is_running) return "is still running";
  if (!view.failure.empty()) return "could not be run: " + view.failure;
  if (!view.ended_by.empty())
    return fmt::format("was ended after {}: {}", seconds_of(view.duration), view.ended_by);
  if (view.signal != 0)
    return fmt::format("was ended by {} after {}", signal_words(view.signal),
                       seconds_of(view.duration));
  return fmt::format("exited with {} after {}", view.exit_code, seconds_of(view.duration));
}

ToolResult terminal_result(const TerminalView& view, std::string_view message) {
  std::string text;
  if (view.is_running) text = fmt::format("Terminal {} {}.\n", view.id, describe_state(view));
  text += view.output;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  if (!view.is_running) text += fmt::format("[The command {}.]\n", describe_state(view));
  ToolResult result = text_result(mend_utf8(text));
  result.message = message;
  result.details = details_of(view);
  return result;
}

SandboxState sandbox_state(const BuiltinSettings& settings) {
  if (!settings.sandbox.enabled)
    return {false,
            "WITHOUT a sandbox: it can do all that you can (toolgate.sandbox.enabled is off)"};
  if (const std::string& fault = sandbox_fault(); !fault.empty())
    return {false, fmt::format("WITHOUT a sandbox: it can do all that you can, because {}", fault)};
  return {true, settings.sandbox.network
                    ? "in the sandbox, with the network: it writes to the workspace only"
                    : "in the sandbox: it writes to the workspace only, and has no network"};
}

PreparedCall prepare_command(const CommandQuestion& question, const BuiltinSettings& settings) {
  const SandboxState sandbox = sandbox_state(settings);
  const std::string one_line = name_on_one_line(question.text);
  PreparedCall prepared{.invocation_message = "Running " + one_line,
                        .past_tense_message = "Ran " + one_line};
  CommandVerdict verdict{false, "there is no sandbox"};
  if (sandbox.is_on) {
    verdict = judge_all(question.commands, settings);
    if (verdict.is_approved) {
      prepared.not_needed_reason =
          "chat.tools.terminal.autoApprove: " + visible_text(verdict.reason, false);
      return prepared;
    }
  } else {
    prepared.allow_auto_confirm = false;
  }
  prepared.approval_key = approval_key_of(question, settings, sandbox.words);
  prepared.confirmation_title = question.title;
  // What we say comes first: a command of several lines could say something like it. Whoever shows
  // the question makes its text visible.
  const std::string folder = settings.workspace->shown(question.commands.back().folder);
  prepared.confirmation_message = fmt::format(
      "In {}, {}:\n\n{}\n\n", folder == "." ? "the workspace's folder" : name_on_one_line(folder),
      sandbox.words, question.text);
  if (!question.explanation.empty())
    prepared.confirmation_message +=
        fmt::format("The model says: {}\n", name_on_one_line(question.explanation));
  if (sandbox.is_on)
    prepared.confirmation_message +=
        fmt::format("Asked because {}.\n", name_on_one_line(verdict.reason));
  return prepared;
}

ShownCommand shown_command(const BuiltinSettings& settings, const ToolCall& call,
                           std::string script) {
  ShownCommand shown{.input = call.input,
                     .script = std::move(script),
                     .is_sandboxed = sandbox_state(settings).is_on,
                     .has_network = settings.sandbox.network,
                     .writable = settings.sandbox.writable,
                     .hidden = settings.sandbox.hidden};
  std::ranges::copy(settings.workspace->roots(), std::back_inserter(shown.writable));
  std::ranges::copy(settings.workspace->hidden(), std::back_inserter(shown.hidden));
  return shown;
}

TerminalOwner owner_of(const ToolCall& call) {
  return {.caller = call.caller, .session = call.session_id};
}

TerminalRequest make_request(const BuiltinSettings& settings, const ToolCall& call,
                             std::string folder) {
  return {.folder = std::move(folder),
          .owner = owner_of(call),
          .workspace = settings.workspace,
          .sandbox = settings.sandbox,
          .is_sandboxed = sandbox_state(settings).is_on};
}

Terminals::Report report_to(const ToolCall& call) {
  if (!call.services) return {};
  return [services = call.services](std::string last_lines) {
    services->report({.increment = {}, .message = visible_text(last_lines)});
  };
}

}  // namespace toolgate
