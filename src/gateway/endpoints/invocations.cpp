// GET /v1/invocations and /{id}, POST …/confirm and …/cancel, GET /v1/results/{handle}: calls as
// they wait, run and have ended.
#include "async/offload.h"
#include "gateway/access.h"
#include "gateway/body_reader.h"
#include "gateway/endpoints/endpoints.h"
#include "gateway/invoking.h"
#include "gateway/query.h"
#include "invoke/canonical.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostListed = 10'000;

Result<InvocationQuery> read_query(std::string_view text) {
  const Query query(text);
  InvocationQuery wanted;
  if (const auto state = query.find("state"); state && !state->empty()) {
    wanted.state = parse_invocation_state(*state);
    if (!wanted.state)
      return fail_at("state", Errc::InvalidRequest,
                     "there is no state '{}'; there are Streaming, WaitingForConfirmation, "
                     "Executing, WaitingForPostApproval, Completed, Cancelled",
                     *state);
  }
  wanted.session_id = query.find("session_id").value_or("");
  wanted.tool_id = query.find("tool").value_or("");
  wanted.before = query.find("before").value_or("");
  const auto limit = query.whole_number("limit", 1, kMostListed);
  if (!limit) return std::unexpected(limit.error());
  wanted.limit = limit->value_or(wanted.limit);
  return wanted;
}

