// One call of `toolgate call` from its beginning to its end: follows what happens to it, asks the
// person at the terminal where a person must be asked, shows how far it is, and cancels it with
// Ctrl-C.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/call_place.h"
#include "cli/desk.h"

namespace toolgate {

struct CallOptions {
  bool yes = false;             // whatever is asked is allowed once
  bool input_is_taken = false;  // standard input was the tool's input
};

class CallSession {
 public:
  CallSession(CallPlace& place, CallWish wish, CallOptions options);

  // What the API answers to the call. Cancelled: the person does not even wait for its end.
  Task<Result<std::string>> run();
  bool was_interrupted() const { return desk_.interrupts.count() > 0; }

 private:
  // What the events have told of the call.
  struct Known {
    std::string id = {};
    std::string state = {};
    int questions = 0;  // how many times it has begun to wait for a person
    double progress = 0;
    std::string message = {};
  };

  Task<> follow(const Cancel& cancel);
  Task<> invoke(const Cancel& cancel);
  void told(std::string_view kind, std::string_view data);
  bool waits() const;

  Task<> decide();
  Task<> ask(WaitingCall call);
  void tell_how_to_decide(const WaitingCall& call) const;
  Task<> cancel_call();
  void show_progress();

  CallPlace& place_;
  const CallWish wish_;
  const CallOptions options_;
  Desk desk_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();

  Known known_;
  bool connected_ = false;
  std::optional<Error> unconnected_;
  std::optional<Result<std::string>> answer_;
  int asked_ = 0;      // of Known::questions, those that were taken up
  int cancelled_ = 0;  // of the interrupts, those that were acted on
};

}  // namespace toolgate
