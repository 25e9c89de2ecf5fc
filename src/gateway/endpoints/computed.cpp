// POST /v1/normalize and /v1/tokens: answers that are computed from the body alone.
#include "async/offload.h"
#include "gateway/endpoints/endpoints.h"
#include "gateway/normalize_reply.h"
#include "gateway/tokens_reply.h"

namespace toolgate {
namespace {

// More than this takes longer than a loop should stand still.
constexpr std::size_t kMostOnLoop = 16 << 10;

using Compute = Result<std::string> (*)(std::string_view body, const Snapshot& snapshot);

Task<> reply_computed(RequestContext& context, Compute compute) {
  const auto body = co_await context.exchange.read_body();
  if (!body) {
    co_await reply_error(context, body.error());
    co_return;
  }
  const auto work = [text = *body, snapshot = context.snapshot, compute] {
    return compute(text, *snapshot);
  };
  const bool here = body->size() <= kMostOnLoop;
  if (!here && offload_is_full()) {
    co_await reply_error(
        context,
        Error{Errc::Overloaded, "too much is being computed already; try again later", {}});
    co_return;
  }
  auto reply = here ? work() : co_await offload(work, context.exchange.cancel());
  if (!reply) {
    co_await reply_error(context, reply.error());
    co_return;
  }
  co_await reply_json(context, std::move(*reply));
}

}  // namespace

Task<> normalize(RequestContext& context) {
  return reply_computed(context, answer_normalize);
}

Task<> count_tokens_of(RequestContext& context) {
  return reply_computed(context, answer_tokens);
}

}  // namespace toolgate
