// What begins with '/' at the prompt of `toolgate chat`: help, lists, and changes of the
// conversation. terminal_chat gives it such lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/chat_completion.h"
#include "cli/chat_request.h"
#include "cli/desk.h"
#include "cli/gateway_client.h"

namespace toolgate {

struct Conversation {
  ChatOptions options;
  std::vector<SaidMessage> messages = {};
  std::string answered_by = {};  // the last model
};

// A word of letters behind the '/', so that a path is none.
bool is_chat_command(std::string_view line);

class ChatCommands {
 public:
  ChatCommands(GatewayClient& client, Desk& desk, Conversation& conversation)
      : client_(client), desk_(desk), conversation_(conversation) {}

  // False: the person wants to leave.
  Task<bool> run(std::string line);

  // What Tab may complete now.
  Task<ChatWords> words();

 private:
  struct Command;
  static const std::vector<Command>& table();

  Task<> help(std::string);
  Task<> tools(std::string filter);
  Task<> model(std::string wanted);
  Task<> approvals(std::string what);
  Task<> begin_anew(std::string);

  Task<> list_approvals();
  Task<> revoke(std::string id);
  Task<> reset();
  Task<bool> agrees(std::string question);
  Task<Result<std::string>> get(std::string path);
  void say_failure(const Error& error);

  GatewayClient& client_;
  Desk& desk_;
  Conversation& conversation_;
  CancelSource never_;
};

}  // namespace toolgate
