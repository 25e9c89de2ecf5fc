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

#include "toolgate/error.h"
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
  Round round;                                 // the model's, with all calls and its own ids
  std::map<std::string, std::string> results;  // of the calls that were made here, by id
};
std::string write_turn(const OpenTurn& turn);
std::optional<OpenTurn> parse_turn(std::string_view record);

// Models use the same ids in every conversation, so the client gets others, which name the turn
// and the number of the call in it.
std::string client_call_id(std::string_view turn_id, std::size_t call);
struct ClientCallId {
  std::string turn_id;
  std::size_t call = 0;
};
std::optional<ClientCallId> parse_client_call_id(std::string_view id);

// Finds what was kept of a turn.
using FindTurn = std::function<Task<Result<std::optional<OpenTurn>>>(std::string turn_id)>;

// The body with what is missing in it; nothing where none is. A result that the client left out is
// said to be missing, so that every call has one.
Task<Result<std::optional<std::string>>> restore_history(const ChatRequest& request,
                                                         const FindTurn& find);

}  // namespace toolgate
