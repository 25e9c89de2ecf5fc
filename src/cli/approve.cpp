// toolgate approve, deny, skip: what a person says about a call that waits in a running gateway.
#include <chrono>
#include <memory>
#include <thread>

#include "cli/call_view.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/json_document.h"
#include "cli/moments.h"
#include "cli/outcome.h"
#include "cli/pending_calls.h"
#include "cli/terminal.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr int kUsage = 2;

struct DecideCommand {
  GatewayChoice gateway;
  std::string id;
  Answer answer;
  std::string parameters;
  std::string remember_for;
  bool run = false;
  bool as_json = false;
};

std::string answer_words(const Answer& answer) {
  if (answer.decision == "deny") return "denied";
  if (answer.decision == "skip") return "skipped";
  if (answer.scope == "always") return "allowed always";
  return answer.scope.empty() || answer.scope == "once" ? "allowed once"
                                                        : "allowed in this " + answer.scope;
}

void print_decision(const Answer& answer, const WaitingCall& before, const WaitingCall& after) {
  const Terminal terminal(stdout);
  const bool allows = answer.decision == "allow";
  terminal.print(fmt::format(
      "{} {} {}  {}\n",
      allows ? terminal.paint(Paint::Green, "✓") : terminal.paint(Paint::Red, "✗"),
      terminal.paint(Paint::Bold, visible_text(before.name, false)), answer_words(answer),
      terminal.paint(Paint::Dim, cut_to_columns(arguments_on_one_line(after.arguments),
                                                terminal.width() - 40))));
  if (allows && after.decided && after.state == "WaitingForConfirmation")
    terminal.print(fmt::format(
        "Whoever asked for it has gone. It runs when it is resumed, with 'toolgate approve --run "
        "{}',\nor not at all.\n",
        after.id));
}

// Whoever asked is told how it ends; what fails at once is told here too.
void tell_early_failure(GatewayClient& client, const std::string& id) {
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  constexpr int kMostLooks = 6;
  for (int looks = 0; looks < kMostLooks; ++looks) {
    auto row = client.ask("GET", call_path(id));
    const auto document = row ? JsonDocument::parse(std::move(*row))
                              : Result<JsonDocument>(std::unexpected(row.error()));
    if (!document) return;
    const std::string state = text_of(document->root(), "state");
    if (state == "Completed" || state == "Cancelled") {
      if (const std::string error = text_of(document->root(), "error"); !error.empty())
        fmt::print(stderr, "toolgate: it was allowed, and failed: {}\n", visible_text(error));
      return;
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

int resume(const DecideCommand& command, GatewayClient& client, const std::string& id) {
  auto outcome = client.ask("POST", call_path(id, "/resume"), "{}");
  if (!outcome) return report_failure(outcome.error());
  const auto status = print_outcome(std::move(*outcome), command.as_json);
  return status ? *status : report_failure(status.error());
}

int send_decision(const DecideCommand& command, GatewayClient& client) {
  const auto id = find_id(client, command.id);
  if (!id) return report_failure(id.error());
  // Bound to what stands there now, not to what may stand there when the answer comes.
  const auto before = read_call(client, *id);
  if (!before) return report_failure(before.error());
  if (command.run && before->decided && before->state == "WaitingForConfirmation")
    return resume(command, client, *id);
  Answer answer = command.answer;
  answer.arguments_hash = before->arguments_hash;
  const auto row = client.ask("POST", call_path(*id, "/confirm"), write_answer(answer));
  if (!row) return report_failure(row.error());
  const auto after = parse_waiting_call(*row);
  if (!after) return report_failure(after.error());
  const bool can_be_resumed = after->decided && after->state == "WaitingForConfirmation";
  if (command.run && can_be_resumed) return resume(command, client, *id);
  if (command.as_json)
    fmt::print("{}\n", *row);
  else
    print_decision(answer, *before, *after);
  if (answer.decision == "allow" && !can_be_resumed) tell_early_failure(client, *id);
  return 0;
}

int decide(DecideCommand command) {
  if (!command.parameters.empty()) {
    auto parameters = read_json_argument(command.parameters, "--parameters");
    if (!parameters) {
      report_failure(parameters.error());
      return kUsage;
    }
    command.answer.parameters = std::move(*parameters);
  }
  if (!command.remember_for.empty()) {
    const auto time = parse_duration(command.remember_for);
    if (!time) {
      report_failure(time.error());
      return kUsage;
    }
    command.answer.remember_for = *time;
  }
  auto link = need_gateway(command.gateway);
  if (!link) return report_failure(link.error());
  GatewayClient client(std::move(*link));
  return send_decision(command, client);
}

// What approve, deny and skip have in common.
std::shared_ptr<DecideCommand> add_decision(CLI::App& app, Run& run, const std::string& name,
                                            const std::string& description, std::string decision,
                                            CLI::App*& command) {
  auto options = std::make_shared<DecideCommand>();
  options->answer.decision = std::move(decision);
  command = app.add_subcommand(name, description);
  command
      ->add_option("ID", options->id,
                   "The call: its id, the beginning of it, or 'last' for the newest")
      ->required();
  command->add_flag("--json", options->as_json,
                    "Print the object that POST /v1/invocations/ID/confirm answers with");
  add_gateway_options(*command, options->gateway);
  command->callback([options, &run] { run = [options] { return decide(*options); }; });
  return options;
}

}  // namespace

void add_approve(CLI::App& app, Run& run) {
  CLI::App* command = nullptr;
  const auto options =
      add_decision(app, run, "approve", "Let a call that waits run", "allow", command);
  command->add_option("--scope", options->answer.scope, "For how long it counts")
      ->check(CLI::IsMember({"once", "session", "workspace", "always"}))
      ->default_str("once");
  command
      ->add_option("--target", options->answer.target,
                   "What a longer approval is for; without it, the tool, or exactly this where "
                   "only that counts")
      ->check(CLI::IsMember({"tool", "server", "arguments"}));
  command->add_option("--for", options->remember_for, "When a longer approval ends: 30m, 8h, 7d")
      ->type_name("TIME");
  command
      ->add_option("--parameters", options->parameters,
                   "Run it with these arguments instead: JSON, @file, or - for standard input")
      ->type_name("JSON");
  command->add_flag("--run", options->run,
                    "Where whoever asked has gone, run it now and print the result");
}

void add_deny(CLI::App& app, Run& run) {
  CLI::App* command = nullptr;
  const auto options = add_decision(app, run, "deny", "Refuse a call that waits", "deny", command);
  command->add_option("--message", options->answer.message, "What the model is told")
      ->type_name("TEXT");
}

void add_skip(CLI::App& app, Run& run) {
  CLI::App* command = nullptr;
  const auto options = add_decision(
      app, run, "skip", "Let the model go on without a call that waits", "skip", command);
  command->add_option("--message", options->answer.message, "What the model is told")
      ->type_name("TEXT");
}

}  // namespace toolgate
