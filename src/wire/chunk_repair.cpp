// From the outside in: chunk, choice, delta, tool call. Fields nobody knows stay where they are.
#include "wire/chunk_repair.h"

#include <algorithm>
#include <array>

#include "wire/json_mending.h"
#include "wire/usage.h"

namespace toolgate {
namespace {

bool is_envelope(std::string_view key) {
  constexpr std::array<std::string_view, 7> kKeys{"id",    "object",  "created", "model",
                                                  "usage", "choices", "toolgate"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

Result<void> hold(std::size_t bytes, AnswerState& state) {
  state.held_bytes += bytes;
  if (state.held_bytes <= AnswerState::kMaxHeldBytes) return {};
  return fail(
      Errc::UpstreamBroken,
      "the upstream's stream needs more than {} bytes held back (tool calls without a name, "
      "unknown fields)",
      AnswerState::kMaxHeldBytes);
}

// Null, "", [] and {} say nothing.
bool is_blank(const json::value& value) {
  if (const json::string* text = value.if_string()) return text->empty();
  if (const json::array* array = value.if_array()) return array->empty();
  if (const json::object* object = value.if_object()) return object->empty();
  return value.is_null();
}

bool carries_something(const json::object& delta) {
  return std::ranges::any_of(delta, [](const auto& member) {
    return member.key() != "role" && !is_blank(member.value());
  });
}

void note_identity(const json::object& chunk, AnswerState& state) {
  if (state.id.empty()) state.id = mend_text(string_in(chunk, "id"));
  if (state.model.empty()) state.model = mend_text(string_in(chunk, "model"));
  if (!state.created) state.created = natural_number(chunk.if_contains("created"));
}

void take_usage(json::object& chunk, AnswerState& state) {
  json::value* usage = chunk.if_contains("usage");
  if (usage == nullptr || usage->is_null()) return;
  if (usage->is_object()) state.usage = std::move(usage->get_object());
  chunk.stable_erase("usage");
}

Result<void> keep_extras(const json::object& chunk, AnswerState& state) {
  for (const auto& member : chunk) {
    if (is_envelope(member.key())) continue;
    if (auto held = hold(member.key().size() + write_json(member.value()).size(), state); !held)
      return held;
    state.extras[member.key()] = member.value();
  }
  return {};
}

// The delta, or the whole message (or legacy text) that stands in its place.
json::object take_delta(json::object& choice) {
  json::object delta;
  json::value* given = choice.if_contains("delta");
  json::value* message = choice.if_contains("message");
  if (given != nullptr && given->is_object()) {
    delta = std::move(given->get_object());
  } else if (message != nullptr && message->is_object()) {
    delta = std::move(message->get_object());
    json::value* calls = delta.if_contains("tool_calls");
    if (calls != nullptr && calls->is_array()) {
      std::int64_t position = 0;
      for (json::value& call : calls->get_array()) {
        if (call.is_object()) call.get_object()["index"] = position;
        ++position;
      }
    }
  } else if (const std::string_view text = string_in(choice, "text"); !text.empty()) {
    delta["content"] = text;
    choice.stable_erase("text");
  }
  choice.stable_erase("message");
  return delta;
}

void repair_role(json::object& delta, StreamedChoice& choice) {
  if (choice.role_sent) {
    if (string_in(delta, "role") != "assistant") delta.stable_erase("role");
    return;
  }
  if (delta.contains("role")) {
    delta["role"] = "assistant";
    return;
  }
  json::object with_role;
  with_role["role"] = "assistant";
  for (auto& member : delta) with_role[member.key()] = std::move(member.value());
  delta = std::move(with_role);
}

void repair_content(json::object& delta, StreamedChoice& choice, AnswerState& state) {
  if (json::value* content = delta.if_contains("content"); content && !content->is_null()) {
    const std::string text = choice.content.join(content_text(*content));
    state.count_output(choice, text);
    *content = text;
  }
  json::value* refusal = delta.if_contains("refusal");
  if (refusal && !refusal->is_null() && !refusal->is_string()) *refusal = text_of(refusal);
}

void repair_function_call(json::object& delta, StreamedChoice& choice) {
  json::value* call = delta.if_contains("function_call");
  if (call == nullptr) return;
  if (!call->is_object()) {
    delta.stable_erase("function_call");
    return;
  }
  choice.has_function_call = true;
  json::value* arguments = call->get_object().if_contains("arguments");
  if (arguments && !arguments->is_string()) *arguments = text_of(arguments);
}

// Writes the piece into `entry` as the client gets it.
void write_call(json::object& entry, json::object function, const StreamedCall& call, bool first,
                std::string_view arguments) {
  entry["index"] = call.number;
  if (first) {
    entry["id"] = call.id;
    entry["type"] = "function";
    function["name"] = call.name;
  } else {
    entry.stable_erase("id");
    if (string_in(entry, "type") != "function") entry.stable_erase("type");
    function.stable_erase("name");
  }
  function["arguments"] = arguments;
  entry["function"] = std::move(function);
}

// False when the piece has to wait for the call's name.
Result<bool> repair_call(json::object& entry, std::size_t position, StreamedChoice& choice,
                         AnswerState& state) {
  json::object function;
  json::value* given = entry.if_contains("function");
  if (given != nullptr && given->is_object()) function = std::move(given->get_object());
  const std::string id = mend_text(text_of(entry.if_contains("id")));
  const std::string name = mend_text(string_in(function, "name"));
  const std::string arguments = text_of(function.if_contains("arguments"));
  StreamedCall* call = choice.calls.join(
      {natural_number(entry.if_contains("index")), id, name, arguments, position > 0});
  if (call == nullptr)
    return fail(Errc::UpstreamBroken, "the upstream's answer has more than {} tool calls",
                ToolCallJoiner::kMaxCalls);
  std::string text = call->carry.join(arguments);
  call->arguments.add(text);
  if (call->name.empty()) {
    if (auto held = hold(id.size() + text.size(), state); !held)
      return std::unexpected(held.error());
    call->held_arguments += text;
    return false;
  }
  const bool first = call->number < 0;
  if (first) {
    if (auto held = hold(id.size() + name.size(), state); !held)
      return std::unexpected(held.error());
    choice.calls.open(*call);
    state.count_output(choice, call->name);
    state.held_bytes -= std::min(state.held_bytes, call->held_arguments.size());
    text.insert(0, call->held_arguments);
    call->held_arguments = std::string();
  }
  state.count_output(choice, text);
  write_call(entry, std::move(function), *call, first, text);
  return true;
}

Result<void> repair_calls(json::object& delta, StreamedChoice& choice, AnswerState& state) {
  json::value* given = delta.if_contains("tool_calls");
  if (given == nullptr) return {};
  json::array entries;
  if (given->is_array())
    entries = std::move(given->get_array());
  else if (given->is_object())
    entries.push_back(std::move(*given));
  json::array kept;
  for (std::size_t position = 0; position < entries.size(); ++position) {
    if (!entries[position].is_object()) continue;
    auto sent = repair_call(entries[position].get_object(), position, choice, state);
    if (!sent) return std::unexpected(sent.error());
    if (*sent) kept.push_back(std::move(entries[position]));
  }
  if (kept.empty())
    delta.stable_erase("tool_calls");
  else
    delta["tool_calls"] = std::move(kept);
  return {};
}

Result<StreamedChoice*> choice_for(const json::object& choice, std::size_t position,
                                   AnswerState& state) {
  const std::int64_t given =
      natural_number(choice.if_contains("index")).value_or(static_cast<std::int64_t>(position));
  const std::int64_t index = state.options.choices == 1 && position == 0 ? 0 : given;
  if (index > StreamedChoice::kMaxIndex)
    return fail(Errc::UpstreamBroken, "the upstream sent a choice with index {}; the highest is {}",
                index, StreamedChoice::kMaxIndex);
  if (StreamedChoice* known = state.find_choice(index)) return known;
  StreamedChoice& made = state.choices.emplace_back();
  made.index = static_cast<int>(index);
  return &made;
}

// Takes the finish_reason into the state. True when there was one.
bool take_finish_reason(json::object& choice, StreamedChoice& known) {
  const std::string_view reason = string_in(choice, "finish_reason");
  if (!reason.empty()) known.finish_reason = std::string(reason.substr(0, 64));
  const bool given = !reason.empty();
  choice["finish_reason"] = nullptr;
  return given;
}

Result<void> keep_finish_fields(json::object& choice, StreamedChoice& known, AnswerState& state) {
  for (const std::string_view key : {"index", "delta", "finish_reason"}) choice.stable_erase(key);
  if (auto held = hold(write_json(choice).size(), state); !held) return held;
  known.finish_fields = std::move(choice);
  return {};
}

// False when nothing of the choice is to be sent now.
Result<bool> repair_choice(json::object& choice, std::size_t position, AnswerState& state) {
  auto found = choice_for(choice, position, state);
  if (!found) return std::unexpected(found.error());
  StreamedChoice& known = **found;
  json::object delta = take_delta(choice);
  const bool had_calls = delta.contains("tool_calls");
  repair_content(delta, known, state);
  repair_function_call(delta, known);
  if (auto repaired = repair_calls(delta, known, state); !repaired)
    return std::unexpected(repaired.error());
  const bool finished = take_finish_reason(choice, known);
  const bool something = carries_something(delta);
  if (finished && !something) {
    if (auto kept = keep_finish_fields(choice, known, state); !kept)
      return std::unexpected(kept.error());
    return false;
  }
  if (!something && had_calls && known.role_sent) return false;
  repair_role(delta, known);
  known.role_sent = true;
  known.has_output |= something;
  choice["index"] = known.index;
  choice["delta"] = std::move(delta);
  return true;
}

}  // namespace

Result<ChunkUse> repair_chunk(json::object& chunk, AnswerState& state) {
  note_identity(chunk, state);
  const bool had_usage = chunk.contains("usage") && !chunk.at("usage").is_null();
  take_usage(chunk, state);
  chunk.stable_erase("toolgate");
  json::value* given = chunk.if_contains("choices");
  if (given == nullptr || !given->is_array() || (given->get_array().empty() && had_usage)) {
    if (had_usage)
      if (auto kept = keep_extras(chunk, state); !kept) return std::unexpected(kept.error());
    return ChunkUse::Drop;
  }
  json::array choices = std::move(given->get_array());
  if (choices.empty()) {
    const bool extras =
        std::ranges::any_of(chunk, [](const auto& member) { return !is_envelope(member.key()); });
    *given = json::array();
    return extras ? ChunkUse::Send : ChunkUse::Drop;
  }
  json::array kept;
  for (std::size_t position = 0; position < choices.size(); ++position) {
    if (!choices[position].is_object()) {
      add_warning(state.options.report, "the upstream sent a choice that is no object");
      continue;
    }
    auto send = repair_choice(choices[position].get_object(), position, state);
    if (!send) return std::unexpected(send.error());
    if (*send) kept.push_back(std::move(choices[position]));
  }
  if (kept.empty()) {
    if (auto held = keep_extras(chunk, state); !held) return std::unexpected(held.error());
    return ChunkUse::Drop;
  }
  *given = std::move(kept);
  return ChunkUse::Send;
}

void complete_envelope(json::object& chunk, AnswerState& state) {
  if (state.id.empty()) state.id = state.options.completion_id;
  chunk["id"] = state.id;
  chunk["object"] = "chat.completion.chunk";
  if (!natural_number(chunk.if_contains("created")))
    chunk["created"] = state.created.value_or(state.options.created);
  else if (!chunk.at("created").is_int64())
    chunk["created"] = *natural_number(chunk.if_contains("created"));
  if (string_in(chunk, "model").empty())
    chunk["model"] = state.model.empty() ? state.options.model : state.model;
}

}  // namespace toolgate
