// GET /v1/edits and /{id}, POST /v1/edits/{id}/undo: what tools did to files, and taking it back.
// The operator's only.
#include "async/offload.h"
#include "gateway/body_reader.h"
#include "gateway/edits_reply.h"
#include "gateway/endpoints/endpoints.h"
#include "gateway/invoking.h"
#include "gateway/query.h"

namespace toolgate {
namespace {

constexpr std::size_t kUsuallyListed = 100;
constexpr std::size_t kMostListed = 1'000;

Task<> reply(RequestContext& context, Result<std::string> answer) {
  if (answer)
    co_await reply_json(context, std::move(*answer));
  else
    co_await reply_error(context, answer.error());
}

Result<bool> read_force(const BodyReader& body) {
  body.only({"force"});
  if (auto fault = body.fault()) return std::unexpected(std::move(*fault));
  const std::string force = body.json("force").value_or("false");
  if (force != "true" && force != "false")
    return fail_at("force", Errc::InvalidRequest, "force must be true or false");
  return force == "true";
}

}  // namespace

Task<> list_edits(RequestContext& context) {
  const Query query(context.exchange.query());
  const auto limit = query.whole_number("limit", 1, kMostListed);
  if (!limit) {
    co_await reply_error(context, limit.error());
    co_return;
  }
  const std::string workspace(query.find("workspace").value_or(""));
  const auto write = [&]() -> Result<std::string> {
    return write_edit_list(context.invoking.edits(), limit->value_or(kUsuallyListed), workspace);
  };
  co_await reply(context, co_await offload(write, context.exchange.cancel()));
}

Task<> show_edit(RequestContext& context) {
  const Query query(context.exchange.query());
  const bool force = query.find("force").value_or("0") == "1";
  const auto write = [&] { return write_edit(context.invoking.edits(), context.parameter, force); };
  co_await reply(context, co_await offload(write, context.exchange.cancel()));
}

Task<> undo_edit(RequestContext& context) {
  const auto body = co_await read_body_object(context);
  const auto force = body ? read_force(*body) : Result<bool>(std::unexpected(body.error()));
  if (!force) {
    co_await reply_error(context, force.error());
    co_return;
  }
  const auto undo = [&] {
    return write_undo(context.invoking.edits(), context.invoking.ledger(), context.parameter,
                      {.force = *force, .caller = context.caller});
  };
  co_await reply(context, co_await offload(undo, context.exchange.cancel()));
}

}  // namespace toolgate
