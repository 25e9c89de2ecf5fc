#include "gateway/request_context.h"

namespace toolgate {

Task<> reply_json(RequestContext& context, std::string body) {
  HttpReply reply;
  reply.body = std::move(body);
  (void)co_await context.exchange.reply(std::move(reply));
}

Task<> reply_error(RequestContext& context, const ErrorBody& error, const HttpHeaders& headers) {
  context.metrics.error(error.code.value_or("upstream_error"));
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
