#include "cli/chat_commands.h"

#include <algorithm>

#include "base/ids.h"
#include "base/nearest.h"
#include "cli/approval_list.h"
#include "cli/json_document.h"
#include "cli/table.h"
#include "cli/tool_list.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::string_view kExit = "/exit";
constexpr std::size_t kMostListed = 100;

std::vector<std::string> model_ids(const JsonNode& answer) {
  std::vector<std::string> ids;
  const JsonNode* list = answer.find("data");
  for (const JsonNode* one = list ? list->first : nullptr; one; one = one->next)
    ids.push_back(text_of(*one, "id"));
  return ids;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& all) {
  Nearest nearest(name);
  for (const std::string& one : all) nearest.consider(one);
  return nearest.result().empty() ? "" : fmt::format(" Did you mean {}?", nearest.result());
}

}  // namespace

struct ChatCommands::Command {
  std::string name;
  std::string takes;
  std::string does;
  Task<> (ChatCommands::*run)(std::string);  // null: leaves
};

const std::vector<ChatCommands::Command>& ChatCommands::table() {
  static const std::vector<Command> kTable{
      {"/help", "", "this list", &ChatCommands::help},
      {"/tools", "[FILTER]", "the tools there are", &ChatCommands::tools},
      {"/model", "[NAME]", "list, or change it", &ChatCommands::model},
      {"/approvals", "", "what you allowed", &ChatCommands::approvals},
      {"/approvals", "revoke ID", "take one back", &ChatCommands::approvals},
      {"/approvals", "reset", "take all back", &ChatCommands::approvals},
      {"/new", "", "begin afresh", &ChatCommands::begin_anew},
      {std::string(kExit), "", "leave", nullptr}};
  return kTable;
}

