#include "cli/waiting_call.h"

#include "base/json.h"
#include "cli/json_document.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

std::vector<DefinitionChange> read_changes(const JsonNode& list) {
  std::vector<DefinitionChange> changes;
  for (const JsonNode* one = list.first; one; one = one->next)
    changes.push_back({text_of(*one, "field"), json_of(*one, "before"), json_of(*one, "after")});
  return changes;
}

void read_question(const JsonNode& question, WaitingCall& call) {
  call.title = text_of(question, "title");
  call.message = text_of(question, "message");
  call.disclaimer = text_of(question, "disclaimer");
  call.server = text_of(question, "server");
  call.may_be_remembered = truth_of(question, "mayBeRemembered");
  call.counts_exactly = question.find("approvalKey") != nullptr;
  if (const JsonNode* buttons = question.find("buttons"))
    for (const JsonNode* one = buttons->first; one; one = one->next)
      if (one->is(Kind::String)) call.buttons.emplace_back(one->text);
  if (const JsonNode* changes = question.find("definitionChanges"))
    call.changes = read_changes(*changes);
}

}  // namespace

WaitingCall read_waiting_call(const JsonNode& row) {
  WaitingCall call{.id = text_of(row, "id"),
                   .name = text_of(row, "name"),
                   .source = text_of(row, "source"),
                   .state = text_of(row, "state"),
                   .session_id = text_of(row, "session_id"),
                   .caller = text_of(row, "caller"),
                   .workspace = text_of(row, "workspace"),
                   .arguments = json_of(row, "arguments"),
                   .arguments_hash = text_of(row, "arguments_hash"),
                   .result = json_of(row, "result"),
                   .decided = row.find("decision") != nullptr,
                   .created_at = number_of(row, "created_at"),
                   .expires_at = number_of(row, "expires_at")};
  if (call.arguments.empty()) call.arguments = "{}";
  if (const JsonNode* question = row.find("confirmation")) read_question(*question, call);
  return call;
}

Result<WaitingCall> parse_waiting_call(std::string json) {
  const auto document = JsonDocument::parse(std::move(json));
  if (!document) return std::unexpected(document.error());
  return read_waiting_call(document->root());
}

Result<std::vector<WaitingCall>> parse_waiting_calls(std::string json) {
  const auto document = JsonDocument::parse(std::move(json));
  if (!document) return std::unexpected(document.error());
  std::vector<WaitingCall> calls;
  if (const JsonNode* list = document->root().find("data"))
    for (const JsonNode* row = list->first; row; row = row->next)
      calls.push_back(read_waiting_call(*row));
  return calls;
}

std::string write_answer(const Answer& answer) {
  std::string out = R"({"decision":)";
  append_json_string(out, answer.decision);
  const auto add = [&out](std::string_view key, const std::string& text) {
    if (text.empty()) return;
    out += fmt::format(R"(,"{}":)", key);
    append_json_string(out, text);
  };
  add("scope", answer.scope);
  add("target", answer.target);
  add("message", answer.message);
  add("button", answer.button);
  add("arguments_hash", answer.arguments_hash);
  if (answer.parameters) out += R"(,"parameters":)" + *answer.parameters;
  if (answer.remember_for > 0)
    out += fmt::format(R"(,"expires_in_seconds":{})",
                       std::max<std::int64_t>(1, answer.remember_for / 1000));
  return out + "}";
}

}  // namespace toolgate
