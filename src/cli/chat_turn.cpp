#include "cli/chat_turn.h"

#include <algorithm>

#include "cli/call_question.h"
#include "cli/json_document.h"

namespace toolgate {

Task<ChatOutcome> ChatTurn::run(const std::vector<SaidMessage>& conversation) {
  const int interrupts = desk_.interrupts.count();
  CancelSource streaming;
  CancelSource following;
  Scope& scope = place_.loop().scope();
  view_.begin_turn();
  scope.spawn(follow_progress(following), "following progress");
  scope.spawn(stream(write_chat_request(options_, conversation), streaming), "reading the answer");
  while (!ended_) {
    if (desk_.interrupts.count() != interrupts) {
      outcome_.is_cancelled = true;
      break;
    }
    show();
    if (const CallOnScreen* call = next_question())
      co_await decide(call->call.id);
    else if (!ended_)
      co_await desk_.wake();
  }
  streaming.request(CancelReason::User);
  following.request(CancelReason::User);
  co_await scope.drain();
  desk_.tick.disarm();
  if (!desk_.interrupts.is_told_to_end()) desk_.interrupts.forget(interrupts);
  cancel_calls();
  show();
  view_.settle();
  if (view_.is_alive()) co_await tell_of_undo();
  co_return take_outcome();
}

Task<> ChatTurn::tell_of_undo() {
  std::int64_t since = 0;
  for (const CallOnScreen& one : calls_)
    if (one.call.state == "Completed" && one.call.error.empty())
      since = since == 0 ? one.call.started_at : std::min(since, one.call.started_at);
  if (since == 0) co_return;
  const CancelSource never;
  auto answer = co_await place_.client().send("GET", "/v1/edits?limit=100", {}, never);
  const auto document = answer ? JsonDocument::parse(std::move(*answer))
                               : Result<JsonDocument>(std::unexpected(answer.error()));
  const JsonNode* list = document ? document->root().find("data") : nullptr;
  std::vector<std::string> edits;
  for (const JsonNode* edit = list ? list->first : nullptr; edit; edit = edit->next)
    if (text_of(*edit, "session_id") == options_.session && number_of(*edit, "time") >= since &&
        text_of(*edit, "undoes").empty())
      edits.push_back(text_of(*edit, "id"));
  if (edits.size() == 1)
    view_.remark(Paint::Dim, fmt::format("'toolgate undo {}' takes the edit back.", edits.front()));
  else if (!edits.empty())
    view_.remark(Paint::Dim, fmt::format("'toolgate undo' takes the last of {} edits back, "
                                         "'toolgate undo --list' shows them.",
                                         edits.size()));
}

Task<> ChatTurn::stream(std::string body, const Cancel& cancel) {
  const auto tell = [this](std::string_view, std::string_view data) { told(data); };
  ended_ = co_await place_.client().post_and_follow("/v1/chat/completions", std::move(body), tell,
                                                    cancel);
  desk_.changed.set();
}

Task<> ChatTurn::follow_progress(const Cancel& cancel) {
  const auto tell = [this](std::string_view, std::string_view data) { told_progress(data); };
  // Without it there is no progress to be seen, and nothing else is missing.
  (void)co_await place_.client().follow("/v1/events?types=progress", [] {}, tell, cancel);
}

void ChatTurn::told(std::string_view data) {
  auto chunk = read_chat_chunk(data);
  if (!chunk) return;
  is_done_ = is_done_ || chunk->is_done;
  if (chunk->failure) outcome_.failure = std::move(chunk->failure);
  outcome_.answer.add(*chunk);
  text_ += chunk->text + chunk->refusal;
  if (chunk->call) told_call(std::move(*chunk->call));
  desk_.changed.set();
}

void ChatTurn::told_call(ChatCall call) {
  const auto now = ChatView::Clock::now();
  CallOnScreen* known = find(call.id);
  if (!known) known = &calls_.emplace_back(CallOnScreen{.call = {}, .began = now, .running = now});
  // It may ask again, about its result.
  if (call.waits() && call.state != known->call.state) std::erase(asked_, call.id);
  if (call.state == "Executing" && known->call.state != call.state) known->running = now;
  known->call = std::move(call);
}

void ChatTurn::told_progress(std::string_view data) {
  const auto document = JsonDocument::parse(std::string(data));
  CallOnScreen* call = document ? find(text_of(document->root(), "id")) : nullptr;
  if (!call) return;
  call->progress = fraction_of(document->root(), "progress");
  call->message = text_of(document->root(), "message");
  desk_.changed.set();
}

CallOnScreen* ChatTurn::find(const std::string& id) {
  const auto found =
      std::ranges::find_if(calls_, [&](const CallOnScreen& one) { return one.call.id == id; });
  return found == calls_.end() ? nullptr : &*found;
}

void ChatTurn::show() {
  desk_.terminal.measure();
  const bool has_text = !text_.empty();
  const bool is_thinking = !has_text && !ended_ && !outcome_.is_cancelled &&
                           std::ranges::all_of(calls_, &CallOnScreen::is_over);
  const std::string& model = outcome_.answer.model.empty() ? options_.model : outcome_.answer.model;
  const std::string_view who = model.empty() ? std::string_view("the model") : model;
  view_.calls(calls_, is_thinking ? who : std::string_view(), has_text || ended_.has_value());
  view_.text(std::exchange(text_, {}));
}

CallOnScreen* ChatTurn::next_question() {
  if (!options_.may_ask) return nullptr;
  const auto found = std::ranges::find_if(calls_, [this](const CallOnScreen& one) {
    return one.call.waits() && std::ranges::find(asked_, one.call.id) == asked_.end();
  });
  return found == calls_.end() ? nullptr : &*found;
}

Task<> ChatTurn::decide(std::string id) {
  asked_.push_back(id);
  const int interrupts = desk_.interrupts.count();
  const auto row = co_await place_.show(id);
  auto call = row ? parse_waiting_call(*row) : Result<WaitingCall>(std::unexpected(row.error()));
  if (!call) co_return try_again(id, call.error());
  if (!call->waits() || desk_.interrupts.count() != interrupts) co_return;
  if (options_.allows_all) {
    const auto done = co_await place_.confirm(call->id, {.arguments_hash = call->arguments_hash});
    if (!done && done.error().code != Errc::Conflict) try_again(id, done.error());
  } else if (desk_.keyboard) {
    co_await ask(std::move(*call));
  }
}

void ChatTurn::try_again(const std::string& id, const Error& error) {
  constexpr int kMostFailures = 3;
  view_.remark(Paint::Red, error.message);
  if (++failures_ < kMostFailures) std::erase(asked_, id);
}

Task<> ChatTurn::ask(WaitingCall call) {
  view_.calls(calls_, {}, true);
  view_.settle();
  const auto stands = [this, id = call.id] {
    const CallOnScreen* known = find(id);
    return known && known->call.waits() && !ended_ && std::ranges::find(asked_, id) != asked_.end();
  };
  CallQuestion question(place_, desk_, stands);
  const auto end = co_await question.ask(std::move(call));
  if (end == CallQuestion::End::Gone && !ended_)
    desk_.say(Paint::Yellow, "It was decided elsewhere.");
  desk_.terminal.print("\n");
  if (view_.is_alive()) desk_.keyboard->listen_to_text();
}

void ChatTurn::cancel_calls() {
  for (CallOnScreen& call : calls_)
    if (!call.call.has_ended()) call.is_cancelled = true;
}

ChatOutcome ChatTurn::take_outcome() {
  if (!outcome_.is_cancelled && !outcome_.failure) {
    if (!*ended_)
      outcome_.failure = ChatFailure{ended_->error().message, {}};
    else if (!is_done_)
      outcome_.failure = ChatFailure{"the answer broke off: the connection was closed", {}};
  }
  for (const CallOnScreen& call : calls_)
    if (!options_.may_ask && call.call.decision_kind == "Denied" &&
        call.call.decided_by == "caller")
      outcome_.denied_unasked.push_back(call.call.name);
  return std::move(outcome_);
}

}  // namespace toolgate
