// The second half of a call: it may run, so the tool is called, and what came of it is shaped,
// looked at by hooks, written down and, where the tool asks for that, shown to a person first.
#include <algorithm>

#include "async/offload.h"
#include "base/log.h"
#include "invoke/notices.h"

namespace toolgate {
namespace {

constexpr std::size_t kShapeHere = 64 << 10;

}  // namespace

// What a person confirmed, or what a rule let run, must still be what there is.
Result<const CatalogTool*> ToolsService::find_unchanged(const InvocationRow& row,
                                                        const Catalog& catalog) {
  const CatalogTool* tool = catalog.find_tool(row.tool_id);
  if (!tool || !tool->implementation || !tool->allowed)
    return fail(Errc::Conflict, "'{}' is gone since this call was decided about", row.tool_id);
  if (identities_.of(*tool).hash != row.definition_hash)
    return fail(Errc::Conflict,
                "the definition of '{}' has changed since this call was decided about: ask again",
                row.tool_id);
  return tool;
}

Task<> ToolsService::run(RunningCall& running, const InvokeContext& context, CallLimits limits,
                         InvokeOutcome& outcome) {
  try {
    co_await run_tool(running, context, limits, outcome);
  } catch (const std::exception& error) {
    // Whatever happened, the call has begun and must end in the book.
    log(LogLevel::Error, "{} ended by an exception: {}", running.row()->id, error.what());
    outcome.ending = InvokeEnding::Failed;
    outcome.result = notice("an internal error; see the log", true);
  }
  co_await record_ending(running, outcome);
  if (outcome.call->state == InvocationState::WaitingForPostApproval)
    co_await wait_for_result_approval(running, outcome);
  if (outcome.ending != InvokeEnding::Result && surroundings_.spill)
    surroundings_.spill->forget(running.row()->id, context.results.parts);
}

Task<> ToolsService::run_tool(RunningCall& running, const InvokeContext& context, CallLimits limits,
                              InvokeOutcome& outcome) {
  const InvocationPointer row = running.row();
  ToolCall call{.id = row->call_id,
                .input = row->arguments,
                .request_id = row->request_id,
                .session_id = row->session_id,
                .caller = row->caller,
                .token_budget = limits.token_budget};
  if (row->decision.contains("selectedButton"))
    call.selected_button = parse_decision(row->decision).value_or(Decision{}).selected_button;
  const auto catalog = surroundings_.newest ? surroundings_.newest() : context.catalog;
  const auto tool = find_unchanged(*row, *catalog);
  RunningCall::Run done{.result = ToolResult{}};
  if (!tool)
    done.result = std::unexpected(tool.error());
  else if (running.cancel().requested() || is_terminal(running.row()->state))
    done.result = fail(Errc::Cancelled, "the request was cancelled");
  else
    done = co_await running.run(*(*tool)->implementation, call, context.tool_time);

  if (done.result) {
    outcome.result = std::move(*done.result);
    co_await shape(running, context, limits, outcome.result);
  } else if (done.timed_out) {
    outcome.ending = InvokeEnding::TimedOut;
    outcome.result = notice(fmt::format("{} took longer than {} s and was stopped", row->tool_id,
                                        context.tool_time.count() / 1000),
                            true);
  } else if (running.cancel().requested()) {
    outcome.ending = InvokeEnding::Cancelled;
    outcome.result = notice("the call was cancelled while it ran", true);
  } else {
    outcome.ending = InvokeEnding::Failed;
    outcome.result = failure(done.result.error());
  }
  if (outcome.result.message.empty()) outcome.result.message = running.progress_message();
  if (tool && wants_details(outcome.result, (*tool)->data().always_display_input_output))
    outcome.result.details = write_details(outcome.result, call.input, outcome.result.is_error);
  if (tool && outcome.ending == InvokeEnding::Result)
    co_await ask_after_hooks(running, (*tool)->data().reference_name, outcome);
}

// Long ones are counted and written beside the loop, those of a cancelled call too.
Task<> ToolsService::shape(RunningCall& running, const InvokeContext& context, CallLimits limits,
                           ToolResult& result) {
  const auto work = [&] {
    return shape_result(result, context.results, surroundings_.spill, running.row()->id,
                        limits.token_budget, limits.encoding);
  };
  const CancelSource never;
  const bool here = content_bytes(result) <= std::min(kShapeHere, context.results.part_bytes);
  const auto shaped = here ? work() : co_await offload(work, never);
  if (!shaped) result = failure(shaped.error());
}

Task<> ToolsService::ask_after_hooks(RunningCall& running, std::string reference_name,
                                     InvokeOutcome& outcome) {
  const auto hooks = surroundings_.hooks;
  if (!hooks) co_return;
  const InvocationRow& row = *running.row();
  const AfterHooks said =
      co_await hooks->after({.tool_id = row.tool_id,
                             .tool_reference_name = std::move(reference_name),
                             .source = row.source,
                             .arguments = row.arguments,
                             .session_id = row.session_id,
                             .request_id = row.request_id,
                             .call_id = row.call_id,
                             .caller = row.caller,
                             .workspace = row.workspace},
                            write_content(outcome.result, false), running.cancel());
  for (const std::string& problem : said.problems)
    log(LogLevel::Warn, "{}: {}", running.row()->id, problem);
  if (said.withhold) {
    outcome.ending = InvokeEnding::Withheld;
    outcome.result = notice(said.reason, true);
  } else if (!said.added_text.empty()) {
    outcome.result.content.push_back({.text = said.added_text});
  }
}

Task<> ToolsService::record_ending(RunningCall& running, InvokeOutcome& outcome) {
  constexpr std::size_t kKeptBytes = 64 << 10;
  Ending ending{.id = running.row()->id,
                .facts = {outcome.result.is_error, outcome.result.confirm_results},
                .result_bytes = content_bytes(outcome.result)};
  if (ending.result_bytes <= kKeptBytes) ending.result = write_content(outcome.result, false);
  if (outcome.result.is_error && !outcome.result.content.empty())
    ending.error = outcome.result.content.front().text.substr(0, 1'000);
  const auto ended = co_await ledger_.end(std::move(ending));
  outcome.call = ended ? *ended : running.row();
  if (ended) co_return;
  // Someone ended the call first, or it could not be written; either way the model is not told
  // what was not recorded.
  outcome.ending =
      ended.error().code == Errc::Conflict ? InvokeEnding::Cancelled : InvokeEnding::Failed;
  outcome.result = failure(ended.error());
}

Task<> ToolsService::wait_for_result_approval(RunningCall& running, InvokeOutcome& outcome) {
  if (stopping_) running.cancel().request(CancelReason::Shutdown);
  const auto decided = co_await running.wait_for_person();
  if (!decided) {
    outcome.ending = InvokeEnding::Cancelled;
    outcome.result = failure(decided.error());
    co_return;
  }
  outcome.call = *decided;
  if ((*decided)->state == InvocationState::Completed) co_return;
  const auto decision = parse_decision((*decided)->post_decision);
  outcome.ending = decision && decision->kind == DecisionKind::Skipped ? InvokeEnding::Withheld
                   : decision                                          ? ending_of(*decision)
                                                                       : InvokeEnding::Denied;
  outcome.result =
      notice("the tool has run, but its result is withheld" +
             (decision && !decision->message.empty() ? ": " + decision->message : std::string()));
}

}  // namespace toolgate
