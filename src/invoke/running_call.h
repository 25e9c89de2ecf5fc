// One call on its loop, from the proposal to the end: waits for decisions, runs the tool within its
// time, and hears of what others do to the call. tools_service.cpp makes one per call.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "async/deadline.h"
#include "async/event.h"
#include "base/trace_context.h"
#include "invoke/ledger.h"
#include "tokens/encoding.h"

namespace toolgate {

// A second face of CallServices, for tools that are part of this program and call others.
class TracedCall {
 public:
  virtual ~TracedCall() = default;
  // What the requests of the call belong to; null: nobody traces.
  virtual const TraceContext* trace() const = 0;
};

class RunningCall final : public CallServices, public TracedCall {
 public:
  // `cancel` is the request's; the call ends with it.
  RunningCall(Ledger& ledger, Deadlines& deadlines, Encoding encoding,
              std::int64_t confirmation_time, const Cancel& cancel);
  ~RunningCall() override;

  // For Ledger::propose() and resume().
  std::shared_ptr<CallHolder> make_holder(LoopHandle loop);
  void begin(InvocationPointer row);
  void set_watcher(std::function<void(const InvocationPointer&)> watch) {
    watch_ = std::move(watch);
  }
  void set_trace(const TraceContext* trace) { trace_ = trace; }
  const TraceContext* trace() const override { return trace_; }
  const InvocationPointer& row() const { return row_; }
  // For a person, all in all.
  std::chrono::nanoseconds waited() const;
  CancelSource& cancel() { return cancel_; }

  // Until the call no longer waits for a person. A request that ends meanwhile ends the call,
  // except at shutdown: then it goes on waiting, for whoever decides after the restart.
  Task<Result<InvocationPointer>> wait_for_person();
  // The same in its parts, for a caller that holds as little as it can meanwhile:
  // while (waits()) co_await changed(); then after_waiting().
  bool waits() const { return is_waiting_for_person(row_->state) && !cancel_.requested(); }
  Task<> changed() { return changed_.wait(); }
  Task<Result<InvocationPointer>> after_waiting();

  struct Run {
    Result<ToolResult> result;
    bool timed_out = false;
  };
  Task<Run> run(Tool& tool, ToolCall call, std::chrono::milliseconds time);

  Task<Result<std::size_t>> count_tokens(std::string text) override;
  void report(ToolProgress progress) override;
  Task<Result<bool>> confirm(PreparedCall question) override;

  // The last that the tool reported.
  std::string progress_message() const { return tool_ ? tool_->message : std::string(); }

 private:
  Task<Result<InvocationPointer>> let_go();
  void told(InvocationPointer row);
  void set_row(InvocationPointer row);
  // What a call needs only once its tool runs: it may have waited for hours before that.
  struct RunningTool {
    RunningTool(Deadlines& deadlines, RunningCall& call);

    double progress = 0;
    std::string message = {};
    bool progress_pending = false;
    Deadline next_progress;
    Deadline time_limit;
    std::chrono::milliseconds time{0};
    bool timed_out = false;
    bool has_ended = false;  // the end that comes is ours
  };
  void publish_progress();

  Ledger& ledger_;
  Deadlines& deadlines_;
  Encoding encoding_;
  std::int64_t confirmation_time_;
  CancelSource cancel_;
  InvocationPointer row_;
  std::chrono::steady_clock::time_point waiting_since_;  // while a person is asked
  std::chrono::nanoseconds waited_{0};                   // before that
  const TraceContext* trace_ = nullptr;
  Event changed_;
  CancelHook wakes_;
  std::function<void(const InvocationPointer&)> watch_;
  std::unique_ptr<RunningTool> tool_;
  // Outlives us where a message is under way.
  std::shared_ptr<RunningCall*> self_;
};

}  // namespace toolgate
