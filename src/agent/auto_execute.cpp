#include "agent/auto_execute.h"

#include <algorithm>
#include <cstring>

#include "agent/answer_reading.h"
#include "agent/turn_history.h"
#include "async/deadline.h"
#include "async/event.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/ids.h"
#include "models/token_meter.h"
#include "wire/openai_answer.h"
#include "wire/usage.h"

namespace toolgate {
namespace {

using RoundResult = std::expected<Round, ErrorBody>;

// A model that ended for another reason than its calls did not finish writing them.
bool calls_are_whole(const Round& round) {
  return round.finish_reason != "length" && round.finish_reason != "content_filter";
}

std::size_t total_tokens(const json::object& usage) {
  const json::value* total = usage.if_contains("total_tokens");
  return total && total->is_int64() && total->get_int64() > 0
             ? static_cast<std::size_t>(total->get_int64())
             : 0;
}

// The request's body where it allows some tools and demands one of them: without the demand.
std::optional<std::string> without_demand(const ChatRequest& request) {
  if (request.tool_mode != ToolMode::Subset) return std::nullopt;
  const auto member = std::ranges::find(request.members, "tool_choice", &ChatMember::key);
  auto choice = parse_json(member->value);
  json::value* allowed =
      choice && choice->is_object() ? choice->get_object().if_contains("allowed_tools") : nullptr;
  const json::value* mode = allowed ? find(*allowed, "mode") : nullptr;
  if (!mode || !mode->is_string() || mode->get_string() != "required") return std::nullopt;
  allowed->get_object()["mode"] = "auto";
  const std::string_view old = member->value;
  return fmt::format("{}{}{}", std::string_view(request.body.begin(), old.begin()),
                     write_json(*choice), std::string_view(old.end(), request.body.end()));
}

class AutoRun {
 public:
  AutoRun(const ChatRequest& request, AutoExecution execution, ChatSink& sink, const Cancel& cancel)
      : first_(request),
        execution_(std::move(execution)),
        calls_(execution_.calls),
        sink_(sink),
        cancel_(cancel),
        time_limit_(execution_.calls.tools.deadlines(), [this] {
          is_late_ = true;
          cancel_.request(CancelReason::Timeout);
        }) {
    report_.rounds = 0;
  }

  Task<Result<void>> run() {
    time_limit_.arm(execution_.time);
    body_ = first_.body;
    auto restored = co_await restore_history(first_, finder());
    if (!restored) co_return co_await fail_with(make_error_body(restored.error()));
    if (*restored) body_ = std::move(**restored);
    names_results_ =
        memmem(body_.data(), body_.size(), kResultScheme.data(), kResultScheme.size()) != nullptr;
    for (;;) {
      auto request = co_await read_request();
      if (!request) co_return co_await fail_with(make_error_body(request.error()));
      if (report_.rounds == 0) known_ids_ = call_ids_of(*request);
      const ProviderCall call{*request, execution_.calls.request_id, execution_.client};
      const auto meter = make_token_meter(*request, execution_.provider.info().encoding);
      if (auto too_long = co_await check_size(call, *meter))
        co_return co_await refuse(std::move(*too_long));
      auto round = co_await ask(call, *meter);
      if (!round && is_late_ && has_answer()) co_return co_await cut_short(limit_reached());
      if (!round) co_return co_await fail_with(round.error());
      take(*round);
      if (round->calls.empty() || !calls_are_whole(*round)) co_return co_await finish(*round);
      if (auto why = limit_reached(); !why.empty()) co_return co_await cut_short(why);
      const auto made = co_await make_calls(*round, *request);
      if (calls_.is_stopping() || (cancel_.requested() && !is_late_))
        co_return co_await fail_with(stopped());
      if (auto done = co_await go_on(*round, made, *request)) co_return std::move(*done);
    }
  }

