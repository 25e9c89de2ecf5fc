#include "cli/outcome.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <fmt/format.h>

#include "cli/json_document.h"
#include "cli/moments.h"
#include "cli/terminal.h"
#include "invoke/visible_text.h"
#include "tokens/base64.h"

namespace toolgate {
namespace {

bool is_text(const JsonNode& part) {
  return text_of(part, "type") == "text";
}

void print_text(const JsonNode& part, const Terminal& terminal) {
  const std::string text = text_of(part, "text");
  terminal.print(terminal.is_terminal() ? visible_text(text) : text);
  if (!text.ends_with('\n')) terminal.print("\n");
}

void print_data(const JsonNode& part, const Terminal& terminal) {
  const std::string data = text_of(part, "data");
  if (!terminal.is_terminal()) {
    terminal.print(decode_base64_prefix(data, data.size()));
    return;
  }
  const std::string size = counted(base64_bytes(data), "byte");
  terminal.print(terminal.paint(Paint::Dim,
                                fmt::format("({}, {}; a pipe or a file gets the data)\n",
                                            visible_text(text_of(part, "mimeType"), false), size)));
}

// Words between the bytes of a picture would spoil the file it is written to: they go beside it.
void print_content(const JsonNode& content) {
  const Terminal terminal(stdout);
  bool has_data = false;
  for (const JsonNode* part = content.first; part; part = part->next)
    has_data = has_data || !is_text(*part);
  const Terminal beside(has_data && !terminal.is_terminal() ? stderr : stdout);
  for (const JsonNode* part = content.first; part; part = part->next)
    is_text(*part) ? print_text(*part, beside) : print_data(*part, terminal);
}

// "allowed once by operator", "a setting: chat.tools.global.autoApprove", …
std::string decision_words(const JsonNode& decision) {
  const std::string kind = text_of(decision, "kind");
  const std::string by = text_of(decision, "by");
  const std::string scope = text_of(decision, "scope");
  const std::string from = by.empty() ? "" : " by " + by;
  const bool is_place = scope == "session" || scope == "workspace";
  if (kind == "UserAction")
    return fmt::format("allowed {}{}{}", is_place ? "in this " : "", scope, from);
  if (kind == "LmServicePerTool") return fmt::format("approval remembered ({})", scope);
  if (kind == "Setting") return "allowed by " + text_of(decision, "setting");
  if (kind == "ConfirmationNotNeeded") return "no question needed";
  if (kind == "Skipped") return "skipped" + from;
  if (kind == "Timeout") return "nobody decided in time";
  return "denied" + from;
}

void print_summary(const JsonNode& outcome, bool good, const Terminal& terminal) {
  if (!terminal.is_terminal()) return;
  std::string line = visible_text(text_of(outcome, "name"), false) + "  " +
                     duration_words(number_of(outcome, "duration_ms"));
  if (text_of(outcome, "ending") == "cancelled")
    line += "  cancelled";
  else if (const JsonNode* decision = outcome.find("decision"); decision && decision->size > 0)
    line += "  " + visible_text(decision_words(*decision), false);
  terminal.print(fmt::format(
      "{} {}\n", good ? terminal.paint(Paint::Green, "✓") : terminal.paint(Paint::Red, "✗"),
      terminal.paint(Paint::Dim, cut_to_columns(line, terminal.width() - 2))));
  const JsonNode* metadata = outcome.find("metadata");
  const JsonNode* edit = metadata ? metadata->find("edit") : nullptr;
  if (good && edit)
    terminal.say(Paint::Dim, fmt::format("'toolgate undo {}' takes it back.",
                                         visible_text(text_of(*edit, "id"), false)));
}

void print_failure(const JsonNode& outcome) {
  const std::string name = visible_text(text_of(outcome, "name"), false);
  std::string why = text_of(outcome, "error");
  const JsonNode* content = outcome.find("content");
  if (why.empty() && content && content->first) why = text_of(*content->first, "text");
  fmt::print(stderr, "toolgate: {} {}: {}\n", name,
             text_of(outcome, "ending") == "result" ? "failed" : "gave no result",
             visible_text(why));
}

}  // namespace

bool is_denied(const std::string& json) {
  const auto document = JsonDocument::parse(json);
  return document && text_of(document->root(), "ending") == "denied";
}

bool needs_lasting_gateway(const std::string& json) {
  static constexpr std::array<std::string_view, 7> kAboutEarlierCalls{
      "get_terminal_output", "send_to_terminal", "kill_terminal",   "terminal_last_command",
      "get_task_output",     "test_failure",     "manage_todo_list"};
  const auto document = JsonDocument::parse(json);
  if (!document) return false;
  const std::string name = text_of(document->root(), "name");
  if (std::ranges::find(kAboutEarlierCalls, name) != kAboutEarlierCalls.end()) return true;
  const JsonNode* content = document->root().find("content");
  const std::string text = content && content->first ? text_of(*content->first, "text") : "";
  return (name == "run_in_terminal" || name == "run_task") &&
         (text.starts_with("Terminal ") || text.contains("\nTerminal ")) &&
         text.contains(" is still running.");
}

Result<int> print_outcome(std::string json, bool as_json) {
  const auto document = JsonDocument::parse(std::move(json));
  if (!document) return std::unexpected(document.error());
  const JsonNode& outcome = document->root();
  const bool good = text_of(outcome, "ending") == "result" && !outcome.find("error");
  if (as_json) {
    fmt::print("{}\n", document->text());
    return good ? 0 : 1;
  }
  print_summary(outcome, good, Terminal(stderr));
  if (!good) {
    print_failure(outcome);
    return 1;
  }
  if (const JsonNode* content = outcome.find("content")) print_content(*content);
  return 0;
}

}  // namespace toolgate
