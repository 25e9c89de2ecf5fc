#include "gateway/dispatch.h"

#include <algorithm>

#include "base/ids.h"
#include "base/log.h"
#include "gateway/request_span.h"
#include "gateway/routes.h"

namespace toolgate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLoggedPath = 200;

bool is_usable_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

std::string request_id(const HttpHead& head) {
  const auto given = head.find("x-request-id");
  return given && is_usable_id(*given) ? std::string(*given) : make_id("req_");
}

Result<void> check_reachable(const HttpExchange& exchange, const LoopState& state) {
  const Settings& settings = state.snapshot->settings;
  auto allowed = check_origin(exchange.head(), state.listening_host, settings.allowed_hosts);
  if (allowed) return allowed;
  // Asking for our own address costs a system call, so only where the usual names did not fit.
  return check_origin(exchange.head(), exchange.local_address(), settings.allowed_hosts);
}

// Pages on allowed hosts may call us from a browser.
void add_cross_origin_headers(HttpExchange& exchange) {
  const auto origin = exchange.head().find("origin");
  if (!origin) return;
  exchange.add_header("Access-Control-Allow-Origin", std::string(*origin));
  exchange.add_header("Access-Control-Expose-Headers", "*");
  exchange.add_header("Vary", "Origin");
}

Task<> answer_preflight(RequestContext& context) {
  HttpReply reply;
  reply.status = 204;
  reply.content_type = {};
  reply.headers = {{"Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS"},
                   {"Access-Control-Allow-Headers", "*, Authorization"},
                   {"Access-Control-Max-Age", "600"}};
  (void)co_await context.exchange.reply(std::move(reply));
}

Task<> reply_no_route(RequestContext& context, const RouteMatch& match) {
  const HttpHead& head = context.exchange.head();
  if (match.allowed_methods.empty()) {
    const Error error{Errc::NotFound,
                      fmt::format("there is no {} {}", head.method(), context.exchange.path()),
                      {}};
    co_await reply_error(context, error);
    co_return;
  }
  context.exchange.add_header("Allow", match.allowed_methods);
  const Error error{Errc::MethodNotAllowed,
                    fmt::format("{} takes {}, not {}", context.exchange.path(),
                                match.allowed_methods, head.method()),
                    {}};
  co_await reply_error(context, error);
}

// The route's pattern, for metrics.
Task<std::string_view> answer(RequestContext& context, const LoopState& state) {
  constexpr std::string_view kNoRoute = "none";
  const HttpExchange& exchange = context.exchange;
  const Settings& settings = context.snapshot->settings;
  if (auto reachable = check_reachable(exchange, state); !reachable) {
    co_await reply_error(context, reachable.error());
    co_return kNoRoute;
  }
  add_cross_origin_headers(context.exchange);
  if (exchange.head().method() == "OPTIONS") {
    co_await answer_preflight(context);
    co_return kNoRoute;
  }
  if (exchange.head().find("via").value_or("").contains(instance_name())) {
    co_await reply_error(context, Error{Errc::InvalidRequest,
                                        "this request comes from this gateway itself: the baseUrl "
                                        "of a model points back at it",
                                        {}});
    co_return kNoRoute;
  }
  RouteMatch match = match_route(exchange.head().method(), exchange.path());
  Access access = match.route ? match.route->access : Access::Key;
  if (state.operator_only && access == Access::Key) access = Access::Operator;
  auto caller = check_key(exchange.head(), access, settings.api_keys, state.operator_token);
  if (!caller) {
    context.exchange.add_header("WWW-Authenticate", "Bearer");
    co_await reply_error(context, caller.error());
    co_return kNoRoute;
  }
  if (!match.route) {
    co_await reply_no_route(context, match);
    co_return kNoRoute;
  }
  context.caller = std::move(*caller);
  context.parameter = std::move(match.parameter);
  if (state.tracer && match.route->traced == Traced::Yes)
    context.span = begin_request_span(*state.tracer, context, match.route->path);
  co_await match.route->handler(context);
  co_return match.route->path;
}

void report(RequestContext& context, std::string_view route, Clock::time_point started) {
  const HttpExchange& exchange = context.exchange;
  const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
  const bool gone = !exchange.finished() || exchange.cancel().reason() == CancelReason::ClientGone;
  const int status = gone ? error_info(Errc::Cancelled).http_status : exchange.status();
  context.metrics.request_done(route, status, seconds, exchange.bytes_in(), exchange.bytes_out());
  if (context.span) end_request_span(context.span, status);
  log(status >= 500 ? LogLevel::Warn : LogLevel::Info, "{} {} {} {} {:.1f}ms in={} out={}{}{}{}",
      context.id, exchange.head().method(), exchange.path().substr(0, kLoggedPath), status,
      seconds * 1000, exchange.bytes_in(), exchange.bytes_out(), context.note,
      context.caller.empty() ? "" : " caller=", context.caller);
}

}  // namespace

Task<> dispatch(HttpExchange& exchange, LoopState& state) {
  const auto started = Clock::now();
  RequestContext context{.exchange = exchange,
                         .snapshot = state.snapshot,
                         .client = state.client,
                         .catalog = state.catalog,
                         .registry = state.registry,
                         .normalized_tools = state.normalized_tools,
                         .known_parts = state.known_parts,
                         .tool_offers = state.tool_offers,
                         .group_names = state.group_names,
                         .tool_lists = state.tool_lists,
                         .tools_service = state.tools_service,
                         .invoking = state.invoking,
                         .http_tools = state.http_tools,
                         .redaction = state.invoking.redaction(),
                         .metrics = state.metrics,
                         .id = request_id(exchange.head())};
  exchange.add_header("X-Request-Id", context.id);
  std::string_view route = "none";
  std::string failure;
  try {
    route = co_await answer(context, state);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) {
    log(LogLevel::Error, "{} ended by an exception: {}", context.id, failure);
    if (!exchange.started())
      co_await reply_error(context, Error{Errc::Internal, "an internal error; see the log", {}});
  }
  report(context, route, started);
}

}  // namespace toolgate
