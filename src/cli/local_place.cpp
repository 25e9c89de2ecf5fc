// Calls in this process, when no gateway runs: the same service, ledger and tools.
#include "async/loop_waker.h"
#include "base/ids.h"
#include "cli/call_place.h"
#include "cli/local_gateway.h"
#include "gateway/access.h"
#include "gateway/invoke_reply.h"
#include "gateway/tools_reply.h"
#include "hosts/hook_runner.h"
#include "net/loop_client.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostEventsAtOnce = 200;

Result<Confirmation> confirmation_of(std::string id, Answer answer) {
  Confirmation confirmation{.id = std::move(id),
                            .message = std::move(answer.message),
                            .by = std::string(kOperatorName),
                            .parameters = std::move(answer.parameters),
                            .arguments_hash = std::move(answer.arguments_hash),
                            .selected_button = std::move(answer.button),
                            .remember_for = answer.remember_for};
  if (answer.decision == "deny") confirmation.choice = Confirmation::Choice::Deny;
  if (answer.decision == "skip") confirmation.choice = Confirmation::Choice::Skip;
  if (!answer.scope.empty()) {
    const auto scope = parse_approval_scope(answer.scope);
    if (!scope) return fail(Errc::InvalidRequest, "there is no scope '{}'", answer.scope);
    confirmation.scope = *scope;
  }
  if (!answer.target.empty()) {
    const auto target = parse_approval_target(answer.target);
    if (!target) return fail(Errc::InvalidRequest, "there is no target '{}'", answer.target);
    confirmation.target = *target;
  }
  return confirmation;
}

class LocalPlace final : public CallPlace {
 public:
  explicit LocalPlace(LocalGateway local)
      : local_(std::move(local)),
        client_(loop_),
        loop_client_(client_),
        service_(local_.invoking->ledger(), loop_.deadlines(), surroundings()) {
    const HookSettings& hooks = local_.snapshot->settings.hooks;
    if (!hooks.before.empty() || !hooks.after.empty())
      service_.set_hooks(std::make_shared<HookRunner>(hooks, client_));
  }

  Loop& loop() override { return loop_; }
  bool others_can_decide() const override { return false; }

  Task<Result<std::string>> invoke(CallWish wish, const Cancel& cancel) override {
    auto request = request_of(wish);
    if (!request) co_return std::unexpected(request.error());
    const auto outcome = co_await service_.invoke(*request, local_.context(), cancel);
    if (!outcome) co_return std::unexpected(outcome.error());
    co_return write_outcome(request->tool_id, *outcome);
  }

  Task<Result<std::string>> explain(CallWish wish) override {
    auto request = request_of(wish);
    if (!request) co_return std::unexpected(request.error());
    const auto verdict = co_await service_.explain(*request, local_.context(), never_);
    if (!verdict) co_return std::unexpected(verdict.error());
    co_return write_explanation(request->tool_id, *verdict);
  }

  Task<Result<std::string>> show(std::string id) override {
    const auto row = co_await find(std::move(id));
    if (!row) co_return std::unexpected(row.error());
    std::string out = write_invocation(**row, nullptr);
    if (!(*row)->result.empty()) {
      out.back() = ',';
      out += R"("result":)" + (*row)->result + "}";
    }
    co_return out;
  }

  Task<Result<void>> confirm(std::string id, Answer answer) override {
    auto confirmation = confirmation_of(id, std::move(answer));
    if (!confirmation) co_return std::unexpected(confirmation.error());
    if (confirmation->parameters) {
      const auto row = co_await find(std::move(id));
      if (!row) co_return std::unexpected(row.error());
      auto checked = check_parameters((*row)->tool_id, *confirmation->parameters);
      if (!checked) co_return std::unexpected(checked.error());
      confirmation->parameters = std::move(*checked);
    }
    const auto done = co_await local_.invoking->ledger().confirm(std::move(*confirmation));
    if (!done) co_return std::unexpected(done.error());
    co_return Result<void>{};
  }

