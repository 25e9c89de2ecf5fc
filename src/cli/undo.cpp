// toolgate undo: takes an edit of a tool back, the last one by default, or lists edits. With or
// without a running gateway.
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/diff_view.h"
#include "cli/input.h"
#include "cli/json_document.h"
#include "cli/moments.h"
#include "cli/records.h"
#include "cli/table.h"
#include "cli/yes_or_no.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr int kUsage = 2;
constexpr std::size_t kListed = 20;
constexpr std::size_t kMostListed = 1'000;

struct UndoCommand {
  CatalogOptions catalog;
  GatewayChoice gateway;
  std::string id;
  bool list = false;
  bool everywhere = false;
  bool yes = false;
  bool force = false;
  bool as_json = false;
};

// Where `toolgate call` would edit, but one that is named: its edits can be undone through the
// gateway of another. Empty: everywhere.
std::string workspace_of(const UndoCommand& command, const Records& records) {
  if (command.everywhere) return {};
  const GatewayLink* gateway = records.gateway();
  if (command.catalog.names_workspace || !gateway || gateway->workspace.empty())
    return workspace_path(command.catalog.settings);
  (void)check_workspace(*gateway, command.catalog);  // only says so
  return gateway->workspace;
}

std::string shown(const JsonNode& node, std::string_view key) {
  return visible_text(on_one_line(text_of(node, key)), false);
}

int list_edits(const UndoCommand& command, Records& records) {
  auto answer = records.edits(kListed, workspace_of(command, records));
  if (!answer) return report_failure(answer.error());
  if (command.as_json) {
    fmt::print("{}\n", *answer);
    return 0;
  }
  const auto document = JsonDocument::parse(std::move(*answer));
  const JsonNode* list = document ? document->root().find("data") : nullptr;
  if (!list) return report_failure({Errc::UpstreamBroken, "the answer is no list", {}});
  const Terminal terminal(stdout);
  Table table(terminal);
  const std::int64_t now = wall_clock();
  for (const JsonNode* edit = list->first; edit; edit = edit->next) {
    std::string note = text_of(*edit, "undone_by").empty() ? "" : "undone";
    if (!text_of(*edit, "undoes").empty()) note = "undo of " + shown(*edit, "undoes");
    const std::int64_t time = number_of(*edit, "time");
    table.add({{shown(*edit, "id"), Paint::Cyan},
               {terminal.is_terminal() ? how_long_ago(time, now) : local_time(time)},
               {shown(*edit, "summary"), Paint::Bold},
               {shown(*edit, "tool")},
               {note, Paint::Dim}});
  }
  if (terminal.is_terminal() && table.empty())
    terminal.print("No tool has edited a file here.\n");
  else
    table.print();
  return 0;
}

// The newest that is neither undone nor an undo.
Result<std::string> find_last(const UndoCommand& command, Records& records) {
  auto answer = records.edits(kMostListed, workspace_of(command, records));
  if (!answer) return std::unexpected(answer.error());
  const auto document = JsonDocument::parse(std::move(*answer));
  const JsonNode* list = document ? document->root().find("data") : nullptr;
  for (const JsonNode* edit = list ? list->first : nullptr; edit; edit = edit->next)
    if (text_of(*edit, "undone_by").empty() && text_of(*edit, "undoes").empty())
      return text_of(*edit, "id");
  return fail(Errc::NotFound, "there is no edit here to undo; --list shows those there are");
}

void print_kept_folders(const JsonNode& undo, std::FILE* to) {
  const JsonNode* kept = undo.find("kept_folders");
  for (const JsonNode* each = kept ? kept->first : nullptr; each; each = each->next)
    fmt::print(to, "{} stays: it holds something else by now\n",
               visible_text(on_one_line(each->text), false));
}