 private:
  // The body as it stands now, with the tools of this round.
  Task<Result<ChatRequest>> read_request() {
    auto request = execution_.parse(body_);
    if (!request) co_return request;
    // To call a tool was asked for once, not in every round.
    if (report_.rounds > 0) {
      if (auto body = without_demand(*request)) {
        body_ = std::move(*body);
        request = execution_.parse(body_);
        if (!request) co_return request;
      }
      if (request->tool_mode == ToolMode::Required || request->tool_mode == ToolMode::Named) {
        request->tool_mode = ToolMode::Auto;
        request->drops_tool_choice = true;
      }
    }
    TurnReport report;
    chosen_.clear();
    request->names_results = names_results_;
    if (auto offered = co_await execution_.offer(*request, report, chosen_); !offered)
      co_return std::unexpected(offered.error());
    for (std::string& warning : report.warnings) add_warning(report_, std::move(warning));
    if (report_.rounds == 0) report_.fixes = std::move(report.fixes);
    co_return request;
  }

  FindTurn finder() {
    return [this](std::string turn_id) -> Task<Result<std::optional<OpenTurn>>> {
      const auto record = co_await execution_.ledger.run(
          [caller = execution_.calls.caller, id = std::move(turn_id)](InvocationBook& book) {
            return book.find_turn(caller, id);
          });
      if (!record) co_return std::unexpected(record.error());
      if (!*record) {
        add_warning(report_,
                    "what ran here in an earlier turn is no longer kept, or not for this key, and "
                    "is missing in the history (toolgate.limits.turnKeepSeconds)");
        co_return std::nullopt;
      }
      auto turn = parse_turn(**record);
      if (!turn) co_return fail(Errc::Internal, "what was kept of a turn cannot be read");
      co_return turn;
    };
  }

  // A history that is too long is told before the upstream says so in words of its own.
  Task<std::optional<ErrorBody>> check_size(const ProviderCall& call, TokenMeter& meter) {
    const auto most = execution_.provider.info().max_input_tokens;
    if (!most) co_return std::nullopt;
    co_await count_prompt(call, meter, cancel_);
    const std::int64_t tokens = meter.prompt_tokens();
    tokens_left_ = static_cast<std::size_t>(std::max<std::int64_t>(0, *most - tokens));
    if (tokens <= *most) co_return std::nullopt;
    co_return ErrorBody{
        .status = 400,
        .message = fmt::format("messages: the history has about {} tokens with its tools, and the "
                               "model '{}' takes {} (maxInputTokens)",
                               tokens, execution_.provider.info().id, *most),
        .type = "invalid_request_error",
        .param = "messages",
        .code = "context_length_exceeded"};
  }

  Task<RoundResult> ask(ProviderCall call, TokenMeter& counting) {
    RoundRecord record(execution_.notes, call, execution_.provider.info());
    auto round = co_await ask(call, counting, record);
    if (round)
      record.done();
    else if (cancel_.reason() != CancelReason::ClientGone)
      record.failed(round.error());
    co_return round;
  }

  Task<RoundResult> ask(const ProviderCall& call, TokenMeter& counting, RoundRecord& record) {
    auto reply = co_await execution_.provider.answer(call, cancel_);
    ++report_.rounds;
    if (!reply) co_return std::unexpected(make_error_body(in_shutdown(reply.error(), cancel_)));
    headers_ = reply->headers;
    TokenMeter* const meter = !first_.stream || first_.include_usage ? &counting : nullptr;
    StreamOptions options = make_stream_options(call, meter, {});
    options.facts = record.facts();
    if (auto* chunks = std::get_if<std::unique_ptr<ChunkSource>>(&reply->body))
      co_return co_await relay(**chunks, std::move(options), call, record);
    if (auto error = failed_status(*reply)) co_return std::unexpected(std::move(*error));
    std::string& body = std::get<std::string>(reply->body);
    if (meter && body.find("_tokens\"") == body.npos) co_await count_prompt(call, *meter, cancel_);
    co_return first_.stream ? co_await relay_whole(body, std::move(options))
                            : read_whole(std::move(body), std::move(options));
  }

