#include "cli/call_question.h"

#include "async/offload.h"
#include "cli/call_view.h"
#include "cli/editor.h"
#include "cli/explanation.h"
#include "cli/moments.h"
#include "cli/prompt.h"

namespace toolgate {
namespace {

// What is longer is cut at first: the question must stay in sight.
constexpr std::size_t kMostLines = 40;

std::string answer_words(const Answer& answer, std::string_view target) {
  if (answer.decision == "deny") return "denied";
  if (answer.decision == "skip") return "skipped";
  if (!answer.button.empty()) return "allowed: " + answer.button;
  if (answer.scope == "once") return "allowed once";
  return fmt::format("allowed {}, for {}",
                     answer.scope == "always" ? "always" : "in this " + answer.scope, target);
}

}  // namespace

// With what may be answered below it.
void CallQuestion::show(const std::string& text) {
  desk_.status.clear();
  desk_.terminal.print("\n" + text + "\n" + choices_->print(desk_.terminal));
}

void CallQuestion::begin(WaitingCall call) {
  call_ = std::move(call);
  const std::string shown = describe_call(call_, desk_.terminal, kMostLines);
  const bool is_cut = shown != describe_call(call_, desk_.terminal);
  choices_.emplace(call_, is_cut);
  show(shown);
}

Task<CallQuestion::End> CallQuestion::ask(WaitingCall call) {
  const int interrupts = desk_.interrupts.count();
  begin(std::move(call));
  desk_.keyboard->listen();
  End end = End::Answered;
  while (!answered_) {
    if (desk_.interrupts.count() != interrupts) end = End::Interrupted;
    if (!stands_() || desk_.keyboard->is_gone()) end = End::Gone;
    if (end != End::Answered) break;
    if (const auto key = desk_.keyboard->take()) {
      co_await press(*key);
      continue;
    }
    show_time_left();
    co_await desk_.wake();
  }
  desk_.status.clear();
  desk_.keyboard->rest();
  co_return end;
}

void CallQuestion::show_time_left() {
  const std::string left =
      call_.expires_at == 0 ? ""
                            : fmt::format(" ({} left)", time_until(call_.expires_at, wall_clock()));
  desk_.status.show(fmt::format("Your choice{}: ", left));
}

Task<> CallQuestion::press(char key) {
  if (auto answer = choices_->answer_to(key))
    co_await give(std::move(*answer));
  else if (key == 'm')
    co_await deny_with_message();
  else if (key == 'e' && choices_->can_edit())
    co_await edit();
  else if (key == '?')
    co_await explain();
  else if (key == 't' && choices_->next_target())
    desk_.say(Paint::Cyan,
              fmt::format("Longer approvals are now for {}.", choices_->target_words()));
  else if (key == 'v' && choices_->can_show_all())
    show(describe_call(call_, desk_.terminal));
}

Task<> CallQuestion::give(Answer answer) {
  answer.arguments_hash = call_.arguments_hash;
  if (answer.decision == "allow") answer.parameters = edited_;
  const std::string words = answer_words(answer, choices_->target_words());
  const bool allows = answer.decision == "allow";
  const auto done = co_await place_.confirm(call_.id, std::move(answer));
  if (done) {
    desk_.say(allows ? Paint::Green : Paint::Red, (allows ? "✓ " : "✗ ") + words);
    answered_ = true;
    co_return;
  }
  if (!stands_()) co_return;  // who asked knows what to say
  desk_.say(Paint::Red, done.error().message);
  if (done.error().code != Errc::Conflict) co_return;
  // What is asked about is not what was shown.
  const auto row = co_await place_.show(call_.id);
  auto call = row ? parse_waiting_call(*row) : Result<WaitingCall>(std::unexpected(row.error()));
  if (!call || !call->waits()) {
    answered_ = true;
    co_return;
  }
  edited_.reset();
  draft_.clear();
  begin(std::move(*call));
}

Task<> CallQuestion::deny_with_message() {
  desk_.status.clear();
  Prompt prompt(desk_, {.mark = "Say why: "});
  const PromptLine line = co_await prompt.read();
  desk_.keyboard->listen();
  if (line.is_submitted())
    co_await give({.decision = "deny", .message = line.text});
  else
    desk_.say(Paint::Cyan, "Nothing is decided yet.");
}

Task<> CallQuestion::edit() {
  if (draft_.empty()) {
    JsonTree tree;
    const auto root = tree.parse(call_.arguments);
    draft_ = root ? pretty_json(**root) + "\n" : call_.arguments;
  }
  desk_.keyboard->rest();
  desk_.status.clear();
  const int interrupts = desk_.interrupts.count();
  const CancelSource never;
  const auto edited = co_await offload([text = draft_] { return edit_text(text, ".json"); }, never);
  desk_.interrupts.forget(interrupts);
  desk_.keyboard->listen();
  if (edited)
    take_edited(*edited);
  else
    desk_.say(Paint::Red, edited.error().message);
}

void CallQuestion::take_edited(const std::string& text) {
  draft_ = text;
  JsonTree tree;
  const auto root = tree.parse(draft_);
  if (!root) {
    desk_.say(Paint::Red,
              fmt::format("That is no JSON, so nothing is changed: {}; 'e' goes on with it",
                          visible(root.error().message)));
    return;
  }
  JsonTree before_tree;
  const auto before = before_tree.parse(call_.arguments);
  if (before && equal(**before, **root)) {
    desk_.say(Paint::Cyan, "Nothing was changed.");
    return;
  }
  edited_ = write_json(**root);
  WaitingCall changed = call_;
  changed.arguments = *edited_;
  changed.is_edited = true;
  begin(std::move(changed));
  desk_.say(Paint::Cyan, "These are your arguments now: they run if you allow the call.");
}

Task<> CallQuestion::explain() {
  const auto explanation = co_await place_.explain({.tool = call_.name,
                                                    .input = call_.arguments,
                                                    .call_id = {},
                                                    .session_id = call_.session_id});
  const auto text = explanation ? describe_explanation(*explanation, desk_.terminal)
                                : Result<std::string>(std::unexpected(explanation.error()));
  if (text)
    show(*text);
  else
    desk_.say(Paint::Red, text.error().message);
}

}  // namespace toolgate
