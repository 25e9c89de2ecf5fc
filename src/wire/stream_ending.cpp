// Nothing here looks at the upstream's bytes any more: the state says what is due.
#include "wire/stream_ending.h"

#include <algorithm>
#include <array>

#include "wire/json_mending.h"
#include "wire/usage.h"

namespace toolgate {
namespace {

bool is_known_reason(std::string_view reason) {
  constexpr std::array<std::string_view, 5> kReasons{"stop", "length", "tool_calls",
                                                     "content_filter", "function_call"};
  return std::ranges::find(kReasons, reason) != kReasons.end();
}

// The reason by what the choice holds.
std::string_view own_reason(const StreamedChoice& choice) {
  if (choice.calls.sent() > 0) return "tool_calls";
  return choice.has_function_call ? "function_call" : "stop";
}

std::string_view finish_reason(const StreamedChoice& choice, TurnReport& report) {
  if (!choice.finish_reason) {
    add_warning(report, "the upstream gave no finish_reason");
    return own_reason(choice);
  }
  const std::string_view given = *choice.finish_reason;
  if (given == "max_tokens" || given == "model_length") return "length";
  if (!is_known_reason(given)) {
    add_warning(report, fmt::format("the upstream gave the unknown finish_reason '{}'", given));
    return own_reason(choice);
  }
  if (given == "length" || given == "content_filter") return given;
  if (given == "tool_calls" && choice.calls.sent() == 0)
    add_warning(report, "the upstream gave the finish_reason tool_calls without a call");
  return own_reason(choice);
}

class EndWriter {
 public:
  EndWriter(AnswerState& state, std::string& out) : state_(state), out_(out) {}

  void begin_chunk() {
    out_ += R"(data: {"id":)";
    append_json_string(out_, state_.id);
    out_ += R"(,"object":"chat.completion.chunk","created":)";
    out_ += std::to_string(state_.created.value_or(state_.options.created));
    out_ += R"(,"model":)";
    append_json_string(out_, state_.model.empty() ? state_.options.model : state_.model);
    append_members(state_.extras);
    out_ += R"(,"choices":[)";
  }

  void begin_choice(const StreamedChoice& choice) {
    begin_chunk();
    out_ += R"({"index":)" + std::to_string(choice.index);
  }

  void add_delta(StreamedChoice& choice, const json::object& members) {
    begin_choice(choice);
    json::object delta;
    if (!std::exchange(choice.role_sent, true)) delta["role"] = "assistant";
    for (const auto& member : members) delta[member.key()] = member.value();
    out_ += R"(,"delta":)";
    append_json(out_, delta);
    out_ += R"(,"finish_reason":null}]})";
    end_event();
  }

  void add_arguments(StreamedChoice& choice, const StreamedCall& call, std::string_view text) {
    json::object function;
    function["arguments"] = text;
    json::object entry;
    entry["index"] = call.number;
    entry["function"] = std::move(function);
    json::array entries;
    entries.push_back(std::move(entry));
    json::object delta;
    delta["tool_calls"] = std::move(entries);
    state_.count_output(choice, text);
    add_delta(choice, delta);
  }

  void add_finish(const StreamedChoice& choice, std::string_view reason, bool with_report) {
    begin_choice(choice);
    append_members(choice.finish_fields);
    out_ += choice.role_sent ? R"(,"delta":{})" : R"(,"delta":{"role":"assistant","content":""})";
    out_ += R"(,"finish_reason":")";
    out_ += reason;
    out_ += R"("}])";
    end_object(with_report);
  }

  void add_usage() {
    const json::object usage = complete_usage(state_.usage ? &*state_.usage : nullptr,
                                              state_.options.meter, state_.options.report);
    if (state_.options.facts) take_usage(usage, *state_.options.facts);
    begin_chunk();
    out_ += R"(],"usage":)";
    append_json(out_, usage);
    end_object(true);
  }

 private:
  void append_members(const json::object& members) {
    for (const auto& member : members) {
      out_ += ',';
      append_json_string(out_, member.key());
      out_ += ':';
      append_json(out_, member.value());
    }
  }

  void end_object(bool with_report) {
    if (with_report) {
      out_ += R"(,"toolgate":)";
      append_turn_report(out_, state_.options.report);
    }
    out_ += '}';
    end_event();
  }

  void end_event() { out_ += "\n\n"; }

  AnswerState& state_;
  std::string& out_;
};

void tell_facts(const AnswerState& state, const std::vector<std::string_view>& reasons) {
  AnswerFacts& facts = *state.options.facts;
  for (const std::string_view reason : reasons) facts.add_reason(reason);
  if (state.usage) take_usage(*state.usage, facts);
  if (!facts.wants_names) return;
  facts.id = state.id;
  facts.model = state.model;
}

void mend_members(json::object& members) {
  json::value value = std::move(members);
  mend_strings(value);
  members = std::move(value.get_object());
}

// What the choice still owes before its finish chunk.
void add_remains(StreamedChoice& choice, AnswerState& state, EndWriter& writer) {
  if (std::string rest = choice.content.flush(); !rest.empty()) {
    json::object delta;
    delta["content"] = rest;
    state.count_output(choice, rest);
    writer.add_delta(choice, delta);
  }
  for (StreamedCall& call : choice.calls.calls()) {
    if (call.number < 0) {
      add_warning(state.options.report, "a tool call without a name was left out");
      continue;
    }
    std::string rest = call.carry.flush();
    if (!call.arguments.started() && rest.empty()) rest = "{}";
    if (!rest.empty()) writer.add_arguments(choice, call, rest);
  }
}

}  // namespace

Result<void> check_complete(AnswerState& state) {
  const bool anything = std::ranges::any_of(state.choices, [](const StreamedChoice& choice) {
    return choice.has_output || choice.finish_reason.has_value();
  });
  if (!anything) return fail(Errc::UpstreamBroken, "the upstream's stream held no answer");
  for (StreamedChoice& choice : state.choices) {
    if (choice.finish_reason) continue;
    for (const StreamedCall& call : choice.calls.calls())
      if (call.number >= 0 && call.arguments.started() && !call.arguments.complete())
        return fail(Errc::UpstreamBroken,
                    "the upstream's stream ended in the middle of a tool call ('{}')", call.name);
  }
  return {};
}

void end_answer(AnswerState& state, std::string& out) {
  if (state.id.empty()) state.id = state.options.completion_id;
  mend_members(state.extras);
  if (state.usage) mend_members(*state.usage);
  EndWriter writer(state, out);
  for (StreamedChoice& choice : state.choices) {
    mend_members(choice.finish_fields);
    add_remains(choice, state, writer);
  }
  // All reasons first: each may add a warning to the report on the last chunk.
  std::vector<std::string_view> reasons;
  reasons.reserve(state.choices.size());
  for (const StreamedChoice& choice : state.choices)
    reasons.push_back(finish_reason(choice, state.options.report));
  if (state.options.facts) tell_facts(state, reasons);
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const bool last = i + 1 == reasons.size() && !state.options.include_usage;
    writer.add_finish(state.choices[i], reasons[i], last);
  }
  if (state.options.include_usage) writer.add_usage();
  out += "data: [DONE]\n\n";
}

}  // namespace toolgate