bool is_chat_command(std::string_view line) {
  if (!line.starts_with('/') || line.contains('\n')) return false;
  const std::string_view word = line.substr(1, line.find(' ') - 1);
  return std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

Task<bool> ChatCommands::run(std::string line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string name = line.substr(0, space);
  const std::string argument = on_one_line(std::string_view(line).substr(space));
  const auto found = std::ranges::find(table(), name, &Command::name);
  if (found == table().end()) {
    std::vector<std::string> names;
    for (const Command& one : table()) names.push_back(one.name);
    desk_.say(Paint::Yellow, fmt::format("There is no command {}.{} /help lists them.", name,
                                         did_you_mean(name, names)));
    co_return true;
  }
  if (!found->run) co_return false;
  co_await (this->*found->run)(argument);
  co_return true;
}

Task<ChatWords> ChatCommands::words() {
  ChatWords words;
  for (const Command& one : table())
    if (words.commands.empty() || words.commands.back() != one.name)
      words.commands.push_back(one.name);
  const auto tools = co_await get("/v1/tools");
  const auto sets = co_await get("/v1/toolsets");
  words.references = read_reference_names(tools.value_or("{}"), sets.value_or("{}"));
  if (const auto document = JsonDocument::parse((co_await get("/v1/models")).value_or("{}")))
    words.models = model_ids(document->root());
  co_return words;
}

Task<> ChatCommands::help(std::string) {
  const Terminal& terminal = desk_.terminal;
  Table commands(terminal);
  for (const Command& one : table())
    commands.add(
        {{one.takes.empty() ? one.name : one.name + " " + one.takes, Paint::Cyan}, {one.does}});
  commands.print();
  terminal.print("\n");
  Table keys(terminal);
  keys.add({{"#name Tab", Paint::Cyan}, {"a tool or tool set"}});
  keys.add({{"\\ Enter, Alt-Enter", Paint::Cyan}, {"one more line"}});
  keys.add({{"Up, Down", Paint::Cyan}, {"earlier prompts"}});
  keys.add({{"Ctrl-C", Paint::Cyan}, {"cancel"}});
  keys.add({{"Ctrl-D", Paint::Cyan}, {"leave"}});
  keys.print();
  co_return;
}

Task<> ChatCommands::tools(std::string filter) {
  std::string path = "/v1/tools?include_disabled=true";
  if (!filter.empty()) {
    const bool is_glob = filter.find_first_of("*?") != filter.npos;
    path += "&name=" + encode_percent(is_glob ? filter : "*" + filter + "*");
  }
  auto answer = co_await get(path);
  const auto document = answer ? JsonDocument::parse(std::move(*answer))
                               : Result<JsonDocument>(std::unexpected(answer.error()));
  if (!document) {
    say_failure(document.error());
    co_return;
  }
  std::vector<ListedTool> tools;
  if (const JsonNode* list = document->root().find("data"))
    for (const JsonNode* one = list->first; one; one = one->next)
      tools.push_back(read_listed_tool(*one));
  if (tools.empty()) {
    desk_.say(Paint::Plain, filter.empty() ? "There are no tools." : "No tool is like that.");
    co_return;
  }
  const ToolLister lister(desk_.terminal);
  const bool is_overview = tools.size() > kMostListed && filter.empty();
  if (is_overview)
    lister.print_overview(tools);
  else
    lister.print_groups(tools);
  desk_.say(Paint::Bold, tool_summary(tools));
  if (is_overview) desk_.say(Paint::Dim, "/tools FILTER lists those whose names are like it.");
}

Task<> ChatCommands::model(std::string wanted) {
  auto answer = co_await get("/v1/models");
  const auto document = answer ? JsonDocument::parse(std::move(*answer))
                               : Result<JsonDocument>(std::unexpected(answer.error()));
  if (!document) {
    say_failure(document.error());
    co_return;
  }
  const std::vector<std::string> ids = model_ids(document->root());
  std::string& chosen = conversation_.options.model;
  if (wanted.empty()) {
    const std::string& current = chosen.empty() ? conversation_.answered_by : chosen;
    for (const std::string& id : ids)
      desk_.terminal.print(fmt::format("  {} {}\n", mark_of(id == current, desk_.terminal),
                                       visible_text(id, false)));
  } else if (std::ranges::find(ids, wanted) == ids.end()) {
    desk_.say(Paint::Yellow, fmt::format("There is no model '{}'.{} /model lists them.", wanted,
                                         did_you_mean(wanted, ids)));
  } else {
    chosen = wanted;
    desk_.say(Paint::Dim, fmt::format("From now on {} answers; it knows what was said.", wanted));
  }
}

Task<> ChatCommands::approvals(std::string what) {
  const std::size_t space = std::min(what.find(' '), what.size());
  const std::string word = what.substr(0, space);
  const std::string id = on_one_line(std::string_view(what).substr(space));
  if (word.empty() || word == "list")
    co_await list_approvals();
  else if (word == "revoke" && !id.empty())
    co_await revoke(id);
  else if (word == "reset" && id.empty())
    co_await reset();
  else
    desk_.say(Paint::Yellow, "/approvals takes nothing, 'revoke ID' or 'reset'.");
}

Task<> ChatCommands::list_approvals() {
  auto answer = co_await get("/v1/approvals");
  const auto document = answer ? JsonDocument::parse(std::move(*answer))
                               : Result<JsonDocument>(std::unexpected(answer.error()));
  const JsonNode* list = document ? document->root().find("data") : nullptr;
  if (!list) {
    say_failure(document ? Error{Errc::UpstreamBroken, "the answer is no list", {}}
                         : document.error());
    co_return;
  }
  print_approvals(*list, desk_.terminal);
  if (list->size > 0)
    desk_.say(Paint::Dim, "/approvals revoke ID takes one back, /approvals reset all.");
}

Task<> ChatCommands::revoke(std::string id) {
  auto approvals = co_await get("/v1/approvals");
  const auto found = approvals ? find_approval(std::move(*approvals), id)
                               : Result<std::string>(std::unexpected(approvals.error()));
  if (!found) {
    say_failure(found.error());
    co_return;
  }
  auto answer =
      co_await client_.send("DELETE", "/v1/approvals/" + encode_percent(*found), {}, never_);
  const auto document = answer ? JsonDocument::parse(std::move(*answer))
                               : Result<JsonDocument>(std::unexpected(answer.error()));
  if (document)
    desk_.say(Paint::Plain, fmt::format("Revoked: {}.", describe_approval(document->root())));
  else
    say_failure(document.error());
}

Task<> ChatCommands::reset() {
  if (!co_await agrees("Take back everything that is allowed for longer than one call? [y/N] ")) {
    desk_.say(Paint::Plain, "Nothing was changed.");
    co_return;
  }
  auto answer = co_await client_.send("DELETE", "/v1/approvals", {}, never_);
  const auto document = answer ? JsonDocument::parse(std::move(*answer))
                               : Result<JsonDocument>(std::unexpected(answer.error()));
  if (!document) {
    say_failure(document.error());
    co_return;
  }
  const auto revoked = static_cast<std::size_t>(number_of(document->root(), "revoked"));
  desk_.say(Paint::Plain, fmt::format("Revoked {}.", counted(revoked, "approval")));
}

Task<bool> ChatCommands::agrees(std::string question) {
  const int interrupts = desk_.interrupts.count();
  desk_.keyboard->listen();
  desk_.status.show(question);
  desk_.terminal.flush();
  std::optional<char> key;
  while (!(key = desk_.keyboard->take()) && desk_.interrupts.count() == interrupts &&
         !desk_.keyboard->is_gone())
    co_await desk_.changed.wait();
  desk_.status.clear();
  if (!desk_.interrupts.is_told_to_end()) desk_.interrupts.forget(interrupts);
  co_return key == 'y' || key == 'Y';
}

Task<> ChatCommands::begin_anew(std::string) {
  conversation_.messages.clear();
  conversation_.options.session = make_id("chat_");
  desk_.say(Paint::Dim, "A fresh conversation: what was said before is forgotten.");
  co_return;
}

Task<Result<std::string>> ChatCommands::get(std::string path) {
  co_return co_await client_.send("GET", std::move(path), {}, never_);
}

void ChatCommands::say_failure(const Error& error) {
  desk_.say(Paint::Red, error.message);
}

}  // namespace toolgate
