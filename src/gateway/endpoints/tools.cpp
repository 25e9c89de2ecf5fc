// GET /v1/tools, /v1/tools/{name} and /v1/toolsets: the catalogue. The list is written once per
// catalogue and query, and sent as it is until something changes.
#include "async/offload.h"
#include "gateway/endpoints/endpoints.h"
#include "gateway/query.h"
#include "gateway/tools_reply.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostToolsOnLoop = 256;

Task<> reply_kept(RequestContext& context, ToolLists::Text text) {
  HttpReply reply;
  reply.shared_body = std::move(text);
  (void)co_await context.exchange.reply(std::move(reply));
}

// `write` makes the text where this loop does not have it yet.
template <class Write>
Task<> reply_list(RequestContext& context, std::string key, Write write) {
  const auto catalog = context.catalog;
  auto text = context.tool_lists.find(*catalog, key);
  if (!text) {
    const auto work = [&]() -> Result<std::string> { return write(*catalog); };
    const bool here = catalog->tools.size() <= kMostToolsOnLoop;
    auto written = here ? work() : co_await offload(work, context.exchange.cancel());
    if (!written) {
      co_await reply_error(context, written.error());
      co_return;
    }
    text = std::make_shared<const std::string>(std::move(*written));
    context.tool_lists.keep(*catalog, std::move(key), text);
  }
  co_await reply_kept(context, std::move(text));
}

}  // namespace

Task<> list_tools(RequestContext& context) {
  const auto query = parse_tool_query(context.exchange.query());
  if (!query) {
    co_await reply_error(context, query.error());
    co_return;
  }
  co_await reply_list(context, key_of(*query),
                      [&](const Catalog& catalog) { return write_tool_list(catalog, *query); });
}

Task<> show_tool(RequestContext& context) {
  const auto tool = find_tool_by_any_name(*context.catalog, context.parameter);
  if (!tool) {
    co_await reply_error(context, tool.error());
    co_return;
  }
  const Query query(context.exchange.query());
  std::optional<std::string> family;
  if (const auto given = query.find("family")) family = *given;
  co_await reply_json(
      context, write_tool(*context.catalog, **tool, family, context.snapshot->settings.families));
}

Task<> list_toolsets(RequestContext& context) {
  co_await reply_list(context, "toolsets",
                      [](const Catalog& catalog) { return write_toolsets(catalog); });
}

}  // namespace toolgate
