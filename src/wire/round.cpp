#include "wire/round.h"

#include <algorithm>
#include <array>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>

#include "wire/openai_answer.h"

namespace toolgate {
namespace {

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* member = object.if_contains(key);
  return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

// What comes in pieces is put together.
void add_extra(json::object& extras, std::string_view key, const json::value& value) {
  if (value.is_null()) return;
  json::value& known = extras[key];
  if (known.is_string() && value.is_string())
    known.get_string().append(std::string_view(value.get_string()));
  else if (known.is_array() && value.is_array())
    known.get_array().insert(known.get_array().end(), value.get_array().begin(),
                             value.get_array().end());
  else
    known = value;
}

void add_message_extras(json::object& extras, const json::object& message) {
  constexpr std::array<std::string_view, 7> kKnown{
      "role", "content", "refusal", "tool_calls", "function_call", "annotations", "audio"};
  for (const auto& [key, value] : message)
    if (std::ranges::find(kKnown, std::string_view(key)) == kKnown.end())
      add_extra(extras, key, value);
}

RoundCall read_call(const json::value& value) {
  RoundCall call;
  const json::object* object = value.if_object();
  if (!object) return call;
  for (const auto& [key, member] : *object)
    if (key != "id" && key != "type" && key != "index" && key != "function")
      add_extra(call.extras, key, member);
  call.id = text_of(*object, "id");
  const json::value* function = object->if_contains("function");
  if (!function || !function->is_object()) return call;
  call.name = text_of(function->get_object(), "name");
  call.arguments = text_of(function->get_object(), "arguments");
  return call;
}

const json::object* first_choice(const json::object& answer) {
  const json::value* choices = answer.if_contains("choices");
  if (!choices || !choices->is_array() || choices->get_array().empty()) return nullptr;
  return choices->get_array().front().if_object();
}

void take_warnings(const json::object& answer, Round& round) {
  const json::value* report = answer.if_contains("toolgate");
  const json::value* warnings = report ? find(*report, "warnings") : nullptr;
  if (!warnings || !warnings->is_array()) return;
  for (const json::value& warning : warnings->get_array())
    if (warning.is_string()) round.warnings.emplace_back(warning.get_string());
}

void take_usage(const json::object& answer, Round& round) {
  if (const json::value* usage = answer.if_contains("usage"); usage && usage->is_object())
    round.usage = usage->get_object();
}

bool is_only_role(const json::object& delta) {
  return std::ranges::all_of(delta, [](const auto& member) {
    return member.key() == "role" ||
           (member.value().is_string() && member.value().get_string().empty()) ||
           member.value().is_null();
  });
}

void append_event(std::string& out, const json::object& chunk) {
  out += "data: ";
  append_json(out, chunk);
  out += "\n\n";
}

json::object make_chunk(const AnswerEnvelope& envelope, json::array choices) {
  return {{"id", envelope.id},
          {"object", "chat.completion.chunk"},
          {"created", envelope.created},
          {"model", envelope.model},
          {"choices", std::move(choices)}};
}

json::object make_choice(AnswerEnvelope& envelope, json::object delta, json::value finish) {
  if (!std::exchange(envelope.role_sent, true)) delta["role"] = "assistant";
  return {{"index", 0},
          {"delta", std::move(delta)},
          {"logprobs", nullptr},
          {"finish_reason", std::move(finish)}};
}

// Puts the report into the object that `out` ends with.
void add_report(std::string& out, const TurnReport& report) {
  out.back() = ',';
  out += R"("toolgate":)";
  append_turn_report(out, report);
  out += '}';
}

void add_count(json::value& sum, const json::value& more) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  if (sum.is_int64() && more.is_int64())
    sum = std::min(sum.get_int64(), kMost) + std::min(more.get_int64(), kMost);
  else if (sum.is_object() && more.is_object())
    add_usage(sum.get_object(), more.get_object());
}

}  // namespace

