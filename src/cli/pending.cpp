// toolgate pending: the calls that wait for a person in a running gateway.
#include <algorithm>
#include <memory>

#include "cli/call_view.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/moments.h"
#include "cli/pending_calls.h"
#include "cli/table.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kShortId = 12;

struct PendingCommand {
  GatewayChoice gateway;
  std::string id;
  bool as_json = false;
};

std::string what_waits(const WaitingCall& call) {
  if (call.decided) return "approved; waits to be resumed";
  return call.is_about_result() ? "its result waits" : "waits";
}

void print_lines(const std::vector<WaitingCall>& calls, const Terminal& terminal) {
  Table table(terminal);
  for (const WaitingCall& call : calls)
    table.add({{call.id},
               {visible_text(call.name, false)},
               {what_waits(call)},
               {visible_text(call.source, false)},
               {visible_text(call.caller, false)},
               {visible_text(call.session_id, false)},
               {call.expires_at == 0 ? "" : local_time(call.expires_at)},
               {arguments_on_one_line(call.arguments)}});
  table.print();
}

void print_calls(const std::vector<WaitingCall>& calls, const Terminal& terminal) {
  const std::int64_t now = wall_clock();
  std::size_t name_columns = 0;
  for (const WaitingCall& call : calls)
    name_columns = std::max(name_columns, columns_of(visible_text(call.name, false)));
  for (const WaitingCall& call : calls) {
    std::string facts = how_long_ago(call.created_at, now);
    if (call.decided || call.is_about_result()) facts += ", " + what_waits(call);
    if (call.expires_at != 0) facts += fmt::format(", {} left", time_until(call.expires_at, now));
    facts += "  " + visible_text(call.source, false);
    const std::string name = pad_to_columns(visible_text(call.name, false), name_columns);
    const std::size_t used = 2 + kShortId + 2 + columns_of(name) + 2;
    const std::size_t width = terminal.width();
    terminal.print(fmt::format(
        "  {}  {}  {}\n", terminal.paint(Paint::Cyan, call.id.substr(0, kShortId)),
        terminal.paint(Paint::Bold, name),
        terminal.paint(Paint::Dim, cut_to_columns(facts, width - std::min(width, used)))));
    terminal.print(fmt::format("      {}\n",
                               cut_to_columns(arguments_on_one_line(call.arguments), width - 6)));
    if (!call.changes.empty())
      terminal.print("      " +
                     terminal.paint(Paint::Yellow, "the tool has changed since it was approved") +
                     "\n");
  }
  terminal.print(fmt::format(
      "\n{}\n{}\n", terminal.paint(Paint::Bold, counted(calls.size(), "call") + " to decide about"),
      terminal.paint(Paint::Dim,
                     "'toolgate pending ID' shows one in full; approve ID, deny ID and skip ID "
                     "decide.\nThe beginning of an ID will do, and 'last' is the newest.")));
}

int show_one(const PendingCommand& command, GatewayClient& client) {
  const auto id = find_id(client, command.id);
  if (!id) return report_failure(id.error());
  if (command.as_json) {
    const auto row = client.ask("GET", call_path(*id));
    if (!row) return report_failure(row.error());
    fmt::print("{}\n", *row);
    return 0;
  }
  const auto call = read_call(client, *id);
  if (!call) return report_failure(call.error());
  const Terminal terminal(stdout);
  terminal.print(describe_call(*call, terminal));
  std::string state = call->waits() || call->decided ? what_waits(*call) : call->state;
  if (call->expires_at != 0 && call->waits())
    state += fmt::format("; {} left", time_until(call->expires_at, wall_clock()));
  terminal.print(fmt::format("\n{}  {}\n", terminal.paint(Paint::Cyan, call->id), state));
  return 0;
}

int list_pending(const PendingCommand& command) {
  auto link = need_gateway(command.gateway);
  if (!link) return report_failure(link.error());
  GatewayClient client(std::move(*link));
  if (!command.id.empty()) return show_one(command, client);
  if (command.as_json) {
    const auto list = list_waiting(client);
    if (!list) return report_failure(list.error());
    fmt::print("{}\n", *list);
    return 0;
  }
  const auto calls = read_waiting(client);
  if (!calls) return report_failure(calls.error());
  const Terminal terminal(stdout);
  if (!terminal.is_terminal())
    print_lines(*calls, terminal);
  else if (calls->empty())
    terminal.print("No call waits for a decision.\n");
  else
    print_calls(*calls, terminal);
  return 0;
}

}  // namespace

void add_pending(CLI::App& app, Run& run) {
  auto options = std::make_shared<PendingCommand>();
  CLI::App* command =
      app.add_subcommand("pending", "List the calls that wait for a decision, or show one");
  command->add_option("ID", options->id, "Show this one in full: its id, a beginning, or 'last'");
  command->add_flag("--json", options->as_json,
                    "Print the object that GET /v1/invocations answers with");
  add_gateway_options(*command, options->gateway);
  command->footer(
      "A pipe gets one line per call: id, tool, state, source, caller, session, end, arguments.");
  command->callback([options, &run] { run = [options] { return list_pending(*options); }; });
}

}  // namespace toolgate
