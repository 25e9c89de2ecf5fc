// One question about a waiting call: shows the call, reads keys until one of them answers it, and
// sends the answer. call_session and chat_turn ask with it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/call_choices.h"
#include "cli/call_place.h"
#include "cli/desk.h"

namespace toolgate {

class CallQuestion {
 public:
  enum class End { Answered, Gone, Interrupted };

  // `stands`: nobody else has decided, and the call has not ended. The desk has a keyboard.
  CallQuestion(CallPlace& place, Desk& desk, std::function<bool()> stands)
      : place_(place), desk_(desk), stands_(std::move(stands)) {}

  Task<End> ask(WaitingCall call);

 private:
  void begin(WaitingCall call);
  Task<> press(char key);
  Task<> give(Answer answer);
  Task<> deny_with_message();
  Task<> edit();
  void take_edited(const std::string& text);
  Task<> explain();
  void show(const std::string& text);
  void show_time_left();

  CallPlace& place_;
  Desk& desk_;
  const std::function<bool()> stands_;
  bool answered_ = false;
  WaitingCall call_;
  std::optional<CallChoices> choices_;
  std::optional<std::string> edited_;  // JSON
  std::string draft_;                  // what the editor begins with; empty: the arguments
};

}  // namespace toolgate
