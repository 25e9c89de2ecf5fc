#include "agent/turn_history.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/json_object.h"
#include "base/json_tree.h"
#include "wire/chat_message.h"

namespace toolgate {
namespace {

bool may_have_calls(const ChatMessage& message) {
  return message.role == Role::Assistant && message.raw.contains("tool_calls");
}

std::string_view messages_of(const ChatRequest& request) {
  return std::ranges::find(request.members, "messages", &ChatMember::key)->value;
}

std::string replace_messages(const ChatRequest& request, const std::vector<std::string>& messages) {
  const std::string_view old = messages_of(request);
  return fmt::format("{}[{}]{}", std::string_view(request.body.begin(), old.begin()),
                     fmt::join(messages, ","), std::string_view(old.end(), request.body.end()));
}

// What a model wrote, as an upstream takes it back: a name of allowed characters, arguments that
// are an object. What was wrong stands in the result.
void make_acceptable(RoundCall& call) {
  constexpr std::size_t kLongestName = 64;
  call.name.resize(std::min(call.name.size(), kLongestName));
  for (char& c : call.name)
    if (!is_ascii_letter_or_digit(c) && c != '_' && c != '-') c = '_';
  if (call.name.empty()) call.name = "_";
  JsonTree tree;
  const auto arguments = tree.parse(call.arguments);
  if (!arguments || !(*arguments)->is(JsonNode::Kind::Object)) call.arguments = "{}";
}

std::string write_acceptable(std::vector<RoundCall> calls) {
  std::string out = "[";
  for (RoundCall& call : calls) {
    make_acceptable(call);
    if (out.size() > 1) out += ',';
    std::string function;
    JsonObjectWriter called(function);
    called.text("name", call.name);
    called.text("arguments", call.arguments);
    called.end();
    JsonObjectWriter object(out);
    object.text("id", call.id);
    object.text("type", "function");
    object.json("function", function);
    object.end();
    append_extras(out, call.extras);
  }
  return out += ']';
}

// Puts turns back, message by message.
class Restoring {
 public:
  Restoring(const ChatRequest& request, const FindTurn& find) : request_(request), find_(find) {}

  Task<Result<std::optional<std::string>>> run() {
    while (at_ < request_.messages.size()) {
      const ChatMessage& message = request_.messages[at_++];
      calls_.clear();
      if (may_have_calls(message))
        if (const auto parsed = parse_json(message.raw))
          if (const json::value* list = find(*parsed, "tool_calls")) calls_ = read_calls(*list);
      auto turn = co_await find_turn();
      if (!turn) co_return std::unexpected(turn.error());
      if (*turn)
        put_back(std::move(**turn));
      else
        out_.emplace_back(message.raw);
    }
    if (!changed_) co_return std::nullopt;
    co_return replace_messages(request_, out_);
  }

 private:
  // The one that any call of this message belongs to.
  Task<Result<std::optional<OpenTurn>>> find_turn() {
    for (const RoundCall& call : calls_)
      if (const auto id = parse_client_call_id(call.id)) {
        turn_id_ = id->turn_id;
        co_return co_await find_(id->turn_id);
      }
    co_return std::nullopt;
  }

  // The model's own id of a call that the client has, if the call is of this turn.
  std::optional<std::string> own_id(std::string_view client_id, const OpenTurn& turn) const {
    const auto id = parse_client_call_id(client_id);
    if (!id || id->turn_id != turn_id_ || id->call >= turn.round.calls.size()) return std::nullopt;
    return turn.round.calls[id->call].id;
  }

  // What the client says its calls gave, by the model's ids; other calls keep theirs.
  std::map<std::string, std::string> take_results(const OpenTurn& turn) {
    std::map<std::string, std::string> results;
    for (; at_ < request_.messages.size() && request_.messages[at_].role == Role::Tool; ++at_) {
      auto message = parse_json(request_.messages[at_].raw);
      if (!message || !message->is_object()) continue;
      std::string id(id_of_answer(*message));
      if (const auto own = own_id(id, turn)) id = *own;
      message->get_object()["tool_call_id"] = id;
      results[id] = write_json(*message);
    }
    return results;
  }

  void put_back(OpenTurn turn) {
    changed_ = true;
    const auto given = take_results(turn);
    std::vector<RoundCall> kept;  // those made here, and those that the client still has
    for (const RoundCall& call : turn.round.calls)
      if (turn.results.contains(call.id) || client_has(call.id, turn)) kept.push_back(call);
    for (const RoundCall& call : calls_)
      if (!own_id(call.id, turn)) kept.push_back(call);
    turn.round.calls = std::move(kept);

    out_.insert(out_.end(), turn.before.begin(), turn.before.end());
    out_.push_back(write_assistant_message(turn.round));
    for (const RoundCall& call : turn.round.calls) {
      const auto ours = turn.results.find(call.id);
      const auto theirs = given.find(call.id);
      if (ours != turn.results.end())
        out_.push_back(write_tool_message(call.id, ours->second));
      else if (theirs != given.end())
        out_.push_back(theirs->second);
      else
        out_.push_back(write_tool_message(call.id, "The client gave no result of this call."));
    }
  }

