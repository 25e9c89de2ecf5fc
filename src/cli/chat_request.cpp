#include "cli/chat_request.h"

#include "base/json.h"

namespace toolgate {
namespace {

json::array names(const std::vector<std::string>& list) {
  json::array out;
  for (const std::string& name : list) out.emplace_back(name);
  return out;
}

json::value json_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : parse_json(text).value_or(json::value(nullptr));
}

void take(std::string& kept, const std::string& given) {
  if (!given.empty()) kept = given;
}

}  // namespace

std::string write_chat_request(const ChatOptions& options,
                               const std::vector<SaidMessage>& conversation) {
  json::object body;
  if (!options.model.empty()) body["model"] = options.model;
  json::array& messages = (body["messages"] = json::array()).get_array();
  if (!options.system.empty())
    messages.push_back(json::object{{"role", "system"}, {"content", options.system}});
  for (const SaidMessage& message : conversation)
    messages.push_back(json::object{{"role", message.role}, {"content", message.text}});
  body["stream"] = true;
  body["stream_options"] = json::object{{"include_usage", true}, {"include_tool_events", true}};
  body["session_id"] = options.session;
  body["tool_execution"] = "auto";
  body["confirmation"] = options.may_ask ? "wait" : "deny";
  if (!options.uses_tools) {
    body["tool_choice"] = "none";
    return write_json(body);
  }
  body["use_vscode_tools"] = true;
  if (!options.include_tools.empty()) body["include_tools"] = names(options.include_tools);
  if (!options.exclude_tools.empty()) body["exclude_tools"] = names(options.exclude_tools);
  if (options.max_rounds) body["max_tool_rounds"] = *options.max_rounds;
  return write_json(body);
}

void ChatAnswer::add(const ChatChunk& chunk) {
  take(id, chunk.id);
  if (chunk.created > 0) created = chunk.created;
  take(model, chunk.model);
  text += chunk.text;
  refusal += chunk.refusal;
  take(finish_reason, chunk.finish_reason);
  client_calls.insert(client_calls.end(), chunk.client_calls.begin(), chunk.client_calls.end());
  if (!chunk.usage.empty()) {
    usage = chunk.usage;
    tokens = chunk.tokens;
  }
  if (chunk.report) report = *chunk.report;
}

std::string write_chat_answer(const ChatAnswer& answer) {
  const json::value refusal =
      answer.refusal.empty() ? json::value(nullptr) : json::value(answer.refusal);
  const json::object message{{"role", "assistant"}, {"content", answer.text}, {"refusal", refusal}};
  const json::object choice{{"index", 0},
                            {"message", message},
                            {"logprobs", nullptr},
                            {"finish_reason", answer.finish_reason}};
  json::object out{{"id", answer.id},
                   {"object", "chat.completion"},
                   {"created", answer.created},
                   {"model", answer.model},
                   {"choices", json::array{choice}}};
  out["usage"] = json_or_null(answer.usage);
  out["toolgate"] = json_or_null(answer.report.json);
  return write_json(out);
}

}  // namespace toolgate
