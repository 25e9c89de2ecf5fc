// What is in a single message of a chat request, for the few messages that must be looked into:
// texts and calls. agent/ reads the last user's references and past calls, the demo model its turn.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace toolgate {

// The string, or the text parts of a list, each on its own line.
std::string message_text(const json::value& message);

struct MessageCall {
  std::string id;
  std::string name;
};
std::vector<MessageCall> calls_in(const json::value& message);
// Of a tool's message: the call it answers.
std::string_view id_of_answer(const json::value& message);

}  // namespace toolgate
