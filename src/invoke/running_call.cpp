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
      encoding_(encoding),
      confirmation_time_(confirmation_time),
      cancel_(cancel),
      progress_deadline_(deadlines,
                         [this] {
                           if (!std::exchange(progress_pending_, false)) return;
                           publish_progress();
                           progress_deadline_.arm(kProgressEvery);
                         }),
      time_limit_(deadlines,
                  [this] {
                    timed_out_ = true;
                    cancel_.request(CancelReason::Timeout);
                  }),
      self_(std::make_shared<RunningCall*>(this)) {}

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
  if (!row_ || row_->id != row->id) row_ = std::move(row);
}

void RunningCall::told(InvocationPointer row) {
  const bool was_executing = row_ && row_->state == InvocationState::Executing;
  row_ = std::move(row);
  if (was_executing && is_terminal(row_->state) && !ends_itself_)
    cancel_.request(CancelReason::User);
  changed_.set();
}

Task<Result<InvocationPointer>> RunningCall::wait_for_person() {
  const CancelHook hook(cancel_, [this](CancelReason) { changed_.set(); });
  while (is_waiting_for_person(row_->state) && !cancel_.requested()) co_await changed_.wait();
  if (!is_waiting_for_person(row_->state)) co_return row_;
  if (cancel_.reason() == CancelReason::Shutdown) co_return co_await let_go();
  co_return co_await end_waiting();
}

// Apart: a call that waits holds the memory of each coroutine it is in.
Task<Result<InvocationPointer>> RunningCall::end_waiting() {
  auto ended = co_await ledger_.run([id = row_->id, reason = stopped(cancel_.reason())](
                                        InvocationBook& book) { return book.cancel(id, reason); });
  if (ended) row_ = *ended;
  if (!ended && ended.error().code != Errc::Conflict) co_return std::unexpected(ended.error());
  // Someone decided first, and what they decided is told to us.
  while (is_waiting_for_person(row_->state)) co_await changed_.wait();
  co_return row_;
}

// The call goes on waiting without us, unless someone has just allowed it: then it must run.
Task<Result<InvocationPointer>> RunningCall::let_go() {
  auto now = co_await ledger_.let_go(row_->id);
  if (!now) co_return std::unexpected(now.error());
  row_ = *now;
  if (!is_waiting_for_person(row_->state)) co_return row_;
  co_return fail(Errc::ShuttingDown,
                 "the gateway stops; {} still waits for a decision and can be resumed", row_->id);
}

Task<RunningCall::Run> RunningCall::run(Tool& tool, ToolCall call, std::chrono::milliseconds time) {
  call.services = this;
  time_ = time;
  if (time.count() > 0) time_limit_.arm(time);
  Run done{.result = ToolResult{}};
  try {
    done.result = co_await tool.invoke(call, cancel_);
  } catch (const std::exception& error) {
    done.result = fail(Errc::Internal, "{}", error.what());
  }
  time_limit_.disarm();
  done.timed_out = timed_out_;
  if (std::exchange(progress_pending_, false)) publish_progress();
  progress_deadline_.disarm();
  ends_itself_ = true;
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
    progress_ = std::clamp(progress_ + *step.increment / 100, 0.0, 1.0);
  progress_message_ = step.message.substr(0, kMostMessage);
  progress_pending_ = true;
  if (!progress_deadline_.armed()) {
    progress_pending_ = false;
    publish_progress();
    progress_deadline_.arm(kProgressEvery);
  }
}

void RunningCall::publish_progress() {
  json::object data{{"id", row_->id}, {"name", row_->tool_id}, {"progress", progress_}};
  if (!progress_message_.empty()) data["message"] = progress_message_;
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
  const bool limited = time_limit_.armed();
  time_limit_.disarm();
  const auto decided = co_await wait_for_person();
  if (limited) time_limit_.arm(time_);
  if (!decided) co_return std::unexpected(decided.error());
  co_return (*decided)->state == InvocationState::Executing;
}

}  // namespace toolgate
