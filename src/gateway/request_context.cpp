#include "gateway/request_context.h"

#include "base/log.h"

namespace toolgate {
namespace {

// Upstreams put what they like into `code`; a metric's label must not grow with it.
std::string metric_code(const ErrorBody& error) {
  if (error.code && is_error_name(*error.code)) return *error.code;
  return fmt::format("upstream_{}", error.status);
}

}  // namespace

Task<> reply_json(RequestContext& context, std::string body) {
  HttpReply reply;
  reply.body = std::move(body);
  (void)co_await context.exchange.reply(std::move(reply));
}

Task<> reply_error(RequestContext& context, const ErrorBody& error, const HttpHeaders& headers) {
  const std::string code = metric_code(error);
  context.metrics.error(code);
  if (log_enabled(LogLevel::Info)) context.note += " error=" + code;
  HttpReply reply;
  reply.status = error.status;
  reply.headers = headers;
  reply.body = write_error_body(error);
  (void)co_await context.exchange.reply(std::move(reply));
}

Task<> reply_error(RequestContext& context, const Error& error) {
  co_await reply_error(context, make_error_body(error));
}

}  // namespace toolgate
