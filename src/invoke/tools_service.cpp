#include "invoke/tools_service.h"

#include <algorithm>
#include <array>

#include "async/offload.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/log.h"
#include "invoke/call_record.h"
#include "invoke/canonical.h"
#include "invoke/notices.h"

namespace toolgate {
namespace {

constexpr std::chrono::milliseconds kSlowPrepare{3'000};

// A call that did not run: the model gets a result that says so.
void refuse(InvokeOutcome& outcome, const Decision& decision) {
  outcome.ending = ending_of(decision);
  outcome.result = notice(decision.message.empty() ? "this call was denied" : decision.message,
                          decision.kind != DecisionKind::Skipped);
}

// Where the question shows an input of its own, that is what the person confirms and what runs.
Result<void> take_shown_input(std::optional<PreparedCall>& prepared, const CatalogTool& tool,
                              ToolCall& call) {
  if (!prepared || prepared->confirmation_title.empty() || prepared->tool_specific_data.empty())
    return {};
  const auto data = parse_json(prepared->tool_specific_data);
  if (!data) return std::unexpected(data.error());
  const json::value* kind = find(*data, "kind");
  const json::value* input = find(*data, "rawInput");
  if (!kind || !kind->is_string() || kind->get_string() != "input" || !input) return {};
  auto checked = tool.check_input(write_json(*input));
  if (!checked.valid) return fail_at("input", Errc::InvalidRequest, "{}", checked.message);
  call.input = std::move(checked.input);
  return {};
}

// The strictest answer of all files. Symbolic links are looked up beside the loop.
Task<Result<EditCheck>> check_edits(const PreparedCall& prepared, const InvokeContext& context,
                                    const Cancel& cancel) {
  const auto check = [&]() -> Result<EditCheck> {
    const EditPlaces nowhere;
    const EditPlaces& places = context.places ? *context.places : nowhere;
    EditCheck strictest;
    for (const std::string& file : prepared.edited_files) {
      EditCheck one = check_edit(file, context.approvals->edits, places);
      if (one.verdict >= strictest.verdict) strictest = std::move(one);
    }
    return strictest;
  };
  co_return co_await offload(check, cancel);
}

// As a pointer: it is kept while a call waits, of which there may be many thousands.
std::unique_ptr<Error> failure_of(std::unexpected<Error> failed) {
  return std::make_unique<Error>(std::move(failed.error()));
}

Task<std::unique_ptr<Error>> take_decision(RunningCall& running, InvokeOutcome& outcome) {
  const auto decided = co_await running.after_waiting();
  if (!decided) co_return std::make_unique<Error>(decided.error());
  outcome.call = *decided;
  if (!is_terminal(outcome.call->state)) co_return nullptr;
  const auto decision = parse_decision(outcome.call->decision);
  if (!decision) co_return std::make_unique<Error>(decision.error());
  refuse(outcome, *decision);
  co_return nullptr;
}

std::string exact_key(const CallFacts& facts, std::string_view canonical_arguments) {
  if (facts.prepared && !facts.prepared->approval_key.empty())
    return meaning_key(facts.tool_id, facts.prepared->approval_key);
  return arguments_key(facts.tool_id, canonical_arguments);
}

}  // namespace

std::string_view name_of(InvokeEnding ending) {
  constexpr std::array<std::string_view, 8> kNames{"result",   "denied",    "skipped",   "withheld",
                                                   "returned", "timed_out", "cancelled", "failed"};
  return kNames[static_cast<std::size_t>(ending)];
}

class ToolsService::RequestEntry {
 public:
  RequestEntry(ToolsService& service, const std::string& request_id, RunningCall& call)
      : service_(service), entry_(service.running_.emplace(request_id, &call)) {}
  ~RequestEntry() { service_.running_.erase(entry_); }
  RequestEntry(const RequestEntry&) = delete;
  RequestEntry& operator=(const RequestEntry&) = delete;