  RoundResult read_whole(std::string body, StreamOptions options) {
    auto answer = normalize_answer(std::move(body), std::move(options));
    if (!answer) return std::unexpected(answer.error());
    auto round = read_round(*answer, envelope_);
    if (!round) return round;
    if (envelope_.created == 0) envelope_.created = unix_seconds();
    answer_ = std::move(*answer);
    return round;
  }

  Task<RoundResult> relay_whole(std::string_view body, StreamOptions options) {
    std::string events;
    if (auto streamed = stream_answer(body, std::move(options), events); !streamed)
      co_return std::unexpected(streamed.error());
    RoundReader reader(envelope_);
    reader.add(events, out_);
    (void)co_await send();
    co_return reader.take();
  }

  Task<RoundResult> relay(ChunkSource& source, StreamOptions options, const ProviderCall& call,
                          RoundRecord& record) {
    TokenMeter* const meter = options.meter;
    ChatStreamNormalizer stream(std::move(options));
    RoundReader reader(envelope_);
    std::string events;
    StreamEnd end = StreamEnd::Clean;
    Error why_cut;
    for (;;) {
      const auto state = add_arrived(source, stream, events);
      if (!state) co_return std::unexpected(make_error_body(state.error()));
      if (*state == StreamState::Failed) co_return std::unexpected(stream.error());
      if (!events.empty()) record.begun();
      reader.add(events, out_);
      events.clear();
      if (*state == StreamState::Done) {
        source.discard_rest();
        break;
      }
      if (*state == StreamState::Answered) source.expect_end();
      if (auto sent = co_await send(); !sent)
        co_return std::unexpected(make_error_body(sent.error()));
      const auto more = co_await source.fill(cancel_);
      if (!more) {
        end = StreamEnd::Cut;
        why_cut = more.error();
        break;
      }
      if (!*more) break;
    }
    if (end == StreamEnd::Clean && meter && stream.lacks_usage())
      co_await count_prompt(call, *meter, cancel_);
    if (stream.finish(end, events) != StreamState::Done)
      co_return std::unexpected(end == StreamEnd::Cut
                                    ? make_error_body(in_shutdown(std::move(why_cut), cancel_))
                                    : stream.error());
    reader.add(events, out_);
    if (auto sent = co_await send(); !sent)
      co_return std::unexpected(make_error_body(sent.error()));
    co_return reader.take();
  }

  // Where neither the upstream nor a meter counted: four bytes are about a token.
  std::size_t estimate(const Round& round) const {
    std::size_t bytes = body_.size() + round.text.size();
    for (const RoundCall& call : round.calls) bytes += call.arguments.size();
    return bytes / 4;
  }

  // What all rounds said so far, and ids that no call had before.
  void take(Round& round) {
    text_ += round.text;
    add_usage(usage_, round.usage);
    tokens_ += round.usage.empty() ? estimate(round) : total_tokens(round.usage);
    for (std::string& warning : round.warnings) add_warning(report_, std::move(warning));
    for (RoundCall& call : round.calls)
      if (call.id.empty() || !known_ids_.insert(call.id).second) {
        call.id = make_id("call_");
        known_ids_.insert(call.id);
      }
  }

  // Why no more calls may be made; empty: they may.
  std::string limit_reached() const {
    if (is_late_) return "toolgate.limits.turnSeconds is over";
    if (tokens_ > execution_.most_tokens)
      return fmt::format("toolgate.limits.turnTokens allows {} tokens", execution_.most_tokens);
    if (first_.max_tool_rounds > 0 &&
        static_cast<std::size_t>(report_.rounds) > first_.max_tool_rounds)
      return fmt::format("max_tool_rounds allows {} rounds of tools", first_.max_tool_rounds);
    return calls_.stop_reason();
  }

  // How long a result of this round may be, where the model's room is known: half of what is left
  // is for all of them.
  std::optional<std::size_t> result_tokens(const Round& round) const {
    constexpr std::size_t kLeast = 256;
    if (!tokens_left_) return std::nullopt;
    return std::max(kLeast, *tokens_left_ / 2 / round.calls.size());
  }

