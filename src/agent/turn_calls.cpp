#include "agent/turn_calls.h"

#include <algorithm>

#include <boost/asio/this_coro.hpp>

#include "base/json_object.h"
#include "base/log.h"
#include "base/nearest.h"

namespace toolgate {
namespace {

// The same call again and again: from here on it is not made, and from there on the turn ends.
constexpr std::size_t kMostRepeats = 3;
constexpr std::size_t kStopAtRepeat = 6;
constexpr std::size_t kMostCallsOfRound = 128;
constexpr std::size_t kMostSchemaBytes = 4 << 10;

std::string text_for_model(const ToolResult& result) {
  std::string out;
  for (const ToolContent& part : result.content) {
    if (!is_for_model(part)) continue;
    if (!out.empty()) out += '\n';
    if (part.mime_type.empty())
      out += part.text;
    else
      out += fmt::format("[{} bytes of {}]", part.text.size(), part.mime_type);
  }
  return out.empty() ? "(the tool gave no text)" : out;
}

// What was wrong with the call, and what the tool takes.
std::string explain_failure(const Error& error, const CatalogTool& tool) {
  const bool says_so = error.message.starts_with("ERROR");
  std::string text = says_so ? error.message : fmt::format("Error: {}", error.message);
  const std::string& schema = tool.data().input_schema;
  if (error.code == Errc::InvalidRequest && !schema.empty() && schema.size() <= kMostSchemaBytes)
    text += fmt::format("\nThe arguments of {} must match this JSON Schema: {}", tool.data().id,
                        schema);
  return text;
}

std::string write_report(const InvokeOutcome& outcome) {
  const InvocationRow& row = *outcome.call;
  std::string out;
  out.reserve(255);
  JsonObjectWriter object(out);
  object.text("id", row.id);
  object.text("call_id", row.call_id);
  object.text("name", row.tool_id);
  object.text("state", name_of(row.state));
  object.json("decision", row.decision.empty() ? "null" : row.decision);
  object.number("duration_ms", std::max<std::int64_t>(0, row.ended_at - row.created_at));
  object.end();
  return out;
}

}  // namespace

// The model that asks for the same again gets to know it, and is stopped if it does not listen.
bool TurnCalls::is_refused(const RoundCall& call, MadeCall& made) {
  const std::size_t repeats = ++repeats_[call.name + '\n' + call.arguments];
  if (repeats >= kStopAtRepeat)
    stop_reason_ =
        fmt::format("{} was called {} times with the same arguments", call.name, repeats);
  if (repeats > kMostRepeats) {
    made.content = fmt::format(
        "Error: {} was called with these arguments {} times already in this turn, so it was not "
        "called again. Use the results you have, or do something else.",
        call.name, repeats - 1);
    return true;
  }
  if (made_ >= setting_.most_calls) {
    stop_reason_ = fmt::format("toolgate.limits.turnCalls allows {} calls", setting_.most_calls);
    made.content = "Error: this turn may make no more calls. Answer with what you have.";
    return true;
  }
  if (call.arguments.size() > setting_.most_argument_bytes) {
    made.content = fmt::format("Error: the arguments have {} bytes, and {} are allowed.",
                               call.arguments.size(), setting_.most_argument_bytes);
    return true;
  }
  ++made_;
  return false;
}

std::string TurnCalls::explain_unknown(std::string_view name, const CallsOfRound& round) const {
  Nearest nearest(name);
  for (const ChatTool& tool : round.request.tools) nearest.consider(tool.name);
  for (const std::uint32_t index : round.chosen)
    nearest.consider(setting_.context.catalog->tools[index].data().id);
  return nearest.result().empty() ? fmt::format("Error: there is no tool '{}'.", name)
                                  : fmt::format("Error: there is no tool '{}'. Did you mean '{}'?",
                                                name, nearest.result());
}

// Whether something is to run here; otherwise `made` says what came of the call.
TurnCalls::Plan TurnCalls::plan(const RoundCall& call, const CallsOfRound& round, MadeCall& made) {
  const ChatRequest& request = round.request;
  if (std::ranges::find(request.tools, call.name, &ChatTool::name) != request.tools.end()) {
    made.is_clients = true;
    return {};
  }
  const Catalog& catalog = *setting_.context.catalog;
  const auto is_called = [&](std::uint32_t index) {
    return catalog.tools[index].data().id == call.name;
  };
  if (const auto found = std::ranges::find_if(round.chosen, is_called);
      found != round.chosen.end()) {
    const CatalogTool* tool = &catalog.tools[*found];
    // Declared only: who has it must run it, as in pass-through mode.
    made.is_clients = tool->implementation == nullptr;
    if (made.is_clients || is_refused(call, made)) return {};
    return {tool, tool->data().is_read_only || setting_.runs_beside_others(*tool)};
  }
  // A group: what it holds is offered in the next round, and the answer is put in there.
  if (request.added && request.added->find(call.name) && !catalog.find_tool(call.name)) {
    made.content = "The tools of this group are available now.";
    (void)is_refused(call, made);
  } else {
    made.content = explain_unknown(call.name, round);
    (void)is_refused(call, made);
  }
  return {};
}

Task<> TurnCalls::run(const RoundCall& call, const CatalogTool& tool, const CallsOfRound& round,
                      MadeCall& made, const Cancel& cancel) {
  try {
    co_await invoke(call, tool, round, made, cancel);
  } catch (...) {
    log(LogLevel::Error, "a call of {} ended by an exception", call.name);
    made.content = "Error: an internal error of the gateway";
  }
}

Task<> TurnCalls::invoke(const RoundCall& call, const CatalogTool& tool, const CallsOfRound& round,
                         MadeCall& made, const Cancel& cancel) {
  InvokeRequest request;
  request.tool_id = tool.data().id;
  request.call_id = call.id;
  request.arguments = call.arguments.empty() ? "{}" : call.arguments;
  request.request_id = setting_.request_id;
  request.session_id = setting_.session_id;
  request.caller = setting_.caller;
  request.workspace = setting_.workspace;
  request.token_budget = round.result_tokens;
  request.encoding = setting_.encoding;
  request.confirm = setting_.confirm;
  request.watch = round.told;
  const auto outcome = co_await setting_.tools.invoke(std::move(request), setting_.context, cancel);
  if (!outcome) {
    is_stopping_ = is_stopping_ || outcome.error().code == Errc::ShuttingDown;
    made.content = explain_failure(outcome.error(), tool);
    co_return;
  }
  if (outcome->call) made.report = write_report(*outcome);
  made.is_clients = outcome->ending == InvokeEnding::Returned;
  made.content = text_for_model(outcome->result);
  if (outcome->result.is_error && !made.content.starts_with("Error"))
    made.content = "Error: " + made.content;
}

Task<std::vector<MadeCall>> TurnCalls::make(const CallsOfRound& round, const Cancel& cancel) {
  const std::vector<RoundCall>& calls = round.calls;
  std::vector<MadeCall> made(calls.size());
  left_out_ = 0;
  const Executor loop = co_await boost::asio::this_coro::executor;
  Scope beside(loop.context());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i >= kMostCallsOfRound) {
      left_out_ = calls.size() - kMostCallsOfRound;
      made[i].content = fmt::format("Error: only {} calls are made at a time.", kMostCallsOfRound);
      continue;
    }
    const Plan next = plan(calls[i], round, made[i]);
    if (!next.tool) continue;
    // What changes something runs alone, after what came before it and before what comes after.
    co_await beside.drain(next.beside_others ? setting_.most_parallel - 1 : 0);
    Task<> task = run(calls[i], *next.tool, round, made[i], cancel);
    if (next.beside_others)
      beside.spawn(std::move(task), "call");
    else
      co_await std::move(task);
  }
  co_await beside.drain();
  co_return made;
}

}  // namespace toolgate