  bool client_has(const std::string& id, const OpenTurn& turn) const {
    return std::ranges::any_of(calls_,
                               [&](const RoundCall& call) { return own_id(call.id, turn) == id; });
  }

  const ChatRequest& request_;
  const FindTurn& find_;
  std::size_t at_ = 0;
  bool changed_ = false;
  std::vector<RoundCall> calls_;  // of the message at hand
  std::string turn_id_;
  std::vector<std::string> out_;
};

constexpr std::size_t kTurnIdSize = 29;  // of make_id("call_")

}  // namespace

std::string write_assistant_message(const Round& round) {
  std::string out;
  JsonObjectWriter message(out);
  message.text("role", "assistant");
  if (round.text.empty())
    message.json("content", "null");
  else
    message.text("content", round.text);
  if (!round.calls.empty()) message.json("tool_calls", write_acceptable(round.calls));
  message.end();
  append_extras(out, round.extras);
  return out;
}

std::string write_tool_message(std::string_view call_id, std::string_view content) {
  std::string out;
  out.reserve(call_id.size() + content.size() + 60);
  JsonObjectWriter message(out);
  message.text("role", "tool");
  message.text("tool_call_id", call_id);
  message.text("content", content);
  message.end();
  return out;
}

std::string append_messages(const ChatRequest& request, std::string_view messages) {
  const std::string_view old = messages_of(request);
  const char* end = old.end() - 1;  // the bracket
  std::string body;
  body.reserve(request.body.size() + messages.size() + 1);
  body.append(request.body.begin(), end);
  if (!request.messages.empty()) body += ',';
  body.append(messages).append(end, request.body.end());
  return body;
}

std::unordered_set<std::string> call_ids_of(const ChatRequest& request) {
  std::unordered_set<std::string> ids;
  for (const ChatMessage& message : request.messages) {
    if (!may_have_calls(message)) continue;
    if (const auto parsed = parse_json(message.raw))
      for (MessageCall& call : calls_in(*parsed)) ids.insert(std::move(call.id));
  }
  return ids;
}

std::string write_turn(const OpenTurn& turn) {
  json::array before;
  for (const std::string& message : turn.before) before.emplace_back(message);
  json::object results;
  for (const auto& [id, content] : turn.results) results[id] = content;
  return write_json(json::object{{"before", std::move(before)},
                                 {"text", turn.round.text},
                                 {"calls", write_calls(turn.round.calls)},
                                 {"extras", turn.round.extras},
                                 {"results", std::move(results)}});
}

std::optional<OpenTurn> parse_turn(std::string_view record) {
  const auto parsed = parse_json(record);
  if (!parsed) return std::nullopt;
  const json::value* before = find(*parsed, "before");
  const json::value* text = find(*parsed, "text");
  const json::value* calls = find(*parsed, "calls");
  const json::value* results = find(*parsed, "results");
  if (!before || !before->is_array() || !text || !text->is_string() || !calls || !results ||
      !results->is_object())
    return std::nullopt;
  OpenTurn turn;
  for (const json::value& message : before->get_array())
    turn.before.emplace_back(message.as_string());
  turn.round.text = text->get_string();
  turn.round.calls = read_calls(*calls);
  if (const json::value* extras = find(*parsed, "extras"); extras && extras->is_object())
    turn.round.extras = extras->get_object();
  for (const auto& [id, content] : results->get_object())
    turn.results.emplace(id, content.as_string());
  return turn;
}

std::string client_call_id(std::string_view turn_id, std::size_t call) {
  return fmt::format("{}_{}", turn_id, call);
}

std::optional<ClientCallId> parse_client_call_id(std::string_view id) {
  const std::size_t end = id.rfind('_');
  if (end == id.npos || end != kTurnIdSize || !id.starts_with("call_")) return std::nullopt;
  ClientCallId parsed{.turn_id = std::string(id.substr(0, end))};
  const char* last = id.data() + id.size();
  const auto read = std::from_chars(id.data() + end + 1, last, parsed.call);
  if (read.ec != std::errc() || read.ptr != last) return std::nullopt;
  return parsed;
}

Task<Result<std::optional<std::string>>> restore_history(const ChatRequest& request,
                                                         const FindTurn& find) {
  if (std::ranges::none_of(request.messages, may_have_calls)) co_return std::nullopt;
  co_return co_await Restoring(request, find).run();
}

}  // namespace toolgate