  Task<std::vector<MadeCall>> make_calls(const Round& round, const ChatRequest& request) {
    CallsOfRound calls{.calls = round.calls,
                       .request = request,
                       .chosen = chosen_,
                       .result_tokens = result_tokens(round)};
    if (!first_.stream || !first_.include_tool_events)
      co_return co_await calls_.make(calls, cancel_);
    calls.told = [this](const InvocationPointer& row) {
      append_tool_event(out_, envelope_, write_invocation(*row, execution_.redaction));
      progress_.set();
    };
    bool done = false;
    std::vector<MadeCall> made;
    const Executor loop = co_await boost::asio::this_coro::executor;
    Scope scope(loop.context());
    const auto make = [&]() -> Task<> {
      made = co_await calls_.make(calls, cancel_);
      done = true;
      progress_.set();
    };
    scope.spawn(make(), "calls");
    while (!done) {
      if (out_.empty()) co_await progress_.wait();
      if (!co_await send()) break;  // the client has gone, which ends the calls
    }
    co_await scope.drain();
    co_return made;
  }

  // Either the next round is due, or the answer is complete.
  Task<std::optional<Result<void>>> go_on(Round& round, const std::vector<MadeCall>& made,
                                          const ChatRequest& request) {
    OpenTurn turn;
    std::vector<std::size_t> left;  // to the client
    if (calls_.left_out() > 0)
      add_warning(report_, fmt::format("{} calls were left out: in one round {} are made",
                                       calls_.left_out(), made.size() - calls_.left_out()));
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!made[i].report.empty()) report_.invocations.push_back(made[i].report);
      if (made[i].is_clients)
        left.push_back(i);
      else
        turn.results.emplace(round.calls[i].id, made[i].content);
      names_results_ = names_results_ || made[i].content.contains(kResultScheme);
    }
    if (!left.empty()) co_return co_await leave_to_client(round, std::move(turn), left);
    std::string messages = write_assistant_message(round);
    hidden_.push_back(messages);
    for (std::size_t i = 0; i < made.size(); ++i) {
      hidden_.push_back(write_tool_message(round.calls[i].id, made[i].content));
      messages += ',' + hidden_.back();
    }
    body_ = append_messages(request, messages);
    if (calls_.stop_reason().empty() && !is_late_) co_return std::nullopt;
    co_return co_await cut_short(limit_reached());
  }

  // The client makes its own calls and comes back; until then, what it does not know is kept.
  Task<std::optional<Result<void>>> leave_to_client(const Round& round, OpenTurn turn,
                                                    const std::vector<std::size_t>& left) {
    AnswerEnd end = make_end("tool_calls");
    for (const std::size_t i : left) end.calls.push_back(round.calls[i]);
    turn.before = hidden_;
    turn.round = round;
    if (!turn.before.empty() || !turn.results.empty()) {
      const std::string id = make_id("call_");
      for (std::size_t i = 0; i < left.size(); ++i) end.calls[i].id = client_call_id(id, left[i]);
      if (auto kept = co_await keep(id, write_turn(turn)); !kept)
        co_return co_await fail_with(make_error_body(kept.error()));
    }
    co_return co_await send_end(std::move(end));
  }

  Task<Result<void>> keep(std::string id, std::string record) {
    constexpr std::size_t kMostBytes = std::size_t{16} << 20;
    if (record.size() > kMostBytes)
      co_return fail(Errc::TooLarge, "what this turn did has {} bytes, too many to keep for it",
                     record.size());
    co_return co_await execution_.ledger.run(
        [caller = execution_.calls.caller, id = std::move(id), record = std::move(record),
         time = execution_.keep_turns.count()](InvocationBook& book) {
          return book.keep_turn(caller, id, record, time);
        });
  }

