// GET and DELETE /v1/approvals: what is remembered. The operator's only.
#include "gateway/endpoints/endpoints.h"
#include "gateway/invoking.h"

namespace toolgate {

Task<> list_approvals(RequestContext& context) {
  const auto approvals = co_await context.invoking.ledger().run(
      [](InvocationBook& book) { return Result<std::vector<Approval>>(book.approvals()); });
  if (!approvals) {
    co_await reply_error(context, approvals.error());
    co_return;
  }
  std::string out = R"({"object":"list","data":[)";
  for (const Approval& approval : *approvals) {
    if (out.back() == '}') out += ',';
    out += write_approval(approval);
  }
  co_await reply_json(context, out + "]}");
}

Task<> revoke_approval(RequestContext& context) {
  const auto revoked = co_await context.invoking.ledger().run(
      [id = context.parameter, by = context.caller](InvocationBook& book) {
        return book.revoke(id, by);
      });
  if (!revoked) {
    co_await reply_error(context, revoked.error());
    co_return;
  }
  co_await reply_json(context, write_approval(*revoked));
}

Task<> reset_approvals(RequestContext& context) {
  const auto revoked = co_await context.invoking.ledger().run(
      [by = context.caller](InvocationBook& book) { return book.reset_approvals(by); });
  if (!revoked) {
    co_await reply_error(context, revoked.error());
    co_return;
  }
  co_await reply_json(context, fmt::format(R"({{"revoked":{}}})", *revoked));
}

}  // namespace toolgate
