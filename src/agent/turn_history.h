// The history of a conversation in auto mode. The client does not see the calls that the gateway
// makes for the model, so what they were is put back here: after each round, and, where a turn was
// left to the client in the middle, when the client comes back.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "toolgate/task.h"
#include "wire/openai_chat.h"
#include "wire/round.h"

namespace toolgate {

// One message as JSON.
std::string write_assistant_message(const Round& round);
std::string write_tool_message(std::string_view call_id, std::string_view content);

// The request's body with these messages, JSON objects with commas between them, behind its own.
std::string append_messages(const ChatRequest& request, std::string_view messages);

// The ids of all calls in the history: those of a new round must be others.
std::unordered_set<std::string> call_ids_of(const ChatRequest& request);

// A turn that goes on at the client: what the model must see when the client comes back.
struct OpenTurn {
  std::vector<std::string> before;             // messages that the client never saw
  Round round;                                 // the model's, with all calls
  std::map<std::string, std::string> results;  // of the calls that were made here, by id
};
std::string write_turn(const OpenTurn& turn);
std::optional<OpenTurn> parse_turn(std::string_view record);

// Finds what was kept of the turn that a call belongs to.
using FindTurn = std::function<Task<std::optional<OpenTurn>>(std::string call_id)>;

// The body with what is missing in it, where any is. A result that the client left out is said to
// be missing, so that every call has one.
Task<std::optional<std::string>> restore_history(const ChatRequest& request, const FindTurn& find);

}  // namespace toolgate