Result<Confirmation> read_confirmation(const BodyReader& body) {
  body.only({"decision", "scope", "target", "message", "parameters", "arguments_hash", "button",
             "expires_in_seconds"});
  Confirmation confirmation;
  const std::string decision = body.text("decision");
  if (decision == "deny")
    confirmation.choice = Confirmation::Choice::Deny;
  else if (decision == "skip")
    confirmation.choice = Confirmation::Choice::Skip;
  else if (decision != "allow")
    return fail_at("decision", Errc::InvalidRequest,
                   "decision must be \"allow\", \"deny\" or \"skip\"");
  if (const std::string scope = body.text("scope"); !scope.empty()) {
    const auto named = parse_approval_scope(scope);
    if (!named)
      return fail_at("scope", Errc::InvalidRequest,
                     "scope must be \"once\", \"session\", \"workspace\" or \"always\"");
    confirmation.scope = *named;
  }
  if (const std::string target = body.text("target"); !target.empty()) {
    const auto named = parse_approval_target(target);
    if (!named)
      return fail_at("target", Errc::InvalidRequest,
                     "target must be \"tool\", \"server\" or \"arguments\"");
    confirmation.target = *named;
  }
  confirmation.message = body.text("message");
  confirmation.parameters = body.json("parameters");
  confirmation.arguments_hash = body.optional_text("arguments_hash");
  confirmation.selected_button = body.text("button");
  if (const auto seconds = body.integer("expires_in_seconds", 1, 3'153'600'000))
    confirmation.remember_for = static_cast<std::int64_t>(*seconds) * 1000;
  if (auto fault = body.fault()) return std::unexpected(std::move(*fault));
  return confirmation;
}

// What would run must be what was asked about, and not only look like it.
Result<void> check_unchanged(const RequestContext& context, const InvocationRow& row) {
  const CatalogTool* tool = context.registry.catalog()->find_tool(row.tool_id);
  if (tool && sha256_hex(definition_text(tool->data())) == row.definition_hash) return {};
  return fail(Errc::Conflict, "'{}' is {} since {} was made: it can only be denied or skipped",
              row.tool_id, tool ? "another one" : "gone", row.id);
}

// What a person made of the arguments must be what the tool takes, as what a model wrote must.
Result<void> check_parameters(const RequestContext& context, const InvocationRow& row,
                              Confirmation& confirmation) {
  if (!confirmation.parameters) return {};
  const CatalogTool* tool = context.catalog->find_tool(row.tool_id);
  if (!tool) return fail(Errc::Conflict, "'{}' is gone since this call was made", row.tool_id);
  auto checked = tool->check_input(*confirmation.parameters);
  if (!checked.valid) return fail_at("parameters", Errc::InvalidRequest, "{}", checked.message);
  confirmation.parameters = std::move(checked.input);
  return {};
}

std::string write_list(const std::vector<InvocationPointer>& rows, const Redaction* redaction) {
  std::string out = R"({"object":"list","data":[)";
  for (const InvocationPointer& row : rows) {
    if (out.back() == '}') out += ',';
    out += write_invocation(*row, redaction);
  }
  out += "]}";
  return out;
}

// What a tool answered is for whoever called it, once nobody wants to look at it first.
bool may_see_result(const RequestContext& context, const InvocationRow& row) {
  return context.caller == kOperatorName || is_result_for(row, context.caller);
}

std::string write_with_result(const RequestContext& context, const InvocationRow& row) {
  std::string out = write_invocation(row, redaction_for(context));
  if (row.result.empty() || !may_see_result(context, row)) return out;
  out.back() = ',';
  out += R"("result":)" + row.result + '}';
  return out;
}

}  // namespace

Task<> list_invocations(RequestContext& context) {
  const auto query = read_query(context.exchange.query());
  if (!query) {
    co_await reply_error(context, query.error());
    co_return;
  }
  const auto rows = co_await context.invoking.ledger().run(
      [wanted = *query](InvocationBook& book) { return book.list(wanted); });
  if (!rows) {
    co_await reply_error(context, rows.error());
    co_return;
  }
  constexpr std::size_t kMostOnLoop = 100;
  const auto write = [&]() -> Result<std::string> {
    return write_list(*rows, redaction_for(context));
  };
  auto text =
      rows->size() <= kMostOnLoop ? write() : co_await offload(write, context.exchange.cancel());
  if (!text) {
    co_await reply_error(context, text.error());
    co_return;
  }
  co_await reply_json(context, std::move(*text));
}

Task<> show_invocation(RequestContext& context) {
  const auto row = co_await context.invoking.ledger().run(
      [id = context.parameter](InvocationBook& book) { return book.find(id); });
  if (!row) {
    co_await reply_error(context, row.error());
    co_return;
  }
  co_await reply_json(context, write_with_result(context, **row));
}

Task<> confirm_invocation(RequestContext& context) {
  const auto body = co_await read_body_object(context);
  auto confirmation =
      body ? read_confirmation(*body) : Result<Confirmation>(std::unexpected(body.error()));
  if (!confirmation) {
    co_await reply_error(context, confirmation.error());
    co_return;
  }
  confirmation->id = context.parameter;
  confirmation->by = context.caller;
  const auto row = co_await context.invoking.ledger().run(
      [id = context.parameter](InvocationBook& book) { return book.find(id); });
  if (!row) {
    co_await reply_error(context, row.error());
    co_return;
  }
  Result<void> checked;
  if (confirmation->choice == Confirmation::Choice::Allow &&
      (*row)->state == InvocationState::WaitingForConfirmation)
    checked = check_unchanged(context, **row);
  if (checked) checked = check_parameters(context, **row, *confirmation);
  if (!checked) {
    co_await reply_error(context, checked.error());
    co_return;
  }
  const auto decided = co_await context.invoking.ledger().confirm(std::move(*confirmation));
  if (!decided) {
    co_await reply_error(context, decided.error());
    co_return;
  }
  co_await reply_json(context, write_invocation(**decided, nullptr));
}

Task<> cancel_invocation(RequestContext& context) {
  const auto own = co_await find_own_call(context);
  if (!own) {
    co_await reply_error(context, own.error());
    co_return;
  }
  const Decision reason{
      .kind = DecisionKind::Denied,
      .by = "caller",
      .message = context.caller.empty()
                     ? "the call was cancelled"
                     : fmt::format("the call was cancelled by {}", context.caller)};
  const auto ended = co_await context.invoking.ledger().run(
      [id = context.parameter, reason](InvocationBook& book) { return book.cancel(id, reason); });
  if (!ended) {
    co_await reply_error(context, ended.error());
    co_return;
  }
  co_await reply_json(context, write_invocation(**ended, redaction_for(context)));
}

Task<> read_result(RequestContext& context) {
  constexpr std::size_t kMostAtOnce = std::size_t{8} << 20;
  const Query query(context.exchange.query());
  const auto offset = query.whole_number("offset", 0, std::size_t{1} << 40);
  const auto limit = query.whole_number("limit", 1, kMostAtOnce);
  if (!offset || !limit) {
    co_await reply_error(context, (!offset ? offset : limit).error());
    co_return;
  }
  const std::string id = context.parameter.substr(0, context.parameter.rfind('.'));
  const auto row =
      co_await context.invoking.ledger().run([id](InvocationBook& book) { return book.find(id); });
  if (!row) {
    co_await reply_error(context, row.error());
    co_return;
  }
  if (!may_see_result(context, **row)) {
    co_await reply_error(context,
                         Error{Errc::Forbidden,
                               fmt::format("the result of {} is not, or not yet, for this key", id),
                               {}});
    co_return;
  }
  const auto read = [&] {
    return context.invoking.results().read(context.parameter, offset->value_or(0),
                                           limit->value_or(kMostAtOnce));
  };
  auto slice = co_await offload(read, context.exchange.cancel());
  if (!slice) {
    co_await reply_error(context, slice.error());
    co_return;
  }
  HttpReply reply;
  reply.content_type = "application/octet-stream";
  reply.headers = {{"X-Toolgate-Size", std::to_string(slice->size)},
                   {"X-Content-Type-Options", "nosniff"}};
  reply.body = std::move(slice->bytes);
  (void)co_await context.exchange.reply(std::move(reply));
}

}  // namespace toolgate
