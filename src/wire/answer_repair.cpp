// From the outside in, like chunk_repair, by the same rules; and the joining of canonical chunks.
#include "wire/answer_repair.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/ids.h"
#include "wire/json_mending.h"
#include "wire/sse.h"
#include "wire/usage.h"

namespace toolgate {
namespace {

void set_missing_null(json::object& object, std::string_view key) {
  if (!object.contains(key)) object[key] = nullptr;
}

// False when the call has no name and is left out.
bool repair_call(json::object& call, std::unordered_set<std::string>& ids) {
  json::object function;
  json::value* given = call.if_contains("function");
  if (given != nullptr && given->is_object()) function = std::move(given->get_object());
  if (string_in(function, "name").empty()) return false;
  std::string id = text_of(call.if_contains("id"));
  if (id.empty() || ids.contains(id)) id = make_id("call_");
  std::string arguments = text_of(function.if_contains("arguments"));
  if (arguments.find_first_not_of(" \t\r\n") == std::string::npos) arguments = "{}";
  call["id"] = id;
  ids.insert(std::move(id));
  call["type"] = "function";
  call.stable_erase("index");
  function["arguments"] = arguments;
  call["function"] = std::move(function);
  return true;
}

// How many calls are left.
std::size_t repair_calls(json::object& message, TurnReport& report) {
  json::value* given = message.if_contains("tool_calls");
  if (given == nullptr) return 0;
  json::array calls;
  if (given->is_array())
    calls = std::move(given->get_array());
  else if (given->is_object())
    calls.push_back(std::move(*given));
  json::array kept;
  std::unordered_set<std::string> ids;
  for (json::value& call : calls) {
    if (call.is_object() && repair_call(call.get_object(), ids))
      kept.push_back(std::move(call));
    else
      add_warning(report, "a tool call without a name was left out");
  }
  const std::size_t count = kept.size();
  if (count == 0)
    message.stable_erase("tool_calls");
  else
    message["tool_calls"] = std::move(kept);
  return count;
}

json::object take_message(json::object& choice) {
  json::object message;
  for (const std::string_view key : {"message", "delta"}) {
    json::value* given = choice.if_contains(key);
    if (given == nullptr || !given->is_object() || !message.empty()) continue;
    message = std::move(given->get_object());
  }
  if (message.empty() && choice.contains("text")) message["content"] = choice["text"];
  choice.stable_erase("delta");
  choice.stable_erase("text");
  return message;
}

std::string repair_reason(const json::object& choice, const json::object& message,
                          std::size_t calls, TurnReport& report) {
  constexpr std::array<std::string_view, 5> kReasons{"stop", "length", "tool_calls",
                                                     "content_filter", "function_call"};
  const std::string_view given = string_in(choice, "finish_reason");
  if (given == "max_tokens" || given == "model_length") return "length";
  if (given == "length" || given == "content_filter") return std::string(given);
  if (given.empty())
    add_warning(report, "the upstream gave no finish_reason");
  else if (std::ranges::find(kReasons, given) == kReasons.end())
    add_warning(report, fmt::format("the upstream gave the unknown finish_reason '{}'",
                                    given.substr(0, 64)));
  if (calls > 0) return "tool_calls";
  return message.contains("function_call") ? "function_call" : "stop";
}

void count_output(const json::object& message, std::int64_t choice, TokenMeter& meter) {
  meter.add_output(choice, string_in(message, "content"));
  const json::value* calls = message.if_contains("tool_calls");
  if (calls == nullptr) return;
  for (const json::value& call : calls->get_array()) {
    const json::object& function = call.at("function").get_object();
    meter.add_output(choice, string_in(function, "name"));
    meter.add_output(choice, string_in(function, "arguments"));
  }
}

json::object repair_choice(json::object choice, std::int64_t position, StreamOptions& options) {
  json::object message = take_message(choice);
  message["role"] = "assistant";
  json::value& content = message["content"];
  if (!content.is_null() && !content.is_string()) content = content_text(content);
  set_missing_null(message, "refusal");
  json::value* function_call = message.if_contains("function_call");
  if (function_call != nullptr && !function_call->is_object())
    message.stable_erase("function_call");
  const std::size_t calls = repair_calls(message, options.report);
  if (options.meter) count_output(message, position, *options.meter);
  choice["index"] = position;
  choice["finish_reason"] = repair_reason(choice, message, calls, options.report);
  choice["message"] = std::move(message);
  set_missing_null(choice, "logprobs");
  return choice;
}

void complete_envelope(json::object& answer, const StreamOptions& options) {
  if (string_in(answer, "id").empty())
    answer["id"] = options.completion_id.empty() ? make_id("chatcmpl-") : options.completion_id;
  answer["object"] = "chat.completion";
  const auto created = natural_number(answer.if_contains("created"));
  answer["created"] = created.value_or(options.created);
  if (string_in(answer, "model").empty()) answer["model"] = options.model;
}

std::string write_answer(json::object answer, const TurnReport& report) {
  answer.stable_erase("toolgate");
  std::string out = write_json(answer);
  out.pop_back();
  out += R"(,"toolgate":)";
  append_turn_report(out, report);
  out += '}';
  return out;
}

// Joins a delta's call pieces to the calls of the message; they are numbered without gaps.
void join_calls(json::object& message, const json::array& pieces) {
  json::value& list = message["tool_calls"];
  if (list.is_null()) list.emplace_array();
  json::array& calls = list.get_array();
  for (const json::value& piece : pieces) {
    const auto number = static_cast<std::size_t>(piece.at("index").get_int64());
    if (number == calls.size()) {
      calls.push_back(piece);
      calls.back().get_object().stable_erase("index");
      json::value& arguments = calls.back().at("function").get_object()["arguments"];
      if (!arguments.is_string()) arguments = "";
      continue;
    }
    const json::value* function = find(piece, "function");
    const json::value* arguments = function == nullptr ? nullptr : find(*function, "arguments");
    if (arguments != nullptr)
      calls.at(number).at("function").at("arguments").get_string() += arguments->get_string();
  }
}

// Text grows, the rest is replaced.
void join_member(json::object& into, std::string_view key, const json::value& value) {
  json::value& member = into[key];
  if (member.is_string() && value.is_string())
    member.get_string() += value.get_string();
  else if (!value.is_null() || member.is_null())
    member = value;
}

void join_delta(json::object& message, const json::object& delta) {
  for (const auto& [key, value] : delta) {
    if (key == "role") continue;
    if (key == "tool_calls" && value.is_array()) {
      if (!value.get_array().empty()) join_calls(message, value.get_array());
    } else if (key == "function_call" && value.is_object()) {
      json::value& call = message[key];
      if (call.is_null()) call.emplace_object();
      for (const auto& [name, text] : value.get_object())
        join_member(call.get_object(), name, text);
    } else {
      join_member(message, key, value);
    }
  }
}

// Token probabilities come in pieces like the content they are about.
void join_logprobs(json::value& into, const json::value& piece) {
  if (!piece.is_object()) return;
  if (!into.is_object()) into.emplace_object();
  for (const auto& [key, value] : piece.get_object()) {
    json::value& member = into.get_object()[key];
    if (member.is_array() && value.is_array())
      for (const json::value& item : value.get_array()) member.get_array().push_back(item);
    else if (!value.is_null() || member.is_null())
      member = value;
  }
}

void join_choice(json::array& choices, const json::object& piece) {
  const json::value& index = piece.at("index");
  auto known = std::ranges::find_if(
      choices, [&](const json::value& choice) { return choice.at("index") == index; });
  if (known == choices.end()) {
    json::object message;
    message["role"] = "assistant";
    message["content"] = nullptr;
    message["refusal"] = nullptr;
    json::object choice;
    choice["index"] = index;
    choice["message"] = std::move(message);
    choice["logprobs"] = nullptr;
    choices.push_back(std::move(choice));
    known = choices.end() - 1;
  }
  json::object& choice = known->get_object();
  for (const auto& [key, value] : piece) {
    if (key == "delta")
      join_delta(choice["message"].get_object(), value.get_object());
    else if (key == "logprobs")
      join_logprobs(choice["logprobs"], value);
    else
      choice[key] = value;
  }
}

// Of an answer that is complete by now. What a check found before it gave up does not count.
void tell_facts(const json::object& answer, AnswerFacts& facts) {
  facts = {.wants_names = facts.wants_names};
  take_usage(answer.at("usage").get_object(), facts);
  for (const json::value& choice : answer.at("choices").get_array())
    if (const json::value* reason = find(choice, "finish_reason"); reason && reason->is_string())
      facts.add_reason(reason->get_string());
  if (!facts.wants_names) return;
  facts.id = answer.at("id").get_string();
  facts.model = answer.at("model").get_string();
}

}  // namespace

std::string repair_answer(json::object answer, StreamOptions options) {
  json::array repaired;
  for (json::value& choice : answer.at("choices").get_array()) {
    json::object object;
    if (choice.is_object()) object = std::move(choice.get_object());
    const auto position = static_cast<std::int64_t>(repaired.size());
    repaired.push_back(repair_choice(std::move(object), position, options));
  }
  answer["choices"] = std::move(repaired);
  complete_envelope(answer, options);
  json::value* usage = answer.if_contains("usage");
  answer["usage"] = complete_usage(usage == nullptr ? nullptr : usage->if_object(), options.meter,
                                   options.report);
  if (options.facts) tell_facts(answer, *options.facts);
  return write_answer(std::move(answer), options.report);
}

std::string join_chunks(std::string_view events) {
  json::object answer;
  json::array choices;
  SseReader reader(events.size() + 1);
  reader.feed(events);
  for (auto event = reader.next(); event && *event; event = reader.next()) {
    const auto chunk = parse_json((*event)->data);
    if (!chunk) continue;  // [DONE]
    for (const auto& [key, value] : chunk->get_object()) {
      if (key != "choices") {
        answer[key] = value;
        continue;
      }
      for (const json::value& piece : value.get_array()) join_choice(choices, piece.get_object());
    }
  }
  answer["object"] = "chat.completion";
  answer["choices"] = std::move(choices);
  return write_json(answer);
}

}  // namespace toolgate
