// POST /v1/tools and DELETE /v1/tools/{name}: tools that live behind a URL. The operator's only.
#include "gateway/http_tools.h"

#include "async/offload.h"
#include "gateway/endpoints/endpoints.h"
#include "gateway/tools_reply.h"

namespace toolgate {
namespace {

// So that whoever registered a tool finds it at once.
Task<> publish(RequestContext& context) {
  const auto flush = [&context]() -> Result<void> {
    context.registry.flush();
    return {};
  };
  (void)co_await offload(flush, context.exchange.cancel());
}

}  // namespace

Task<> register_http_tool(RequestContext& context) {
  const auto body = co_await context.exchange.read_body();
  auto definition =
      body ? parse_http_tool(*body) : Result<HttpToolDefinition>(std::unexpected(body.error()));
  if (!definition) {
    co_await reply_error(context, definition.error());
    co_return;
  }
  const std::string name = definition->name;
  const auto added = co_await context.http_tools.add(
      std::move(*definition), context.snapshot->settings.http_tools, context.caller);
  if (!added) {
    co_await reply_error(context, added.error());
    co_return;
  }
  co_await publish(context);
  const auto catalog = context.registry.catalog();
  const CatalogTool* tool = catalog->find_tool(name);
  HttpReply reply;
  reply.status = 201;
  reply.body =
      tool ? write_tool(*catalog, *tool, std::nullopt, context.snapshot->settings.families) : "{}";
  (void)co_await context.exchange.reply(std::move(reply));
}

Task<> remove_http_tool(RequestContext& context) {
  const auto removed = co_await context.http_tools.remove(context.parameter, context.caller);
  if (!removed) {
    co_await reply_error(context, removed.error());
    co_return;
  }
  co_await publish(context);
  std::string out = R"({"deleted":true,"name":)";
  append_json_string(out, context.parameter);
  co_await reply_json(context, out + '}');
}

}  // namespace toolgate
