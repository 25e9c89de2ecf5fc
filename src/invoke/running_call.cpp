#include "invoke/running_call.h"

#include <algorithm>
#include <cmath>

#include "async/offload.h"
#include "base/json.h"

namespace toolgate {
namespace {

// Progress is told at most this often per call.
constexpr std::chrono::milliseconds kProgressEvery{200};
constexpr std::size_t kMostMessage = 1'000;
// Longer texts are counted beside the loop.
constexpr std::size_t kCountHere = 16 << 10;

Decision stopped(CancelReason reason) {
  Decision decision{.kind = DecisionKind::Denied};
  switch (reason) {
    case CancelReason::ClientGone:
      decision.by = "client";
      decision.message = "whoever asked for this call has gone";
      break;
    case CancelReason::Timeout:
      decision.by = "timeout";
      decision.message = "the time for this request is over";
      break;
    default:
      decision.by = "caller";
      decision.message = "the request was cancelled";
      break;
  }
  return decision;
}

}  // namespace

RunningCall::RunningCall(Ledger& ledger, Deadlines& deadlines, Encoding encoding,
                         std::int64_t confirmation_time, const Cancel& cancel)
    : ledger_(ledger),
      deadlines_(deadlines),
      encoding_(encoding),
      confirmation_time_(confirmation_time),
      cancel_(cancel),
      wakes_(cancel_, [this](CancelReason) { changed_.set(); }),
      self_(std::make_shared<RunningCall*>(this)) {}

RunningCall::RunningTool::RunningTool(Deadlines& deadlines, RunningCall& call)
    : next_progress(deadlines,
                    [this, &call] {
                      if (!std::exchange(progress_pending, false)) return;
                      call.publish_progress();
                      next_progress.arm(kProgressEvery);
                    }),
      time_limit(deadlines, [this, &call] {
        timed_out = true;
        call.cancel_.request(CancelReason::Timeout);
      }) {}

RunningCall::~RunningCall() {
  *self_ = nullptr;
  if (row_ && !is_terminal(row_->state)) ledger_.release(row_->id);
}

std::shared_ptr<CallHolder> RunningCall::make_holder(LoopHandle loop) {
  return std::make_shared<CallHolder>(
      CallHolder{std::move(loop), [self = self_](InvocationPointer row) {
                   if (*self) (*self)->told(std::move(row));
                 }});
}

void RunningCall::begin(InvocationPointer row) {
  // A decision may have been told before the proposal's own answer came.
  if (row_ && row_->id == row->id) return;
  set_row(std::move(row));
  if (watch_) watch_(row_);
}

void RunningCall::set_row(InvocationPointer row) {
  const auto now = std::chrono::steady_clock::now();
  const bool waited = row_ && is_waiting_for_person(row_->state);
  row_ = std::move(row);
  if (waited) waited_ += now - waiting_since_;
  waiting_since_ = now;
}

std::chrono::nanoseconds RunningCall::waited() const {
  if (!row_ || !is_waiting_for_person(row_->state)) return waited_;
  return waited_ + (std::chrono::steady_clock::now() - waiting_since_);
}

void RunningCall::told(InvocationPointer row) {
  const bool was_executing = row_ && row_->state == InvocationState::Executing;
  set_row(std::move(row));
  const bool ends_itself = tool_ && tool_->has_ended;
  if (was_executing && is_terminal(row_->state) && !ends_itself)
    cancel_.request(CancelReason::User);
  // Whoever watches may end us.
  const auto self = self_;
  if (const auto watch = watch_) watch(row_);
  if (*self) changed_.set();
}

Task<Result<InvocationPointer>> RunningCall::wait_for_person() {
  while (waits()) co_await changed();
  co_return co_await after_waiting();
}

Task<Result<InvocationPointer>> RunningCall::after_waiting() {
  if (!is_waiting_for_person(row_->state)) co_return row_;
  if (cancel_.reason() == CancelReason::Shutdown) co_return co_await let_go();
  auto ended = co_await ledger_.run([id = row_->id, reason = stopped(cancel_.reason())](
                                        InvocationBook& book) { return book.cancel(id, reason); });
  if (ended) set_row(*ended);
  if (!ended && ended.error().code != Errc::Conflict) co_return std::unexpected(ended.error());
  // Someone decided first, and what they decided is told to us.
  while (is_waiting_for_person(row_->state)) co_await changed_.wait();
  co_return row_;
}

// The call goes on waiting without us, unless someone has just allowed it: then it must run.
Task<Result<InvocationPointer>> RunningCall::let_go() {
  auto now = co_await ledger_.let_go(row_->id);
  if (!now) co_return std::unexpected(now.error());
  set_row(*now);
  if (!is_waiting_for_person(row_->state)) co_return row_;
  co_return fail(Errc::ShuttingDown,
                 "the gateway stops; {} still waits for a decision and can be resumed", row_->id);
}

Task<RunningCall::Run> RunningCall::run(Tool& tool, ToolCall call, std::chrono::milliseconds time) {
  call.services = this;
  tool_ = std::make_unique<RunningTool>(deadlines_, *this);
  tool_->time = time;
  if (time.count() > 0) tool_->time_limit.arm(time);
  Run done{.result = ToolResult{}};
  try {
    done.result = co_await tool.invoke(call, cancel_);
  } catch (const std::exception& error) {
    done.result = fail(Errc::Internal, "{}", error.what());
  }
  tool_->time_limit.disarm();
  done.timed_out = tool_->timed_out;
  if (std::exchange(tool_->progress_pending, false)) publish_progress();
  tool_->next_progress.disarm();
  tool_->has_ended = true;
  co_return done;
}

Task<Result<std::size_t>> RunningCall::count_tokens(std::string text) {
  const auto count = [this, &text]() -> Result<std::size_t> {
    return toolgate::count_tokens(encoding_, text);
  };
  if (text.size() <= kCountHere) co_return count();
  co_return co_await offload(count, cancel_);
}

void RunningCall::report(ToolProgress step) {
  if (step.increment && std::isfinite(*step.increment))
    tool_->progress = std::clamp(tool_->progress + *step.increment / 100, 0.0, 1.0);
  tool_->message = step.message.substr(0, kMostMessage);
  tool_->progress_pending = true;
  if (!tool_->next_progress.armed()) {
    tool_->progress_pending = false;
    publish_progress();
    tool_->next_progress.arm(kProgressEvery);
  }
}

void RunningCall::publish_progress() {
  json::object data{{"id", row_->id}, {"name", row_->tool_id}, {"progress", tool_->progress}};
  if (!tool_->message.empty()) data["message"] = tool_->message;
  if (!row_->session_id.empty()) data["session_id"] = row_->session_id;
  ledger_.events()->append({{"progress", write_json(json::value(std::move(data)))}});
}

Task<Result<bool>> RunningCall::confirm(PreparedCall question) {
  auto asked = co_await ledger_.run([id = row_->id, question = std::move(question),
                                     time = confirmation_time_](InvocationBook& book) {
    return book.ask_again(id, question, time);
  });
  if (!asked) co_return std::unexpected(asked.error());
  // Told to us before this goes on, and what came after it, too. People may take their time.
  const bool limited = tool_->time_limit.armed();
  tool_->time_limit.disarm();
  const auto decided = co_await wait_for_person();
  if (limited) tool_->time_limit.arm(tool_->time);
  if (!decided) co_return std::unexpected(decided.error());
  co_return (*decided)->state == InvocationState::Executing;
}

}  // namespace toolgate
