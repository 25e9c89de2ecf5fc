#include "invoke/invocation.h"

#include <utility>

namespace toolgate {

Invocation Invocation::streaming(std::string display_name) {
  Invocation invocation;
  invocation.invocation_message_ = std::move(display_name);
  return invocation;
}

Invocation Invocation::ready(std::optional<PreparedCall> prepared,
                             std::optional<Decision> automatic) {
  Invocation invocation;
  invocation.become_ready(std::move(prepared), std::move(automatic));
  return invocation;
}

Invocation Invocation::cancelled(Decision reason) {
  Invocation invocation;
  invocation.invocation_message_ = reason.message.empty() ? "The call was denied" : reason.message;
  invocation.cancel(std::move(reason));
  return invocation;
}

Invocation Invocation::at(InvocationState state, bool confirm_results) {
  Invocation invocation;
  invocation.state_ = state;
  invocation.confirm_results_ = confirm_results;
  return invocation;
}

bool Invocation::set_streaming_message(std::string message) {
  if (state_ != InvocationState::Streaming) return false;
  streaming_message_ = std::move(message);
  return true;
}

bool Invocation::cancel_streaming(Decision reason) {
  return state_ == InvocationState::Streaming && cancel(std::move(reason));
}

bool Invocation::become_ready(std::optional<PreparedCall> prepared,
                              std::optional<Decision> automatic) {
  if (state_ != InvocationState::Streaming) return false;
  if (!streaming_message_.empty()) invocation_message_ = std::move(streaming_message_);
  streaming_message_.clear();
  if (prepared) take_prepared(*prepared);
  if (!automatic) {
    if (prepared && !prepared->confirmation_title.empty())
      return move_to(InvocationState::WaitingForConfirmation);
    automatic.emplace();
    if (prepared) automatic->reason = prepared->not_needed_reason;
  }
  return run_or_cancel(std::move(*automatic));
}

bool Invocation::confirm(Decision decision) {
  if (state_ == InvocationState::WaitingForConfirmation) return run_or_cancel(std::move(decision));
  if (state_ != InvocationState::WaitingForPostApproval) return false;
  if (!decision.lets_run()) return cancel(std::move(decision));
  post_decision_ = std::move(decision);
  return move_to(InvocationState::Completed);
}

bool Invocation::request_confirmation(PreparedCall question) {
  if (question.confirmation_title.empty()) return false;
  if (state_ == InvocationState::Streaming) return become_ready(std::move(question));
  if (!move_to(InvocationState::WaitingForConfirmation)) return false;
  decision_.reset();
  take_prepared(question);
  return true;
}

bool Invocation::require_authentication() {
  return move_to(InvocationState::WaitingForAuthentication);
}

bool Invocation::authentication_done() {
  return state_ == InvocationState::WaitingForAuthentication && move_to(InvocationState::Executing);
}

bool Invocation::executed(const ResultFacts& result, std::optional<Decision> automatic) {
  if (!runs()) return false;
  if (!result.message.empty())
    past_tense_message_ = result.message;
  else if (!progress_message_.empty())
    past_tense_message_ = progress_message_;
  const bool shown_first =
      confirm_results_ && !result.is_error && result.confirm_results.value_or(true);
  if (!shown_first) return move_to(InvocationState::Completed);
  if (!automatic) return move_to(InvocationState::WaitingForPostApproval);
  if (!automatic->lets_run()) return cancel(std::move(*automatic));
  post_decision_ = std::move(automatic);
  return move_to(InvocationState::Completed);
}

bool Invocation::cancel(Decision reason) {
  if (!move_to(InvocationState::Cancelled)) return false;
  decision_ = std::move(reason);
  return true;
}

bool Invocation::report_progress(std::optional<double> progress, std::string message) {
  if (!runs()) return false;
  if (progress.value_or(0) != 0) progress_ = *progress;
  progress_message_ = std::move(message);
  return true;
}

std::optional<Decision> Invocation::decision_to_keep() const {
  if (state_ == InvocationState::WaitingForPostApproval)
    return Decision{.kind = DecisionKind::Skipped};
  return decision_;
}

bool Invocation::move_to(InvocationState next) {
  if (!is_legal_move(state_, next)) return false;
  state_ = next;
  return true;
}

bool Invocation::run_or_cancel(Decision decision) {
  if (!decision.lets_run()) return cancel(std::move(decision));
  if (!move_to(InvocationState::Executing)) return false;
  decision_ = std::move(decision);
  return true;
}

bool Invocation::runs() const {
  return state_ == InvocationState::Executing ||
         state_ == InvocationState::WaitingForAuthentication;
}

void Invocation::take_prepared(const PreparedCall& prepared) {
  if (!prepared.invocation_message.empty()) invocation_message_ = prepared.invocation_message;
  past_tense_message_ = prepared.past_tense_message;
  presentation_ = prepared.presentation;
  confirm_results_ = prepared.confirm_results;
}

}  // namespace toolgate
