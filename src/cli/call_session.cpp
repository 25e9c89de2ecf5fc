#include "cli/call_session.h"

#include "cli/call_question.h"
#include "cli/json_document.h"

namespace toolgate {

CallSession::CallSession(CallPlace& place, CallWish wish, CallOptions options)
    : place_(place),
      wish_(std::move(wish)),
      options_(options),
      desk_(place.loop(), Terminal(stderr), !options.yes, options.input_is_taken) {}

Task<Result<std::string>> CallSession::run() {
  CancelSource following;
  CancelSource calling;
  Scope& scope = place_.loop().scope();
  scope.spawn(follow(following), "following events");
  while (!connected_ && !unconnected_ && cancelled_ == desk_.interrupts.count())
    co_await desk_.wake();
  if (connected_) scope.spawn(invoke(calling), "calling the tool");
  while (connected_ && !answer_) {
    if (desk_.interrupts.count() > cancelled_) {
      if (cancelled_ > 0) break;
      co_await cancel_call();
      if (known_.id.empty()) calling.request(CancelReason::User);
    } else if (waits() && known_.questions > asked_) {
      co_await decide();
    } else {
      show_progress();
      co_await desk_.wake();
    }
  }
  desk_.status.clear();
  calling.request(CancelReason::User);
  following.request(CancelReason::User);
  co_await scope.drain();
  desk_.tick.disarm();
  if (unconnected_) co_return std::unexpected(*unconnected_);
  if (!answer_) co_return fail(Errc::Cancelled, "cancelled");
  co_return std::move(*answer_);
}

Task<> CallSession::follow(const Cancel& cancel) {
  const auto connected = [this] {
    connected_ = true;
    desk_.changed.set();
  };
  const auto tell = [this](std::string_view kind, std::string_view data) { told(kind, data); };
  const auto ended = co_await place_.follow(connected, tell, cancel);
  if (!connected_)
    unconnected_ = ended ? Error{Errc::UpstreamBroken, "there are no events", {}} : ended.error();
  desk_.changed.set();
}

Task<> CallSession::invoke(const Cancel& cancel) {
  answer_ = co_await place_.invoke(wish_, cancel);
  desk_.changed.set();
}

void CallSession::told(std::string_view kind, std::string_view data) {
  const auto document = JsonDocument::parse(std::string(data));
  if (!document) return;
  const JsonNode& event = document->root();
  if (kind == "invocation" && text_of(event, "call_id") == wish_.call_id) {
    const bool waited = waits();
    known_.id = text_of(event, "id");
    known_.state = text_of(event, "state");
    if (waits() && !waited) ++known_.questions;
  } else if (kind == "progress" && !known_.id.empty() && text_of(event, "id") == known_.id) {
    known_.progress = fraction_of(event, "progress");
    known_.message = text_of(event, "message");
  } else {
    return;
  }
  desk_.changed.set();
}

bool CallSession::waits() const {
  return known_.state == "WaitingForConfirmation" || known_.state == "WaitingForPostApproval";
}

void CallSession::show_progress() {
  const auto running = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began_);
  const std::string_view message = cancelled_ > 0 ? std::string_view("cancelling…")
                                   : waits()      ? std::string_view("waits for a decision")
                                                  : std::string_view(known_.message);
  // What ends at once need not flicker.
  if (running >= 2 * Desk::kTick)
    desk_.status.show(progress_text(wish_.tool, known_.progress, message, running));
}

Task<> CallSession::cancel_call() {
  cancelled_ = desk_.interrupts.count();
  if (known_.id.empty()) co_return;
  desk_.say(Paint::Yellow, "Cancelling the call; Ctrl-C once more does not wait for its end.");
  (void)co_await place_.cancel(known_.id);
}

Task<> CallSession::decide() {
  asked_ = known_.questions;
  const auto row = co_await place_.show(known_.id);
  auto call = row ? parse_waiting_call(*row) : Result<WaitingCall>(std::unexpected(row.error()));
  if (!call) {
    desk_.say(Paint::Red, call.error().message);
    co_return;
  }
  if (!call->waits() || desk_.interrupts.count() > cancelled_) co_return;
  if (options_.yes) {
    const auto allowed =
        co_await place_.confirm(call->id, {.arguments_hash = call->arguments_hash});
    if (!allowed) desk_.say(Paint::Red, allowed.error().message);
  } else if (desk_.keyboard) {
    co_await ask(std::move(*call));
  } else {
    tell_how_to_decide(*call);
  }
}

void CallSession::tell_how_to_decide(const WaitingCall& call) const {
  fmt::print(stderr,
             "toolgate: {} waits for a decision. 'toolgate pending {}' shows the call,\n"
             "          'toolgate approve {}' lets it run; so do deny and skip end it.\n",
             visible(call.name), call.id, call.id);
}

Task<> CallSession::ask(WaitingCall call) {
  const auto stands = [this] { return waits() && known_.questions == asked_ && !answer_; };
  CallQuestion question(place_, desk_, stands);
  const auto end = co_await question.ask(std::move(call));
  if (end == CallQuestion::End::Gone && !answer_)
    desk_.say(Paint::Yellow, "It was decided elsewhere.");
}

}  // namespace toolgate