bool agrees_to(const JsonNode& edit, const JsonNode& undo) {
  const std::string diff = text_of(undo, "diff");
  const Terminal terminal(stderr);
  terminal.print(terminal.paint(Paint::Bold,
                                fmt::format("Undo \"{}\" ({})?", shown(edit, "summary"),
                                            how_long_ago(number_of(edit, "time"), wall_clock()))) +
                 "\n");
  print_kept_folders(undo, stderr);
  for (const std::string& line : diff_view(diff, terminal, terminal.width() - 1))
    terminal.print(line + "\n");
  terminal.flush();
  return person_agrees("Undo it?");
}

// What to do about files that are not as the edit left them.
Error with_advice(Error error, const UndoCommand& command) {
  const std::string_view problem = error.message;
  if (!command.force &&
      (problem.contains(" since this edit") || problem.contains(" is undone already")))
    error.message += "; --force undoes it nevertheless, and can be undone itself";
  return error;
}

// Whether to go on.
Result<bool> ask(const UndoCommand& command, const std::string& id, Records& records) {
  if (command.yes) return true;
  auto answer = records.edit(id, command.force);
  if (!answer) return std::unexpected(answer.error());
  const auto document = JsonDocument::parse(std::move(*answer));
  if (!document) return std::unexpected(document.error());
  const JsonNode* undo = document->root().find("undo");
  if (!undo || !truth_of(*undo, "possible"))
    return fail(Errc::Conflict, "{}", undo ? text_of(*undo, "problem") : "it cannot be undone");
  return agrees_to(document->root(), *undo);
}

int run_undo(const UndoCommand& command) {
  auto records = open_records(command.gateway, command.catalog);
  if (!records) return report_failure(records.error());
  if (command.list) return list_edits(command, **records);
  const bool has_person = Terminal(stdin).is_terminal() && Terminal(stderr).is_terminal();
  if (!command.yes && !has_person) {
    fmt::print(stderr, "toolgate: to undo without being asked, add --yes\n");
    return kUsage;
  }
  auto id = command.id.empty() ? find_last(command, **records) : Result<std::string>(command.id);
  if (!id) return report_failure(id.error());
  const auto agreed = ask(command, *id, **records);
  if (!agreed) return report_failure(with_advice(agreed.error(), command));
  if (!*agreed) {
    fmt::print(stderr, "Nothing was changed.\n");
    return 1;
  }
  auto answer = (*records)->undo(*id, command.force);
  if (!answer) return report_failure(with_advice(answer.error(), command));
  const auto document = JsonDocument::parse(std::move(*answer));
  if (!document) return report_failure(document.error());
  if (command.as_json) {
    fmt::print("{}\n", document->text());
    return 0;
  }
  const JsonNode* files = document->root().find("files");
  for (const JsonNode* file = files ? files->first : nullptr; file; file = file->next)
    fmt::print("{} {}\n", shown(*file, "change"), shown(*file, "shown"));
  print_kept_folders(document->root(), stdout);
  if (!files || !files->first) fmt::print("No file had to be changed.\n");
  fmt::print("Undone; 'toolgate undo {}' takes this back.\n", shown(document->root(), "id"));
  return 0;
}

}  // namespace

void add_undo(CLI::App& app, Run& run) {
  auto options = std::make_shared<UndoCommand>();
  CLI::App* command =
      app.add_subcommand("undo", "Take back what a tool did to files, or list such edits");
  command->add_option("ID", options->id, "The edit; else the last one in this workspace");
  command->add_flag("--list", options->list, "List the edits of this workspace, newest first");
  command->add_flag("--everywhere", options->everywhere, "Edits of all workspaces");
  command->add_flag("--yes", options->yes, "Do not ask");
  command->add_flag("--force", options->force,
                    "Also when a file has changed since; what it holds now is kept");
  command->add_flag("--json", options->as_json,
                    "Print the object that the route of /v1/edits answers with");
  add_url_option(*command, options->gateway);
  add_catalog_options(*command, options->catalog);
  command->footer(
      "An undo is an edit too and can be undone. A pipe gets one line per edit: id, time, what, "
      "tool, note.");
  command->callback([options, &run] {
    complete_catalog_options(options->catalog);
    options->gateway.data = options->catalog.data;
    run = [options] { return run_undo(*options); };
  });
}

}  // namespace toolgate
