// One answer of a conversation: sends the request, shows text and calls as the stream tells of
// them, asks the person about calls that wait, and ends it all with Ctrl-C. terminal_chat makes one
// for each prompt.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/chat_request.h"
#include "cli/chat_view.h"
#include "cli/desk.h"
#include "cli/gateway_place.h"

namespace toolgate {

struct ChatOutcome {
  ChatAnswer answer = {};
  std::optional<ChatFailure> failure = {};
  bool is_cancelled = false;
  std::vector<std::string> denied_unasked = {};  // names of tools that nobody could be asked about
};

class ChatTurn {
 public:
  ChatTurn(GatewayPlace& place, Desk& desk, ChatView& view, const ChatOptions& options)
      : place_(place), desk_(desk), view_(view), options_(options) {}

  Task<ChatOutcome> run(const std::vector<SaidMessage>& conversation);

 private:
  Task<> stream(std::string body, const Cancel& cancel);
  Task<> follow_progress(const Cancel& cancel);
  void told(std::string_view data);
  void told_call(ChatCall call);
  void told_progress(std::string_view data);

  void show();
  CallOnScreen* next_question();
  Task<> decide(std::string id);
  // What could not be asked about is asked about once more.
  void try_again(const std::string& id, const Error& error);
  Task<> ask(WaitingCall call);
  void cancel_calls();
  // What tools did to files meanwhile can be undone.
  Task<> tell_of_undo();
  ChatOutcome take_outcome();
  CallOnScreen* find(const std::string& id);

  GatewayPlace& place_;
  Desk& desk_;
  ChatView& view_;
  const ChatOptions& options_;

  ChatOutcome outcome_;
  std::vector<CallOnScreen> calls_;
  std::vector<std::string> asked_;  // ids of calls whose question that stands was taken up
  int failures_ = 0;                // to ask
  std::string text_;                // that is not shown yet
  bool is_done_ = false;            // the stream said so
  std::optional<Result<void>> ended_;
};

}  // namespace toolgate
