#include "agent/answer_reading.h"

#include "async/offload.h"
#include "base/clock.h"

namespace toolgate {

Task<> count_prompt(const ProviderCall& call, TokenMeter& meter, const Cancel& cancel) {
  // Counting a longer prompt would hold the loop up.
  constexpr std::size_t kMostCountedOnLoop = 16 << 10;
  if (call.request.body.size() <= kMostCountedOnLoop) co_return;
  const auto count = [&meter]() -> Result<std::int64_t> { return meter.prompt_tokens(); };
  (void)co_await offload(count, cancel);
}

StreamOptions make_stream_options(const ProviderCall& call, TokenMeter* meter, TurnReport report) {
  StreamOptions options;
  options.model = call.request.model;
  options.created = unix_seconds();
  options.choices = call.request.choices;
  options.include_usage = call.request.include_usage;
  options.meter = meter;
  options.report = std::move(report);
  return options;
}

Result<StreamState> add_arrived(ChunkSource& source, ChatStreamNormalizer& stream,
                                std::string& out) {
  StreamState state = StreamState::Open;
  while (true) {
    auto data = source.next();
    if (!data) return std::unexpected(data.error());
    if (!*data) return state;
    state = stream.add(**data, out);
    if (state == StreamState::Done || state == StreamState::Failed) return state;
  }
}

Error in_shutdown(Error error, const Cancel& cancel) {
  if (cancel.reason() != CancelReason::Shutdown) return error;
  return {Errc::ShuttingDown, "the gateway is shutting down", {}};
}

std::optional<ErrorBody> failed_status(const ProviderReply& reply) {
  if (reply.status == 200) return std::nullopt;
  if (reply.status < 400)
    return make_error_body({Errc::UpstreamBroken,
                            fmt::format("the upstream answered with status {}", reply.status),
                            {}});
  return read_upstream_error(reply.status, std::get<std::string>(reply.body));
}

}  // namespace toolgate