void append_extras(std::string& object, const json::object& extras) {
  if (extras.empty()) return;
  object.back() = ',';
  const std::string members = write_json(extras);
  object.append(members, 1);
}

json::array write_calls(const std::vector<RoundCall>& calls) {
  json::array out;
  for (const RoundCall& call : calls) {
    json::object object{
        {"id", call.id},
        {"type", "function"},
        {"function", json::object{{"name", call.name}, {"arguments", call.arguments}}}};
    for (const auto& [key, value] : call.extras) object[key] = value;
    out.push_back(std::move(object));
  }
  return out;
}

std::vector<RoundCall> read_calls(const json::value& calls) {
  std::vector<RoundCall> out;
  if (!calls.is_array()) return out;
  for (const json::value& call : calls.get_array()) out.push_back(read_call(call));
  return out;
}

void add_usage(json::object& sum, const json::object& more) {
  for (const auto& [key, value] : more) {
    if (json::value* known = sum.if_contains(key))
      add_count(*known, value);
    else
      sum[key] = value;
  }
}

void RoundReader::add(std::string_view events, std::string& out) {
  constexpr std::string_view kData = "data: ";
  while (!events.empty()) {
    const std::size_t end = std::min(events.find("\n\n"), events.size());
    std::string_view event = events.substr(0, end);
    events.remove_prefix(std::min(end + 2, events.size()));
    if (event.starts_with(kData)) add_chunk(event.substr(kData.size()), out);
  }
}

void RoundReader::add_chunk(std::string_view data, std::string& out) {
  auto parsed = parse_json(data);
  if (!parsed || !parsed->is_object()) return;  // [DONE]
  json::object& chunk = parsed->get_object();
  take_warnings(chunk, round_);
  take_usage(chunk, round_);
  const bool is_first = envelope_.id.empty();
  if (is_first) {
    envelope_.id = text_of(chunk, "id");
    envelope_.model = text_of(chunk, "model");
    if (const json::value* created = chunk.if_contains("created"); created && created->is_int64())
      envelope_.created = created->get_int64();
  }
  json::value* choices = chunk.if_contains("choices");
  if (!choices || !choices->is_array() || choices->get_array().empty()) return;
  json::object* choice = choices->get_array().front().if_object();
  if (!choice) return;
  if (const std::string reason = text_of(*choice, "finish_reason"); !reason.empty()) {
    round_.finish_reason = reason;
    (*choice)["finish_reason"] = nullptr;
  }
  json::value* delta = choice->if_contains("delta");
  if (!delta || !delta->is_object() || !take_delta(delta->get_object())) return;
  chunk.erase("toolgate");
  chunk["id"] = envelope_.id;
  chunk["created"] = envelope_.created;
  chunk["model"] = envelope_.model;
  append_event(out, chunk);
}

// False when nothing of it is left for the client.
bool RoundReader::take_delta(json::object& delta) {
  round_.text += text_of(delta, "content");
  add_message_extras(round_.extras, delta);
  if (const json::value* calls = delta.if_contains("tool_calls"); calls && calls->is_array())
    take_calls(calls->get_array());
  delta.erase("tool_calls");
  const bool has_role = delta.contains("role");
  if (is_only_role(delta)) {
    if (envelope_.role_sent || !has_role) return false;
  }
  if (envelope_.role_sent) delta.erase("role");
  envelope_.role_sent = envelope_.role_sent || has_role;
  return !delta.empty();
}

void RoundReader::take_calls(const json::array& calls) {
  for (const json::value& piece : calls) {
    const json::value* index = find(piece, "index");
    if (!index || !index->is_int64() || index->get_int64() < 0) continue;
    const auto number = static_cast<std::size_t>(index->get_int64());
    // The normaliser numbers calls without gaps.
    if (number > round_.calls.size()) continue;
    if (number == round_.calls.size()) round_.calls.emplace_back();
    RoundCall& call = round_.calls[number];
    const RoundCall more = read_call(piece);
    if (call.id.empty()) call.id = more.id;
    if (call.name.empty()) call.name = more.name;
    call.arguments += more.arguments;
    for (const auto& [key, value] : more.extras) add_extra(call.extras, key, value);
  }
}

