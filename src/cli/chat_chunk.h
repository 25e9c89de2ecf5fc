// What one event of a chat completion's stream says: text, the state of a call, how the answer
// ended, or an error. Pure; chat_turn acts on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace toolgate {

// A call that the gateway makes, as the stream tells of it.
struct ChatCall {
  std::string id = {};
  std::string name = {};
  std::string state = {};
  std::string arguments = {};      // JSON
  std::string decision_kind = {};  // "Denied", "Skipped", "UserAction", …
  std::string decided_by = {};
  std::string error = {};
  std::int64_t started_at = 0;  // milliseconds since 1970, as the next
  std::int64_t ended_at = 0;

  bool waits() const {
    return state == "WaitingForConfirmation" || state == "WaitingForPostApproval";
  }
  bool has_ended() const { return state == "Completed" || state == "Cancelled"; }
};

// The end of an answer.
struct ChatReport {
  std::int64_t rounds = 0;
  std::size_t calls = 0;
  std::vector<std::string> warnings = {};
  std::string json = {};
};

struct ChatFailure {
  std::string message = {};
  std::string code = {};  // OpenAI's
};

struct ChatChunk {
  std::string id = {};
  std::int64_t created = 0;
  std::string text = {};
  std::string refusal = {};
  std::string finish_reason = {};
  std::string model = {};
  std::vector<std::string> client_calls = {};  // names of tools that only the client could run
  std::optional<ChatCall> call = {};
  std::optional<ChatReport> report = {};
  std::string usage = {};  // JSON
  std::int64_t tokens = 0;
  std::optional<ChatFailure> failure = {};
  bool is_done = false;  // the last event
};

// An error: the event is no JSON.
Result<ChatChunk> read_chat_chunk(std::string_view data);

}  // namespace toolgate
