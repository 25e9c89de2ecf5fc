#include "agent/round_record.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace toolgate {
namespace {

struct Parameter {
  std::string_view member;  // of the request's body
  std::string_view attribute;
  bool is_whole = false;
};

constexpr std::array kParameters{
    Parameter{"max_tokens", "gen_ai.request.max_tokens", true},
    Parameter{"max_completion_tokens", "gen_ai.request.max_tokens", true},
    Parameter{"temperature", "gen_ai.request.temperature"},
    Parameter{"top_p", "gen_ai.request.top_p"},
    Parameter{"frequency_penalty", "gen_ai.request.frequency_penalty"},
    Parameter{"presence_penalty", "gen_ai.request.presence_penalty"},
    Parameter{"seed", "gen_ai.request.seed", true},
};

// Nothing for anything else: that is between the client and the model.
template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

void add_number(Span& span, const Parameter& parameter, std::string_view text) {
  if (!parameter.is_whole) {
    if (const auto real = read_number<double>(text)) span.real(parameter.attribute, *real);
  } else if (const auto whole = read_number<std::int64_t>(text)) {
    span.number(parameter.attribute, *whole);
  }
}

// Upstreams may claim anything.
void add_tokens(std::int64_t& sum, std::optional<std::int64_t> more) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  sum = std::min(sum + std::clamp<std::int64_t>(more.value_or(0), 0, kMost), kMost);
}

double seconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::string error_word(const ErrorBody& error) {
  if (error.code && is_error_name(*error.code)) return *error.code;
  return std::to_string(error.status);
}

RoundRecord::RoundRecord(RoundNotes& notes, ProviderCall& call, const ModelInfo& model)
    : notes_(notes),
      model_(model),
      span_(Span::child_of(notes.span, SpanKind::Client, "chat", model.id)) {
  call.trace = span_.context();
  ++notes.rounds;
  if (span_) describe(call.request);
}

RoundRecord::~RoundRecord() {
  if (!has_ended_) end(error_info(Errc::Cancelled).name);
}

void RoundRecord::describe(const ChatRequest& request) {
  facts_.wants_names = true;
  span_.text("gen_ai.operation.name", "chat");
  span_.text("gen_ai.provider.name", model_.provider);
  span_.text("gen_ai.system", model_.provider);  // what it was called before
  span_.text("gen_ai.request.model", model_.id);
  span_.text("gen_ai.conversation.id", notes_.session_id);
  span_.text("server.address", model_.server_address);
  if (model_.server_port > 0) span_.number("server.port", model_.server_port);
  if (request.choices > 1)
    span_.number("gen_ai.request.choice.count", static_cast<std::int64_t>(request.choices));
  for (const ChatMember& member : request.members)
    for (const Parameter& parameter : kParameters)
      if (member.key == parameter.member) add_number(span_, parameter, member.value);
  span_.truth("toolgate.request.stream", request.stream);
}

void RoundRecord::begun(int status) {
  if (std::exchange(has_begun_, true)) return;
  const auto time = Clock::now() - asked_;
  notes_.upstream_time += time;
  if (notes_.metrics) notes_.metrics->upstream_answered(model_.id, status, seconds_of(time));
  if (span_ && status == 200) span_.event("toolgate.first_piece");
}

void RoundRecord::done() {
  begun();
  end(facts_.finish_reason.empty() ? "stop" : std::string_view(facts_.finish_reason));
  add_tokens(notes_.input_tokens, facts_.input_tokens);
  add_tokens(notes_.output_tokens, facts_.output_tokens);
  if (!span_) return;
  span_.text("gen_ai.response.id", facts_.id);
  span_.text("gen_ai.response.model", facts_.model);
  span_.texts("gen_ai.response.finish_reasons", facts_.finish_reasons);
  if (facts_.input_tokens) span_.number("gen_ai.usage.input_tokens", *facts_.input_tokens);
  if (facts_.output_tokens) span_.number("gen_ai.usage.output_tokens", *facts_.output_tokens);
}

void RoundRecord::failed(const ErrorBody& error) {
  begun(error.status);
  facts_ = {};  // of an answer that turned out to be none
  notes_.error = error_word(error);
  span_.fail(notes_.error);
  end(notes_.error);
}

void RoundRecord::end(std::string_view outcome) {
  if (std::exchange(has_ended_, true)) return;
  if (notes_.metrics)
    notes_.metrics->round_done({.model = model_.id,
                                .provider = model_.provider,
                                .outcome = outcome,
                                .seconds = seconds_of(Clock::now() - asked_),
                                .input_tokens = facts_.input_tokens,
                                .output_tokens = facts_.output_tokens});
  if (outcome == error_info(Errc::Cancelled).name) span_.fail(outcome);
}

}  // namespace toolgate
