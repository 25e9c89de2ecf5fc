// One call of a tool as a state machine: what is shown of it, and the moves it may make. Pure: the
// InvocationBook (book.h) holds the open ones, writes each move down, then tells it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "invoke/states.h"
#include "toolgate/error.h"
#include "toolgate/tool.h"

namespace toolgate {

// What matters of a result to the state machine.
struct ResultFacts {
  bool is_error = false;
  std::optional<bool> confirm_results = {};
  std::string message = {};  // ToolResult::message
};

class Invocation {
 public:
  // The model is still writing the arguments; `display_name` is shown meanwhile.
  static Invocation streaming(std::string display_name);
  // All of the call is there. `automatic` is what decided without a person, if anything did.
  static Invocation ready(std::optional<PreparedCall> prepared,
                          std::optional<Decision> automatic = {});
  // Refused before anyone was asked.
  static Invocation cancelled(Decision reason);
  // One that was written down in this state and goes on from there.
  static Invocation at(InvocationState state, bool confirm_results);

  InvocationState state() const { return state_; }
  // Nothing while it is streaming or waits for the first confirmation.
  const std::optional<Decision>& decision() const { return decision_; }
  const std::optional<Decision>& post_decision() const { return post_decision_; }
  const std::string& invocation_message() const { return invocation_message_; }
  // What the tool says while the model still writes; the invocation message if prepare gives none.
  const std::string& streaming_message() const { return streaming_message_; }
  const std::string& past_tense_message() const { return past_tense_message_; }
  const std::string& presentation() const { return presentation_; }
  double progress() const { return progress_; }  // 0 to 1
  const std::string& progress_message() const { return progress_message_; }

  // Each does nothing, and says so with false, where the state does not allow it.
  bool set_streaming_message(std::string message);
  bool cancel_streaming(Decision reason);
  bool become_ready(std::optional<PreparedCall> prepared, std::optional<Decision> automatic = {});
  // Of the call, or of its result: whichever is waited for.
  bool confirm(Decision decision);
  // Again, while it runs. Without a title there is nothing to ask.
  bool request_confirmation(PreparedCall question);
  bool require_authentication();
  bool authentication_done();
  // `automatic` is what approved the result without a person, if anything did.
  bool executed(const ResultFacts& result, std::optional<Decision> automatic = {});
  // Whatever it was doing.
  bool cancel(Decision reason);
  // Of the whole, not of a step; nothing or 0 keeps what there is. The message is replaced even by
  // nothing.
  bool report_progress(std::optional<double> progress, std::string message);

  // What is written into a history: a result that nobody has looked at counts as withheld.
  std::optional<Decision> decision_to_keep() const;

 private:
  Invocation() = default;
  // The only place where the state changes.
  bool move_to(InvocationState next);
  bool run_or_cancel(Decision decision);
  bool runs() const;
  void take_prepared(const PreparedCall& prepared);

  InvocationState state_ = InvocationState::Streaming;
  bool confirm_results_ = false;
  std::optional<Decision> decision_;
  std::optional<Decision> post_decision_;
  std::string invocation_message_;
  std::string streaming_message_;
  std::string past_tense_message_;
  std::string presentation_;
  double progress_ = 0;
  std::string progress_message_;
};

}  // namespace toolgate