  Task<Result<void>> cancel(std::string id) override {
    const Decision reason{
        .kind = DecisionKind::Denied, .by = "caller", .message = "the call was cancelled"};
    const auto done = co_await local_.invoking->ledger().run(
        [id = std::move(id), reason](InvocationBook& book) { return book.cancel(id, reason); });
    if (!done) co_return std::unexpected(done.error());
    co_return Result<void>{};
  }

  Task<Result<void>> follow(std::function<void()> connected, Told told,
                            const Cancel& cancel) override {
    EventLog& log = *local_.invoking->ledger().events();
    std::uint64_t cursor = log.newest();
    const auto waker = std::make_shared<LoopWaker>(co_await LoopHandle::here());
    const Registration following = log.on_append([weak = std::weak_ptr(waker)] {
      if (const auto alive = weak.lock()) alive->wake();
    });
    const CancelHook hook(cancel, [&waker](CancelReason) { waker->event().set(); });
    connected();
    while (!cancel.requested()) {
      const auto batch = log.read(cursor, kMostEventsAtOnce);
      for (const auto& event : batch.events) {
        cursor = event->number;
        told(event->kind, event->write());
      }
      if (batch.events.empty() && !cancel.requested()) co_await waker->event().wait();
    }
    co_return Result<void>{};
  }

 private:
  InvokeSurroundings surroundings() {
    InvokeSurroundings around;
    around.session = [this](const InvokeRequest&) -> Result<ChatSession> {
      return ChatSession{{.level = local_.snapshot->settings.approvals.default_level}, true};
    };
    around.newest = [this] { return local_.catalog(); };
    around.spill = &local_.invoking->results();
    return around;
  }

  Result<InvokeRequest> request_of(const CallWish& wish) const {
    const auto catalog = local_.catalog();
    const auto tool = find_tool_by_any_name(*catalog, wish.tool);
    if (!tool) return std::unexpected(tool.error());
    const std::size_t most = local_.snapshot->settings.limits.argument_bytes;
    if (wish.input.size() > most)
      return fail(Errc::TooLarge, "the input has {} bytes, and toolgate.limits.argumentBytes is {}",
                  wish.input.size(), most);
    InvokeRequest request;
    request.tool_id = (*tool)->data().id;
    request.call_id = wish.call_id;
    request.arguments = wish.input;
    request.request_id = make_id("req_");
    request.session_id = wish.session_id;
    request.caller = kOperatorName;
    request.workspace = local_.invoking->workspace();
    if (!wish.may_wait) request.confirm = InvokeRequest::Confirm::Deny;
    return request;
  }

  Task<Result<InvocationPointer>> find(std::string id) {
    co_return co_await local_.invoking->ledger().run(
        [id = std::move(id)](InvocationBook& book) { return book.find(id); });
  }

  Result<std::string> check_parameters(const std::string& tool_id, const std::string& parameters) {
    const auto catalog = local_.catalog();
    const CatalogTool* tool = catalog->find_tool(tool_id);
    if (!tool) return fail(Errc::Conflict, "'{}' is gone since this call was made", tool_id);
    auto checked = tool->check_input(parameters);
    if (!checked.valid) return fail_at("parameters", Errc::InvalidRequest, "{}", checked.message);
    return std::move(checked.input);
  }

  Loop loop_;  // first: the ledger's thread may still hold on to it when all else is gone
  LocalGateway local_;
  HttpClient client_;
  LoopClient loop_client_;
  ToolsService service_;
  CancelSource never_;
};

}  // namespace

Result<std::unique_ptr<CallPlace>> open_local_place(const CatalogOptions& options) {
  auto local = open_local_gateway(options);
  if (!local) return std::unexpected(std::move(local.error()));
  return std::make_unique<LocalPlace>(std::move(*local));
}

}  // namespace toolgate
