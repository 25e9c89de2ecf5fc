// toolgate approvals: what people have allowed for longer than one call; lists it, and takes it
// back. With or without a running gateway.
#include <cstdio>
#include <memory>

#include "cli/approval_list.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/json_document.h"
#include "cli/records.h"
#include "cli/yes_or_no.h"

namespace toolgate {
namespace {

constexpr int kUsage = 2;

struct ApprovalsCommand {
  CatalogOptions catalog;
  GatewayChoice gateway;
  enum class Do { List, Revoke, Reset } what = Do::List;
  std::string id;
  bool yes = false;
  bool as_json = false;
};

int list_approvals(const ApprovalsCommand& command, Records& records) {
  auto answer = records.approvals();
  if (!answer) return report_failure(answer.error());
  if (command.as_json) {
    fmt::print("{}\n", *answer);
    return 0;
  }
  const auto document = JsonDocument::parse(std::move(*answer));
  const JsonNode* list = document ? document->root().find("data") : nullptr;
  if (!list) return report_failure({Errc::UpstreamBroken, "the answer is no list", {}});
  const Terminal terminal(stdout);
  print_approvals(*list, terminal);
  if (terminal.is_terminal() && list->size > 0)
    terminal.print(terminal.paint(Paint::Dim,
                                  "'toolgate approvals revoke ID' takes one back, 'toolgate "
                                  "approvals reset' all.") +
                   "\n");
  return 0;
}

int revoke(const ApprovalsCommand& command, Records& records) {
  auto approvals = records.approvals();
  if (!approvals) return report_failure(approvals.error());
  auto id = find_approval(std::move(*approvals), command.id);
  if (!id) return report_failure(id.error());
  auto answer = records.revoke(std::move(*id));
  if (!answer) return report_failure(answer.error());
  if (command.as_json) {
    fmt::print("{}\n", *answer);
    return 0;
  }
  const auto document = JsonDocument::parse(std::move(*answer));
  if (!document) return report_failure(document.error());
  fmt::print("Revoked: {}.\n", describe_approval(document->root()));
  return 0;
}

int reset(const ApprovalsCommand& command, Records& records) {
  const bool has_person = Terminal(stdin).is_terminal() && Terminal(stderr).is_terminal();
  if (!command.yes && !has_person) {
    fmt::print(stderr, "toolgate: to take everything back without being asked, add --yes\n");
    return kUsage;
  }
  if (!command.yes &&
      !person_agrees("Take back everything that is allowed for longer than one call?")) {
    fmt::print(stderr, "Nothing was changed.\n");
    return 1;
  }
  auto answer = records.reset();
  if (!answer) return report_failure(answer.error());
  const auto document = JsonDocument::parse(std::move(*answer));
  if (!document) return report_failure(document.error());
  if (command.as_json)
    fmt::print("{}\n", document->text());
  else
    fmt::print(
        "Revoked {}.\n",
        counted(static_cast<std::size_t>(number_of(document->root(), "revoked")), "approval"));
  return 0;
}

int run_approvals(const ApprovalsCommand& command) {
  auto records = open_records(command.gateway, command.catalog);
  if (!records) return report_failure(records.error());
  switch (command.what) {
    case ApprovalsCommand::Do::Revoke:
      return revoke(command, **records);
    case ApprovalsCommand::Do::Reset:
      return reset(command, **records);
    case ApprovalsCommand::Do::List:
      break;
  }
  return list_approvals(command, **records);
}

}  // namespace

void add_approvals(CLI::App& app, Run& run) {
  auto options = std::make_shared<ApprovalsCommand>();
  CLI::App* command = app.add_subcommand(
      "approvals", "List what is allowed for longer than one call, or take it back");
  command->add_flag("--json", options->as_json,
                    "Print the object that the route of /v1/approvals answers with");
  add_url_option(*command, options->gateway);
  add_catalog_options(*command, options->catalog);
  command->require_subcommand(0, 1);
  command->add_subcommand("list", "List it, as without this word")->fallthrough();
  CLI::App* revoke = command->add_subcommand("revoke", "Take one back")->fallthrough();
  revoke->add_option("ID", options->id, "Its id, or the beginning of it")->required();
  CLI::App* reset = command->add_subcommand("reset", "Take all back")->fallthrough();
  reset->add_flag("--yes", options->yes, "Do not ask");
  command->footer(
      "A pipe gets one line per approval: id, scope, target, what, caller, by, created, used, "
      "end.");
  command->callback([options, revoke, reset, &run] {
    complete_catalog_options(options->catalog);
    options->gateway.data = options->catalog.data;
    using Do = ApprovalsCommand::Do;
    options->what = revoke->parsed() ? Do::Revoke : reset->parsed() ? Do::Reset : Do::List;
    run = [options] { return run_approvals(*options); };
  });
}

}  // namespace toolgate