 private:
  ToolsService& service_;
  std::unordered_multimap<std::string, RunningCall*>::iterator entry_;
};

ToolsService::ToolsService(Ledger& ledger, Deadlines& deadlines, InvokeSurroundings surroundings)
    : ledger_(ledger), deadlines_(deadlines), surroundings_(std::move(surroundings)) {}

ToolsService::~ToolsService() = default;

Task<Result<InvokeOutcome>> ToolsService::invoke(InvokeRequest request, InvokeContext context,
                                                 const Cancel& cancel) {
  return propose_and_run(std::make_unique<InvokeRequest>(std::move(request)), std::move(context),
                         cancel);
}

Task<Result<InvokeOutcome>> ToolsService::propose_and_run(std::unique_ptr<InvokeRequest> request,
                                                          InvokeContext context,
                                                          const Cancel& cancel) {
  const CallLimits limits{request->token_budget, request->encoding};
  RunningCall running(ledger_, deadlines_, request->encoding,
                      context.approvals->confirmation_time.count(), cancel);
  running.set_watcher(std::move(request->watch));
  CallRecord record(surroundings_, context, *request);
  running.set_trace(record.context());
  const RequestEntry entry(*this, request->request_id, running);
  auto outcome = std::make_unique<InvokeOutcome>();
  // Apart, so that what it took to propose the call is gone while it waits, maybe for hours.
  auto failure = co_await propose(std::move(request), context, running, *outcome);
  if (!failure && outcome->call && is_waiting_for_person(running.row()->state)) {
    outcome.reset();
    if (stopping_) running.cancel().request(CancelReason::Shutdown);
    while (running.waits()) co_await running.changed();
    outcome = std::make_unique<InvokeOutcome>();
    failure = co_await take_decision(running, *outcome);
  }
  if (!failure && outcome->call && !is_terminal(outcome->call->state))
    co_await run(running, context, limits, *outcome);
  record.end(failure.get(), *outcome, running.waited());
  if (failure) co_return std::unexpected(std::move(*failure));
  co_return std::move(*outcome);
}

Task<std::unique_ptr<Error>> ToolsService::propose(std::unique_ptr<InvokeRequest> owned,
                                                   InvokeContext& context, RunningCall& running,
                                                   InvokeOutcome& outcome) {
  InvokeRequest& request = *owned;
  const Cancel& cancel = running.cancel();
  const auto session = session_of(request);
  if (!session) co_return std::make_unique<Error>(session.error());
  if (!session->request_open || cancel.requested())
    co_return failure_of(fail(Errc::Cancelled, "the request that this call belongs to has ended"));
  streaming_.erase(request.call_id);
  streaming_.erase(request.stream_call_id);
  if (request.call_id.empty()) request.call_id = make_id("call_");

  const CatalogTool* known = context.catalog->find_tool(request.tool_id);
  // Hooks judge what would run, not what the model made of it.
  if (known) {
    auto checked = known->check_input(request.arguments);
    if (!checked.valid)
      co_return failure_of(fail_at("input", Errc::InvalidRequest, "{}", checked.message));
    request.arguments = std::move(checked.input);
  }
  BeforeHooks hooks;
  if (request.hooks || surroundings_.hooks) hooks = co_await ask_hooks(request, known, cancel);
  if (hooks.verdict.kind == HookVerdict::Kind::Deny && !known) {
    outcome.ending = InvokeEnding::Denied;
    outcome.result = notice(hooks.verdict.reason, true);
    co_return nullptr;
  }
  const auto tool = co_await find_runnable(request, context);
  if (!tool) co_return std::make_unique<Error>(tool.error());
  auto ready = co_await make_ready(request, context, *session, **tool, std::move(hooks), cancel);
  if (!ready) co_return std::make_unique<Error>(ready.error());
  const auto answer =
      co_await ledger_.propose(std::move(*ready), running.make_holder(co_await LoopHandle::here()));
  if (!answer) co_return std::make_unique<Error>(answer.error());
  Proposed& proposed = **answer;
  running.begin(proposed.call);
  outcome.call = proposed.call;
  const Verdict::Kind kind = proposed.verdict.kind;
  if (kind != Verdict::Kind::Ask)
    outcome.question = std::make_shared<const Question>(std::move(proposed.verdict.question));
  if (kind != Verdict::Kind::Refuse) co_return nullptr;
  refuse(outcome, proposed.verdict.decision);
  if (proposed.verdict.decision.by == "caller")
    outcome.ending = request.confirm == InvokeRequest::Confirm::Return ? InvokeEnding::Returned
                                                                       : InvokeEnding::Denied;
  co_return nullptr;
}

Task<Result<InvokeOutcome>> ToolsService::resume(std::string id, InvokeContext context,
                                                 const Cancel& cancel) {
  auto row = co_await ledger_.run([id](InvocationBook& book) { return book.find(id); });
  if (!row) co_return std::unexpected(row.error());
  // Before it begins: a call that cannot run any more stays approved, and expires.
  const auto tool = find_unchanged(**row, *context.catalog);
  if (!tool) co_return std::unexpected(tool.error());
  const CallLimits limits;
  RunningCall running(ledger_, deadlines_, limits.encoding,
                      context.approvals->confirmation_time.count(), cancel);
  const RequestEntry entry(*this, (*row)->request_id, running);
  auto resumed = co_await ledger_.resume(id, running.make_holder(co_await LoopHandle::here()));
  if (!resumed) co_return std::unexpected(resumed.error());
  running.begin(*resumed);
  CallRecord record(surroundings_, context, **resumed);
  running.set_trace(record.context());
  InvokeOutcome outcome{.call = *resumed};
  co_await run(running, context, limits, outcome);
  record.end(nullptr, outcome, running.waited());
  co_return outcome;
}

Task<Result<Verdict>> ToolsService::explain(InvokeRequest request, InvokeContext context,
                                            const Cancel& cancel) {
  const auto session = session_of(request);
  if (!session) co_return std::unexpected(session.error());
  const CatalogTool* tool = context.catalog->find_tool(request.tool_id);
  if (!tool) co_return fail(Errc::ToolNotFound, "no tool is called '{}'", request.tool_id);
  auto checked = tool->check_input(request.arguments);
  if (!checked.valid) co_return fail_at("input", Errc::InvalidRequest, "{}", checked.message);
  const ToolCall call{.input = std::move(checked.input),
                      .session_id = request.session_id,
                      .caller = request.caller};
  CallFacts facts = make_facts(request, context, *session, *tool, call);
  const auto canonical = canonical_json(call.input);
  if (!canonical) co_return std::unexpected(canonical.error());
  if (tool->implementation) {
    auto prepared = co_await prepare(request, *tool->implementation, call, cancel);
    if (!prepared) co_return std::unexpected(prepared.error());
    facts.prepared = std::move(*prepared);
  }
  facts.approvals.arguments_key = exact_key(facts, *canonical);
  if (facts.prepared && !facts.prepared->edited_files.empty()) {
    auto edits = co_await check_edits(*facts.prepared, context, cancel);
    if (!edits) co_return std::unexpected(edits.error());
    facts.edits = std::move(*edits);
  }
  auto verdict = co_await ledger_.run([facts = std::move(facts)](InvocationBook& book) {
    return Result<Verdict>(book.explain(facts));
  });
  if (verdict && surroundings_.hooks)
    verdict->trail.insert(
        verdict->trail.begin(),
        TrailStep{"toolgate.hooks.before", "asked only when a call is made", false});
  co_return verdict;
}

Result<ChatSession> ToolsService::session_of(const InvokeRequest& request) const {
  if (request.without_chat || !surroundings_.session) return ChatSession{};
  return surroundings_.session(request);
}

Task<BeforeHooks> ToolsService::ask_hooks(const InvokeRequest& request, const CatalogTool* tool,
                                          const Cancel& cancel) {
  if (request.hooks) co_return *request.hooks;
  const auto hooks = surroundings_.hooks;
  if (!hooks || !tool) co_return BeforeHooks{};
  co_return co_await hooks->before({.tool_id = tool->data().id,
                                    .tool_reference_name = tool->data().reference_name,
                                    .source = tool->data().source.key(),
                                    .arguments = request.arguments,
                                    .session_id = request.session_id,
                                    .request_id = request.request_id,
                                    .call_id = request.call_id,
                                    .caller = request.caller,
                                    .workspace = request.workspace},
                                   cancel);
}

Task<Result<const CatalogTool*>> ToolsService::find_runnable(const InvokeRequest& request,
                                                             InvokeContext& context) {
  const CatalogTool* tool = context.catalog->find_tool(request.tool_id);
  if (!tool) co_return fail(Errc::ToolNotFound, "no tool is called '{}'", request.tool_id);
  if (!tool->implementation && surroundings_.activate) {
    if (auto newer = co_await surroundings_.activate(request.tool_id)) context.catalog = newer;
    tool = context.catalog->find_tool(request.tool_id);
  }
  if (!tool || !tool->implementation)
    co_return fail(Errc::ToolNotFound, "'{}' is declared, but nothing runs it", request.tool_id);
  if (!tool->allowed)
    co_return fail(Errc::ToolNotFound, "'{}' is not allowed here: {}", request.tool_id, tool->rule);
  co_return tool;
}

Task<Result<std::unique_ptr<Proposal>>> ToolsService::make_ready(
    const InvokeRequest& request, InvokeContext& context, const ChatSession& session,
    const CatalogTool& tool, BeforeHooks hooks, const Cancel& cancel) {
  // As a catalogue of later may have another one.
  const std::shared_ptr<Tool> implementation = tool.implementation;
  ToolCall call{.id = request.call_id,
                .input = request.arguments,
                .request_id = request.request_id,
                .session_id = request.session_id,
                .caller = request.caller,
                .token_budget = request.token_budget};
  if (hooks.updated_input) {
    auto updated = tool.check_input(*hooks.updated_input);
    if (updated.valid) {
      call.input = std::move(updated.input);
    } else {
      hooks.problems.push_back(
          fmt::format("a hook's input is ignored: it is not what {} takes", request.tool_id));
      // What it allowed was another call.
      if (hooks.verdict.kind == HookVerdict::Kind::Allow)
        hooks.verdict = {HookVerdict::Kind::Ask, hooks.problems.back(), hooks.verdict.hook};
    }
  }
  for (const std::string& problem : hooks.problems)
    log(LogLevel::Warn, "{}: {}", request.request_id, problem);
  const std::string judged = call.input;

  std::optional<PreparedCall> prepared;
  if (hooks.verdict.kind != HookVerdict::Kind::Deny) {
    auto resolved = co_await implementation->resolve_input(
        call.input, {request.query, request.session_id}, ContextMode::Full, cancel);
    if (!resolved) co_return std::unexpected(resolved.error());
    if (*resolved != call.input) {
      auto again = tool.check_input(*resolved);
      if (!again.valid) co_return fail_at("input", Errc::InvalidRequest, "{}", again.message);
      call.input = std::move(again.input);
    }
    auto asked = co_await prepare(request, *implementation, call, cancel);
    if (!asked) co_return std::unexpected(asked.error());
    prepared = std::move(*asked);
  }

  if (auto shown = take_shown_input(prepared, tool, call); !shown)
    co_return std::unexpected(shown.error());
  if (call.input != judged && hooks.verdict.kind == HookVerdict::Kind::Allow)
    hooks.verdict = {HookVerdict::Kind::Ask, "the tool changed its input after a hook allowed it",
                     hooks.verdict.hook};
  CallFacts facts = make_facts(request, context, session, tool, call);
  facts.hook = std::move(hooks.verdict);
  facts.prepared = std::move(prepared);
  if (facts.prepared && !facts.prepared->edited_files.empty()) {
    auto edits = co_await check_edits(*facts.prepared, context, cancel);
    if (!edits) co_return std::unexpected(edits.error());
    facts.edits = std::move(*edits);
  }
  const auto canonical = canonical_json(call.input);
  if (!canonical) co_return std::unexpected(canonical.error());
  facts.approvals.arguments_key = exact_key(facts, *canonical);
  co_await ask_opt_in(facts);
  co_await rate_risk(request, facts);
  if (cancel.requested())
    co_return fail(Errc::Cancelled, "the request that this call belongs to has ended");

  auto proposal = std::make_unique<Proposal>();
  const ToolIdentity identity = identities_.of(tool);
  proposal->definition = identity.definition;
  if (!facts.approvals.server_key.empty())
    proposal->server_definition =
        identities_.of_server(*context.catalog, facts.approvals.server_key).definition;
  proposal->call = {
      .call_id = request.call_id,
      .tool_id = request.tool_id,
      .source = tool.data().source.key(),
      .request_id = request.request_id,
      .session_id = request.session_id,
      .caller = request.caller,
      .workspace = request.workspace,
      .arguments = call.input,
      .definition_hash = identity.hash,
      .binding_hash = binding_hash(request.tool_id, identity.hash, *canonical, request.caller)};
  proposal->is_read_only = tool.data().is_read_only;
  proposal->may_wait = request.confirm == InvokeRequest::Confirm::Wait;
  proposal->confirmation_time = context.approvals->confirmation_time.count();
  proposal->facts = std::move(facts);
  co_return proposal;
}

Task<Result<std::optional<PreparedCall>>> ToolsService::prepare(const InvokeRequest& request,
                                                                Tool& tool, const ToolCall& call,
                                                                const Cancel& cancel) {
  Deadline slow(deadlines_, [&] {
    log(LogLevel::Warn, "{} takes long to prepare a call", request.tool_id);
    if (surroundings_.slow_prepare) surroundings_.slow_prepare(request.tool_id);
  });
  slow.arm(kSlowPrepare);
  co_return co_await tool.prepare(call, cancel);
}

CallFacts ToolsService::make_facts(const InvokeRequest& request, const InvokeContext& context,
                                   const ChatSession& session, const CatalogTool& tool,
                                   const ToolCall& call) {
  const ApprovalSettings& settings = *context.approvals;
  CallFacts facts;
  facts.tool_id = request.tool_id;
  facts.eligibility_names = eligibility_names_of(tool);
  facts.always_display_input_output = tool.data().always_display_input_output;
  facts.raw_input = call.input;
  if (!settings.rules.empty()) {
    JsonTree tree;
    if (const auto arguments = tree.parse(call.input))
      facts.rule = settings.rules.find(tool, **arguments);
  }
  if (surroundings_.contribution)
    facts.contribution = surroundings_.contribution(request.tool_id, ApprovalSide::Before);
  if (surroundings_.contribution)
    facts.result_contribution = surroundings_.contribution(request.tool_id, ApprovalSide::Results);
  if (!request.without_chat) facts.session = session.facts;
  facts.policy_forbids_auto_approve = surroundings_.policy_forbids_auto_approve;
  facts.global_approves = settings.global_opted_in && settings.global.approves(request.tool_id);
  facts.global_is_on = settings.global_opted_in && settings.global.is_on();
  if (request.pre_approved) facts.caller_approval = *request.pre_approved;
  facts.settings = context.approvals;
  facts.approvals.tool_id = request.tool_id;
  facts.approvals.server_key = server_key_of(tool.data().source);
  facts.approvals.session_id = request.session_id;
  facts.approvals.workspace = request.workspace;
  facts.approvals.caller = request.caller;
  facts.approvals.definition_hash = identities_.of(tool).hash;
  if (!facts.approvals.server_key.empty())
    facts.approvals.server_definition_hash =
        identities_.of_server(*context.catalog, facts.approvals.server_key).hash;
  return facts;
}

// Asked only where the setting would decide: nothing above it has.
Task<> ToolsService::ask_opt_in(CallFacts& facts) {
  const ApprovalSettings& settings = *facts.settings;
  if (!surroundings_.ask_global_opt_in || settings.global_opted_in ||
      !settings.global.approves(facts.tool_id) || facts.hook.kind != HookVerdict::Kind::Nothing ||
      !is_eligible(facts))
    co_return;
  const auto verdict = co_await ledger_.run(
      [facts](InvocationBook& book) { return Result<Verdict>(book.explain(facts)); });
  if (!verdict || verdict->kind != Verdict::Kind::Ask) co_return;
  if (!co_await surroundings_.ask_global_opt_in()) co_return;
  facts.global_approves = facts.global_is_on = true;
}

Task<> ToolsService::rate_risk(const InvokeRequest& request, CallFacts& facts) {
  if (!surroundings_.rate_risk || !facts.settings->advanced_autopilot || !wants_risk_rating(facts))
    co_return;
  auto risk = co_await surroundings_.rate_risk(request);
  facts.risk = risk ? std::move(*risk) : RiskFacts{};
}

const Invocation* ToolsService::begin_tool_call(const InvokeContext& context,
                                                std::string_view tool_id,
                                                const std::string& call_id,
                                                const std::string& request_id, bool force) {
  const CatalogTool* tool = context.catalog->find_tool(tool_id);
  if (!tool) return nullptr;
  const bool wants = tool->implementation && tool->implementation->wants_partial_input();
  if (!wants && !force) return nullptr;
  const ToolData& data = tool->data();
  auto [entry, added] = streaming_.insert_or_assign(
      call_id,
      Streaming{std::string(tool_id), request_id,
                Invocation::streaming(data.display_name.empty() ? data.id : data.display_name)});
  return &entry->second.invocation;
}

void ToolsService::update_tool_stream(const InvokeContext& context, const std::string& call_id,
                                      const std::string& partial_input) {
  const auto found = streaming_.find(call_id);
  if (found == streaming_.end()) return;
  const CatalogTool* tool = context.catalog->find_tool(found->second.tool_id);
  if (!tool || !tool->implementation || !tool->implementation->wants_partial_input()) return;
  try {
    found->second.invocation.set_streaming_message(
        tool->implementation->streaming_message(partial_input));
  } catch (const std::exception& error) {
    log(LogLevel::Warn, "{} failed while its input was written: {}", found->second.tool_id,
        error.what());
  }
}

void ToolsService::cancel_request(std::string_view request_id, CancelReason reason) {
  std::erase_if(streaming_,
                [&](const auto& entry) { return entry.second.request_id == request_id; });
  const auto [first, last] = running_.equal_range(std::string(request_id));
  std::vector<RunningCall*> calls;
  for (auto entry = first; entry != last; ++entry) calls.push_back(entry->second);
  for (RunningCall* call : calls) call->cancel().request(reason);
}

void ToolsService::stop_waiting() {
  stopping_ = true;
  std::vector<RunningCall*> waiting;
  for (const auto& [request_id, call] : running_)
    if (call->row() && is_waiting_for_person(call->row()->state)) waiting.push_back(call);
  for (RunningCall* call : waiting) call->cancel().request(CancelReason::Shutdown);
}

}  // namespace toolgate
