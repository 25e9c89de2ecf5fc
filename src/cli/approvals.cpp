// toolgate approvals: what people have allowed for longer than one call; lists it, and takes it
// back. With or without a running gateway.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/json_document.h"
#include "cli/moments.h"
#include "cli/records.h"
#include "cli/table.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr int kUsage = 2;
constexpr std::size_t kShortId = 12;
constexpr std::size_t kWidestWhat = 40;  // on a terminal

struct ApprovalsCommand {
  CatalogOptions catalog;
  GatewayChoice gateway;
  enum class Do { List, Revoke, Reset } what = Do::List;
  std::string id;
  bool yes = false;
  bool as_json = false;
};

std::string shown(const JsonNode& node, std::string_view key) {
  return visible_text(on_one_line(text_of(node, key)), false);
}

// "the tool send_mail", "all tools of mcp:a:b", "send_mail with {…}"
std::string what_is_allowed(const JsonNode& approval) {
  const std::string target = text_of(approval, "target");
  std::string what = target == "server" ? "all tools of " + shown(approval, "label")
                     : target == "arguments"
                         ? shown(approval, "tool") + " with " + shown(approval, "label")
                         : shown(approval, "tool");
  if (text_of(approval, "side") == "results") what = "results of " + what;
  return what;
}

std::string where_it_counts(const JsonNode& approval) {
  std::string scope = text_of(approval, "scope");
  if (scope == "session") return "in session " + shown(approval, "session_id");
  if (scope == "workspace") return "in " + with_tilde(shown(approval, "workspace"));
  return scope;
}

std::string for_whom(const JsonNode& approval) {
  const std::string caller = shown(approval, "caller");
  return caller.empty() ? "anyone" : caller;
}

void print_lines(const JsonNode& list, const Terminal& terminal) {
  Table table(terminal);
  for (const JsonNode* one = list.first; one; one = one->next) {
    const std::int64_t ends = number_of(*one, "expires_at");
    table.add({{shown(*one, "id")},
               {text_of(*one, "scope")},
               {text_of(*one, "target")},
               {what_is_allowed(*one)},
               {for_whom(*one)},
               {shown(*one, "by")},
               {local_time(number_of(*one, "created_at"))},
               {local_time(number_of(*one, "last_used_at"))},
               {ends == 0 ? "" : local_time(ends)}});
  }
  table.print();
}

void print_table(const JsonNode& list, const Terminal& terminal) {
  const std::int64_t now = wall_clock();
  Table table(terminal);
  for (const JsonNode* one = list.first; one; one = one->next) {
    const std::string by = shown(*one, "by");
    std::string facts =
        fmt::format("by {} {}", by, how_long_ago(number_of(*one, "created_at"), now));
    if (for_whom(*one) != by) facts += ", for " + for_whom(*one);
    const std::int64_t used = number_of(*one, "last_used_at");
    if (used > number_of(*one, "created_at")) facts += ", used " + how_long_ago(used, now);
    if (const std::int64_t ends = number_of(*one, "expires_at"); ends != 0)
      facts += fmt::format(", ends in {}", time_until(ends, now));
    table.add({{shown(*one, "id").substr(0, kShortId), Paint::Cyan},
               {cut_to_columns(what_is_allowed(*one), kWidestWhat), Paint::Bold},
               {where_it_counts(*one)},
               {facts, Paint::Dim}});
  }
  table.print();
  terminal.print(fmt::format(
      "\n{}\n{}\n", terminal.paint(Paint::Bold, counted(list.size, "approval") + " remembered"),
      terminal.paint(Paint::Dim,
                     "'toolgate approvals revoke ID' takes one back, 'toolgate approvals reset' "
                     "all.")));
}

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
  if (!terminal.is_terminal())
    print_lines(*list, terminal);
  else if (list->size == 0)
    terminal.print("Nothing is allowed for longer than one call.\n");
  else
    print_table(*list, terminal);
  return 0;
}

// The beginning of an id will do.
Result<std::string> find_approval(Records& records, const std::string& given) {
  auto answer = records.approvals();
  if (!answer) return answer;
  const auto document = JsonDocument::parse(std::move(*answer));
  const JsonNode* list = document ? document->root().find("data") : nullptr;
  std::vector<std::string> found;
  for (const JsonNode* one = list ? list->first : nullptr; one; one = one->next) {
    std::string id = text_of(*one, "id");
    if (id == given) return id;
    if (id.starts_with(given) || id.starts_with("apr_" + given)) found.push_back(std::move(id));
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    return fail(Errc::NotFound, "there is no approval '{}'; 'toolgate approvals' lists them",
                given);
  return fail(Errc::InvalidRequest, "'{}' begins the names of {} approvals: {}", given,
              found.size(), fmt::join(found, ", "));
}

int revoke(const ApprovalsCommand& command, Records& records) {
  auto id = find_approval(records, command.id);
  if (!id) return report_failure(id.error());
  auto answer = records.revoke(std::move(*id));
  if (!answer) return report_failure(answer.error());
  if (command.as_json) {
    fmt::print("{}\n", *answer);
    return 0;
  }
  const auto document = JsonDocument::parse(std::move(*answer));
  if (!document) return report_failure(document.error());
  fmt::print("Revoked: {}, {}.\n", what_is_allowed(document->root()),
             where_it_counts(document->root()));
  return 0;
}

bool person_agrees() {
  fmt::print(stderr, "Take back everything that is allowed for longer than one call? [y/N] ");
  std::fflush(stderr);
  const int answer = std::getchar();
  return answer == 'y' || answer == 'Y';
}

int reset(const ApprovalsCommand& command, Records& records) {
  const bool has_person = Terminal(stdin).is_terminal() && Terminal(stderr).is_terminal();
  if (!command.yes && !has_person) {
    fmt::print(stderr, "toolgate: to take everything back without being asked, add --yes\n");
    return kUsage;
  }
  if (!command.yes && !person_agrees()) {
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