std::expected<Round, ErrorBody> read_round(std::string_view answer, AnswerEnvelope& envelope) {
  // All of it goes at once.
  std::array<unsigned char, std::size_t{8} << 10> room;
  json::monotonic_resource memory(room.data(), room.size());
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  json::error_code error;
  const json::value parsed = json::parse(answer, error, &memory, options);
  const json::object* object = error ? nullptr : parsed.if_object();
  const json::object* choice = object ? first_choice(*object) : nullptr;
  const json::value* message = choice ? choice->if_contains("message") : nullptr;
  if (!message || !message->is_object())
    return std::unexpected(
        make_error_body({Errc::UpstreamBroken, "the upstream's answer has no message", {}}));
  Round round;
  round.text = text_of(message->get_object(), "content");
  add_message_extras(round.extras, message->get_object());
  if (const json::value* calls = find(*message, "tool_calls")) round.calls = read_calls(*calls);
  round.finish_reason = text_of(*choice, "finish_reason");
  take_usage(*object, round);
  take_warnings(*object, round);
  if (envelope.id.empty()) {
    envelope.id = text_of(*object, "id");
    const json::value* created = object->if_contains("created");
    if (created && created->is_int64()) envelope.created = created->get_int64();
  }
  return round;
}

void append_ending(std::string& out, AnswerEnvelope& envelope, const AnswerEnd& end,
                   const TurnReport& report) {
  for (std::size_t i = 0; i < end.calls.size(); ++i) {
    json::array calls = write_calls({end.calls[i]});
    calls.front().get_object()["index"] = static_cast<std::int64_t>(i);
    json::object delta{{"tool_calls", std::move(calls)}};
    append_event(out, make_chunk(envelope, {make_choice(envelope, std::move(delta), nullptr)}));
  }
  json::object last =
      make_chunk(envelope, {make_choice(envelope, {}, json::value(end.finish_reason))});
  if (end.include_usage) {
    append_event(out, last);
    last = make_chunk(envelope, {});
    last["usage"] =
        end.usage.empty()
            ? json::object{{"prompt_tokens", 0}, {"completion_tokens", 0}, {"total_tokens", 0}}
            : end.usage;
  }
  out += "data: ";
  append_json(out, last);
  add_report(out, report);
  out += "\n\ndata: [DONE]\n\n";
}

void append_tool_event(std::string& out, const AnswerEnvelope& envelope,
                       std::string_view invocation_json) {
  out += "data: ";
  append_json(out, make_chunk(envelope, {}));
  out.back() = ',';
  out += R"("toolgate":{"invocation":)";
  // Line breaks in JSON are between its values, and would end the event.
  for (const char c : invocation_json)
    if (c != '\n' && c != '\r') out += c;
  out += "}}\n\n";
}

std::string write_answer(std::string_view last, const AnswerEnvelope& envelope,
                         const AnswerEnd& end, const TurnReport& report) {
  json::object answer = parse_json(last).value().as_object();
  answer["id"] = envelope.id;
  answer["created"] = envelope.created;
  if (!end.usage.empty()) answer["usage"] = end.usage;
  json::array& choices = answer["choices"].as_array();
  choices.resize(1);
  json::object& choice = choices.front().as_object();
  json::object& message = choice["message"].as_object();
  const bool says_nothing = !end.calls.empty() || !text_of(message, "refusal").empty();
  message["content"] =
      end.text.empty() && says_nothing ? json::value(nullptr) : json::value(end.text);
  message.erase("tool_calls");
  if (!end.calls.empty()) message["tool_calls"] = write_calls(end.calls);
  choice["finish_reason"] = end.finish_reason;
  answer.erase("toolgate");
  std::string out = write_json(answer);
  add_report(out, report);
  return out;
}

}  // namespace toolgate
