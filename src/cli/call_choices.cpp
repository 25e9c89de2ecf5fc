#include "cli/call_choices.h"

#include <algorithm>

#include <fmt/format.h>

#include "invoke/visible_text.h"

namespace toolgate {

CallChoices::CallChoices(const WaitingCall& call, bool is_cut)
    : can_edit_(!call.is_about_result()), is_cut_(is_cut) {
  const bool only_exactly = call.counts_exactly && !call.is_about_result();
  if (!only_exactly) targets_.emplace_back("tool");
  if (!call.is_about_result()) targets_.emplace_back("arguments");
  if (!only_exactly && !call.server.empty()) targets_.emplace_back("server");

  offer_scope('o', "once", "once");
  for (std::size_t i = 0; i < std::min<std::size_t>(call.buttons.size(), 9); ++i)
    offer(static_cast<char>('1' + i), visible(call.buttons[i]), Answer{.button = call.buttons[i]});
  if (call.may_be_remembered) {
    const std::string what = only_exactly ? "exactly this, " : "";
    if (!call.session_id.empty()) offer_scope('s', what + "this session", "session");
    if (!call.workspace.empty()) offer_scope('w', what + "this workspace", "workspace");
    offer_scope('a', what + "always", "always");
  }
  offer('d', "deny", Answer{.decision = "deny"});
  offer('m', "deny, saying why");
  offer('k', "skip", Answer{.decision = "skip"});
  if (can_edit_) offer('e', "edit");
  if (call.may_be_remembered && targets_.size() > 1) offer('t', "remember what?");
  offer('?', "why?");
  if (is_cut_) offer('v', "view all");
}

void CallChoices::offer(char key, std::string words, std::optional<Answer> answer) {
  choices_.push_back({key, std::move(words), std::move(answer)});
}

void CallChoices::offer_scope(char key, std::string words, std::string scope) {
  offer(key, std::move(words), Answer{.scope = std::move(scope)});
}

std::optional<Answer> CallChoices::answer_to(char key) const {
  const auto found = std::ranges::find(choices_, key, &Choice::key);
  if (found == choices_.end() || !found->answer) return std::nullopt;
  Answer answer = *found->answer;
  if (!answer.scope.empty() && answer.scope != "once") answer.target = targets_[target_];
  return answer;
}

bool CallChoices::next_target() {
  if (std::ranges::find(choices_, 't', &Choice::key) == choices_.end()) return false;
  target_ = (target_ + 1) % targets_.size();
  return true;
}

std::string CallChoices::target_words() const {
  if (targets_[target_] == "tool") return "this tool";
  return targets_[target_] == "server" ? "every tool of its server" : "exactly these arguments";
}

std::string CallChoices::print(const Terminal& terminal) const {
  constexpr std::size_t kGap = 3;
  std::string out;
  std::size_t used = 0;
  for (const Choice& choice : choices_) {
    const std::size_t own = 2 + columns_of(choice.words);
    if (used > 0 && used + kGap + own > terminal.width() - 2) {
      out += '\n';
      used = 0;
    }
    out += std::string(used == 0 ? 2 : kGap, ' ');
    out += terminal.paint(Paint::Green, std::string_view(&choice.key, 1)) + " " + choice.words;
    used += own + (used == 0 ? 2 : kGap);
  }
  return out + "\n";
}

}  // namespace toolgate
