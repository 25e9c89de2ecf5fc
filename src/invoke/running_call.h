// One call on its loop, from the proposal to the end: waits for decisions, runs the tool within its
// time, and hears of what others do to the call. tools_service.cpp makes one per call.
#pragma once

#include <optional>
#include <string>

#include "async/deadline.h"
#include "async/event.h"
#include "invoke/ledger.h"
#include "tokens/encoding.h"

namespace toolgate {

class RunningCall final : public CallServices {
 public:
  // `cancel` is the request's; the call ends with it.
  RunningCall(Ledger& ledger, Deadlines& deadlines, Encoding encoding,
              std::int64_t confirmation_time, const Cancel& cancel);
  ~RunningCall() override;

  // For Ledger::propose() and resume().
  std::shared_ptr<CallHolder> make_holder(LoopHandle loop);
  void begin(InvocationPointer row);
  const InvocationPointer& row() const { return row_; }
  CancelSource& cancel() { return cancel_; }

  // Until the call no longer waits for a person. A request that ends meanwhile ends the call,
  // except at shutdown: then it goes on waiting, for whoever decides after the restart.
  Task<Result<InvocationPointer>> wait_for_person();

  struct Run {
    Result<ToolResult> result;
    bool timed_out = false;
  };
  Task<Run> run(Tool& tool, ToolCall call, std::chrono::milliseconds time);

  Task<Result<std::size_t>> count_tokens(std::string text) override;
  void report(ToolProgress progress) override;
  Task<Result<bool>> confirm(PreparedCall question) override;

  const std::string& progress_message() const { return progress_message_; }

 private:
  Task<Result<InvocationPointer>> let_go();
  Task<Result<InvocationPointer>> end_waiting();
  void told(InvocationPointer row);
  void publish_progress();

  Ledger& ledger_;
  Encoding encoding_;
  std::int64_t confirmation_time_;
  CancelSource cancel_;
  InvocationPointer row_;
  Event changed_;
  bool ends_itself_ = false;  // the end that comes is ours
  double progress_ = 0;
  std::string progress_message_;
  bool progress_pending_ = false;
  Deadline progress_deadline_;
  Deadline time_limit_;
  std::chrono::milliseconds time_{0};
  bool timed_out_ = false;
  // Outlives us where a message is under way.
  std::shared_ptr<RunningCall*> self_;
};

}  // namespace toolgate
