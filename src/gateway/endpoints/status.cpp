#include "gateway/endpoints/endpoints.h"

namespace toolgate {

Task<> show_health(RequestContext& context) {
  co_await reply_json(context, R"({"status":"ok"})");
}

// Where the gateway is stopping, new connections are refused already; those that stay open learn it
// here.
Task<> show_readiness(RequestContext& context) {
  if (context.exchange.stopping()) {
    co_await reply_error(context, Error{Errc::ShuttingDown, "the gateway is shutting down", {}});
    co_return;
  }
  co_await reply_json(context, R"({"status":"ready"})");
}

Task<> show_metrics(RequestContext& context) {
  HttpReply reply;
  reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  reply.body = context.metrics.text();
  (void)co_await context.exchange.reply(std::move(reply));
}

}  // namespace toolgate
