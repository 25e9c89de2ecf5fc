#include "agent/pass_through.h"

#include "agent/answer_reading.h"
#include "models/token_meter.h"
#include "wire/openai_answer.h"
#include "wire/openai_stream.h"

namespace toolgate {
namespace {

Task<Result<void>> send_whole(std::string body, const PassedHeaders& headers, StreamOptions options,
                              RoundRecord& record, ChatSink& sink) {
  auto answer = normalize_answer(std::move(body), std::move(options));
  if (!answer) {
    record.failed(answer.error());
    co_return co_await sink.fail(answer.error(), headers);
  }
  record.done();
  co_return co_await sink.whole(std::move(*answer), headers);
}

Task<Result<void>> send_whole_as_stream(std::string_view body, const PassedHeaders& headers,
                                        StreamOptions options, RoundRecord& record,
                                        ChatSink& sink) {
  std::string events;
  if (auto streamed = stream_answer(body, std::move(options), events); !streamed) {
    record.failed(streamed.error());
    co_return co_await sink.fail(streamed.error(), headers);
  }
  record.done();
  sink.begin(headers);
  co_return co_await sink.end(events);
}

// One streamed answer on its way from the source to the sink.
class StreamRelay {
 public:
  StreamRelay(ChunkSource& source, const PassedHeaders& headers, StreamOptions options,
              const ProviderCall& call, RoundRecord& record, ChatSink& sink, const Cancel& cancel)
      : call_(call),
        record_(record),
        meter_(options.meter),
        source_(source),
        headers_(headers),
        stream_(std::move(options)),
        sink_(sink),
        cancel_(cancel) {}

  Task<Result<void>> run() {
    while (true) {
      const auto state = add_arrived(source_, stream_, out_);
      if (!state) co_return co_await fail_with(make_error_body(state.error()));
      if (*state == StreamState::Failed) co_return co_await fail_with(stream_.error());
      if (*state == StreamState::Done) {
        source_.discard_rest();
        co_return co_await finish(StreamEnd::Clean, {});
      }
      if (*state == StreamState::Answered) source_.expect_end();
      if (auto sent = co_await send(); !sent) co_return sent;

      const auto more = co_await source_.fill(cancel_);
      if (!more) co_return co_await finish(StreamEnd::Cut, more.error());
      if (!*more) co_return co_await finish(StreamEnd::Clean, {});
    }
  }

 private:
  void begin() {
    if (std::exchange(begun_, true)) return;
    record_.begun();
    sink_.begin(headers_);
  }

  Task<Result<void>> send() {
    if (out_.empty()) co_return Result<void>{};
    begin();
    auto sent = co_await sink_.write(out_);
    out_.clear();
    co_return sent;
  }

  Task<Result<void>> finish(StreamEnd end, Error why_cut) {
    if (end == StreamEnd::Clean && meter_ && stream_.lacks_usage())
      co_await count_prompt(call_, *meter_, cancel_);
    if (cancel_.reason() == CancelReason::ClientGone)
      co_return fail(Errc::Cancelled, "the client has gone");
    if (stream_.finish(end, out_) == StreamState::Done) {
      begin();
      record_.done();
      co_return co_await sink_.end(out_);
    }
    co_return co_await fail_with(end == StreamEnd::Cut
                                     ? make_error_body(in_shutdown(std::move(why_cut), cancel_))
                                     : stream_.error());
  }

  // An error is a proper HTTP error as long as nothing has been sent, and an event after that.
  Task<Result<void>> fail_with(ErrorBody error) {
    record_.failed(error);
    if (!begun_ && out_.empty()) co_return co_await sink_.fail(error, headers_);
    begin();
    append_error_event(out_, error);
    co_return co_await sink_.end(out_);
  }

  const ProviderCall& call_;
  RoundRecord& record_;
  TokenMeter* meter_;
  ChunkSource& source_;
  const PassedHeaders& headers_;
  ChatStreamNormalizer stream_;
  ChatSink& sink_;
  const Cancel& cancel_;
  std::string out_;
  bool begun_ = false;
};

}  // namespace

Task<Result<void>> pass_through(ProviderCall call, const ChatProvider& provider, TurnReport report,
                                RoundNotes& notes, ChatSink& sink, const Cancel& cancel) {
  RoundRecord record(notes, call, provider.info());
  auto reply = co_await provider.answer(call, cancel);
  if (!reply) {
    if (cancel.reason() == CancelReason::ClientGone) co_return std::unexpected(reply.error());
    const ErrorBody error = make_error_body(in_shutdown(reply.error(), cancel));
    record.failed(error);
    co_return co_await sink.fail(error, {});
  }
  std::unique_ptr<TokenMeter> meter;
  if (!call.request.stream || call.request.include_usage)
    meter = make_token_meter(call.request, provider.info().encoding);
  StreamOptions options = make_stream_options(call, meter.get(), std::move(report));
  options.facts = record.facts();
  if (auto* chunks = std::get_if<std::unique_ptr<ChunkSource>>(&reply->body))
    co_return co_await StreamRelay(**chunks, reply->headers, std::move(options), call, record, sink,
                                   cancel)
        .run();
  if (auto error = failed_status(*reply)) {
    record.failed(*error);
    co_return co_await sink.fail(*error, reply->headers);
  }
  std::string& body = std::get<std::string>(reply->body);
  if (meter && body.find("_tokens\"") == body.npos) co_await count_prompt(call, *meter, cancel);
  if (call.request.stream)
    co_return co_await send_whole_as_stream(body, reply->headers, std::move(options), record, sink);
  co_return co_await send_whole(std::move(body), reply->headers, std::move(options), record, sink);
}

}  // namespace toolgate
