#include "cli/call_session.h"

#include <algorithm>

#include "async/offload.h"
#include "cli/call_view.h"
#include "cli/editor.h"
#include "cli/explanation.h"
#include "cli/json_document.h"
#include "cli/moments.h"

namespace toolgate {
namespace {

constexpr std::chrono::milliseconds kTick{100};
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

CallSession::CallSession(CallPlace& place, CallWish wish, CallOptions options)
    : place_(place),
      wish_(std::move(wish)),
      options_(options),
      terminal_(stderr),
      status_(terminal_),
      tick_(place.loop().deadlines(), [this] { changed_.set(); }),
      interrupts_(place.loop(), [this] { changed_.set(); }) {
  if (terminal_.is_terminal() && !options_.yes)
    keyboard_ = Keyboard::open(place.loop(), options_.input_is_taken, [this] { changed_.set(); });
}

Task<> CallSession::wake() {
  tick_.arm(kTick);
  co_await changed_.wait();
}

Task<Result<std::string>> CallSession::run() {
  CancelSource following;
  CancelSource calling;
  Scope& scope = place_.loop().scope();
  scope.spawn(follow(following), "following events");
  while (!connected_ && !unconnected_ && cancelled_ == interrupts_.count()) co_await wake();
  if (connected_) scope.spawn(invoke(calling), "calling the tool");
  while (connected_ && !answer_) {
    if (interrupts_.count() > cancelled_) {
      if (cancelled_ > 0) break;
      co_await cancel_call();
      if (known_.id.empty()) calling.request(CancelReason::User);
    } else if (waits() && known_.questions > asked_) {
      co_await decide();
    } else {
      show_progress();
      co_await wake();
    }
  }
  status_.clear();
  calling.request(CancelReason::User);
  following.request(CancelReason::User);
  co_await scope.drain();
  tick_.disarm();
  if (unconnected_) co_return std::unexpected(*unconnected_);
  if (!answer_) co_return fail(Errc::Cancelled, "cancelled");
  co_return std::move(*answer_);
}

Task<> CallSession::follow(const Cancel& cancel) {
  const auto connected = [this] {
    connected_ = true;
    changed_.set();
  };
  const auto tell = [this](std::string_view kind, std::string_view data) { told(kind, data); };
  const auto ended = co_await place_.follow(connected, tell, cancel);
  if (!connected_)
    unconnected_ = ended ? Error{Errc::UpstreamBroken, "there are no events", {}} : ended.error();
  changed_.set();
}

Task<> CallSession::invoke(const Cancel& cancel) {
  answer_ = co_await place_.invoke(wish_, cancel);
  changed_.set();
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
  changed_.set();
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
  if (running >= 2 * kTick)
    status_.show(progress_text(wish_.tool, known_.progress, message, running));
}

// With what may be answered below it.
void CallSession::show(const std::string& text) {
  status_.clear();
  terminal_.print("\n" + text + "\n" + choices_->print(terminal_));
}

void CallSession::say(Paint paint, const std::string& text) {
  status_.clear();
  terminal_.print(terminal_.paint(paint, text) + "\n");
}

Task<> CallSession::cancel_call() {
  cancelled_ = interrupts_.count();
  asking_ = false;
  if (known_.id.empty()) co_return;
  say(Paint::Yellow, "Cancelling the call; Ctrl-C once more does not wait for its end.");
  (void)co_await place_.cancel(known_.id);
}

Task<> CallSession::decide() {
  asked_ = known_.questions;
  const auto row = co_await place_.show(known_.id);
  auto call = row ? parse_waiting_call(*row) : Result<WaitingCall>(std::unexpected(row.error()));
  if (!call) {
    say(Paint::Red, call.error().message);
    co_return;
  }
  if (!call->waits()) co_return;
  if (options_.yes) {
    const auto allowed =
        co_await place_.confirm(call->id, {.arguments_hash = call->arguments_hash});
    if (!allowed) say(Paint::Red, allowed.error().message);
  } else if (keyboard_) {
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

void CallSession::begin_asking(WaitingCall call) {
  call_ = std::move(call);
  const std::string shown = describe_call(call_, terminal_, kMostLines);
  const bool is_cut = shown != describe_call(call_, terminal_);
  choices_.emplace(call_, is_cut);
  show(shown);
}

Task<> CallSession::ask(WaitingCall call) {
  edited_.reset();
  draft_.clear();
  asking_ = true;
  begin_asking(std::move(call));
  keyboard_->listen();
  while (asking_ && interrupts_.count() == cancelled_ && !answer_) {
    if (!waits() || known_.questions != asked_) {
      say(Paint::Yellow, "It was decided elsewhere.");
      break;
    }
    if (const auto key = keyboard_->take()) {
      co_await press(*key);
      continue;
    }
    const std::string left =
        call_.expires_at == 0
            ? ""
            : fmt::format(" ({} left)", time_until(call_.expires_at, wall_clock()));
    status_.show(fmt::format("Your choice{}: ", left));
    co_await wake();
  }
  keyboard_->rest();
}

Task<> CallSession::press(char key) {
  if (auto answer = choices_->answer_to(key))
    co_await give(std::move(*answer));
  else if (key == 'e' && choices_->can_edit())
    co_await edit();
  else if (key == '?')
    co_await explain();
  else if (key == 't' && choices_->next_target())
    say(Paint::Cyan, fmt::format("Longer approvals are now for {}.", choices_->target_words()));
  else if (key == 'v' && choices_->can_show_all())
    show(describe_call(call_, terminal_));
}

Task<> CallSession::give(Answer answer) {
  answer.arguments_hash = call_.arguments_hash;
  if (answer.decision == "allow") answer.parameters = edited_;
  const std::string words = answer_words(answer, choices_->target_words());
  const bool allows = answer.decision == "allow";
  const auto done = co_await place_.confirm(call_.id, std::move(answer));
  if (done) {
    say(allows ? Paint::Green : Paint::Red, (allows ? "✓ " : "✗ ") + words);
    asking_ = false;
    co_return;
  }
  if (!waits() || known_.questions != asked_) co_return;  // who asked knows what to say
  say(Paint::Red, done.error().message);
  if (done.error().code != Errc::Conflict) co_return;
  // What is asked about is not what was shown.
  const auto row = co_await place_.show(call_.id);
  auto call = row ? parse_waiting_call(*row) : Result<WaitingCall>(std::unexpected(row.error()));
  if (!call || !call->waits()) {
    asking_ = false;
    co_return;
  }
  edited_.reset();
  draft_.clear();
  begin_asking(std::move(*call));
}

Task<> CallSession::edit() {
  if (draft_.empty()) {
    JsonTree tree;
    const auto root = tree.parse(call_.arguments);
    draft_ = root ? pretty_json(**root) + "\n" : call_.arguments;
  }
  keyboard_->rest();
  status_.clear();
  const int interrupts = interrupts_.count();
  const CancelSource never;
  const auto edited = co_await offload([text = draft_] { return edit_text(text, ".json"); }, never);
  interrupts_.forget(interrupts);
  keyboard_->listen();
  if (!edited) {
    say(Paint::Red, edited.error().message);
    co_return;
  }
  draft_ = *edited;
  JsonTree tree;
  const auto root = tree.parse(draft_);
  if (!root) {
    say(Paint::Red, fmt::format("That is no JSON, so nothing is changed: {}; 'e' goes on with it",
                                visible(root.error().message)));
    co_return;
  }
  JsonTree before_tree;
  const auto before = before_tree.parse(call_.arguments);
  if (before && equal(**before, **root)) {
    say(Paint::Cyan, "Nothing was changed.");
    co_return;
  }
  edited_ = write_json(**root);
  WaitingCall changed = call_;
  changed.arguments = *edited_;
  begin_asking(std::move(changed));
  say(Paint::Cyan, "These are your arguments now: they run if you allow the call.");
}

Task<> CallSession::explain() {
  CallWish wish = wish_;
  wish.tool = call_.name;
  wish.input = call_.arguments;
  const auto explanation = co_await place_.explain(std::move(wish));
  const auto text = explanation ? describe_explanation(*explanation, terminal_)
                                : Result<std::string>(std::unexpected(explanation.error()));
  if (text)
    show(*text);
  else
    say(Paint::Red, text.error().message);
}

}  // namespace toolgate