  AnswerEnd make_end(std::string reason) const {
    return {.text = text_,
            .calls = {},
            .finish_reason = std::move(reason),
            .usage = usage_,
            .include_usage = first_.include_usage};
  }

  // Whether an answer can still be told as such.
  bool has_answer() const { return first_.stream ? begun_ : !answer_.empty(); }

  Task<Result<void>> finish(const Round& round) {
    if (!round.calls.empty())
      add_warning(report_, "the model was cut off while it wrote calls, so they were not made");
    const bool odd = round.calls.empty() && round.finish_reason == "tool_calls";
    co_return co_await send_end(make_end(odd ? "stop" : round.finish_reason));
  }

  // At a limit: what was said stays, and why it is all is told.
  Task<Result<void>> cut_short(std::string_view why) {
    add_warning(report_, fmt::format("the turn was ended before the model was done: {}", why));
    co_return co_await send_end(make_end("stop"));
  }

  Task<Result<void>> refuse(ErrorBody error) {
    if (report_.rounds > 0 && has_answer()) co_return co_await cut_short(error.message);
    co_return co_await fail_with(std::move(error));
  }

  Task<Result<void>> send_end(AnswerEnd end) {
    if (!first_.stream)
      co_return co_await sink_.whole(write_answer(answer_, envelope_, end, report_), headers_);
    append_ending(out_, envelope_, end, report_);
    begin();
    co_return co_await sink_.end(out_);
  }

  void begin() {
    if (!std::exchange(begun_, true)) sink_.begin(headers_);
  }

  Task<Result<void>> send() {
    if (out_.empty()) co_return Result<void>{};
    begin();
    const std::string events = std::exchange(out_, {});
    co_return co_await sink_.write(events);
  }

  ErrorBody stopped() const {
    if (calls_.is_stopping())
      return make_error_body({Errc::ShuttingDown, "the gateway is shutting down", {}});
    return make_error_body(
        in_shutdown({Errc::Cancelled, "the request was cancelled", {}}, cancel_));
  }

  // An error is a proper HTTP error as long as nothing has been sent, and an event after that.
  Task<Result<void>> fail_with(ErrorBody error) {
    if (cancel_.reason() == CancelReason::ClientGone)
      co_return fail(Errc::Cancelled, "the client has gone");
    if (!begun_ && out_.empty()) co_return co_await sink_.fail(error, error_headers());
    begin();
    append_error_event(out_, error);
    co_return co_await sink_.end(out_);
  }

  // Clients try again by themselves, and tools have run: that is for someone to decide.
  PassedHeaders error_headers() const {
    PassedHeaders headers = headers_;
    if (report_.invocations.empty()) return headers;
    std::erase_if(headers, [](const auto& header) {
      return equal_ignoring_case(header.first, "retry-after");
    });
    headers.emplace_back("x-should-retry", "false");
    return headers;
  }

  const ChatRequest& first_;
  AutoExecution execution_;
  TurnCalls calls_;
  ChatSink& sink_;
  CancelSource cancel_;
  Deadline time_limit_;
  bool is_late_ = false;
  std::string body_;
  std::vector<std::uint32_t> chosen_;
  std::unordered_set<std::string> known_ids_;
  std::vector<std::string> hidden_;  // messages that the client never sees
  std::string text_;                 // of all rounds
  json::object usage_;
  std::size_t tokens_ = 0;
  std::optional<std::size_t> tokens_left_;  // of what the model takes; nothing: not known
  bool names_results_ = false;              // the history has handles of long results
  std::string answer_;                      // the last whole one
  AnswerEnvelope envelope_;
  TurnReport report_;
  PassedHeaders headers_;
  std::string out_;
  Event progress_;
  bool begun_ = false;
};

}  // namespace

Task<Result<void>> auto_execute(const ChatRequest& request, AutoExecution execution, ChatSink& sink,
                                const Cancel& cancel) {
  AutoRun run(request, std::move(execution), sink, cancel);
  co_return co_await run.run();
}

}  // namespace toolgate
