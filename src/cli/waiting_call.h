// A call that waits for a person, as the API tells of it, and what may be answered. The commands
// that show and decide read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json_tree.h"

namespace toolgate {

// What is another one than when someone approved the tool; both sides as JSON.
struct DefinitionChange {
  std::string field;
  std::string before;
  std::string after;
};

struct WaitingCall {
  std::string id = {};
  std::string name = {};
  std::string source = {};
  std::string state = {};
  std::string session_id = {};
  std::string caller = {};
  std::string workspace = {};
  std::string arguments = "{}";     // JSON
  std::string arguments_hash = {};  // of what is shown here
  std::string title = {};
  std::string message = {};
  std::string disclaimer = {};
  std::string server = {};  // its key, where a whole server may be approved
  std::vector<std::string> buttons = {};
  std::vector<DefinitionChange> changes = {};
  std::string result = {};  // JSON, where a person is to look at it
  bool is_edited = false;   // here, by a person: title and message are about other arguments
  bool may_be_remembered = true;
  bool counts_exactly = false;  // an approval that is remembered, for what is shown here only
  bool decided = false;         // approved, but whoever asked has gone: it can be resumed
  std::int64_t created_at = 0;
  std::int64_t expires_at = 0;  // 0: never

  bool is_about_result() const { return state == "WaitingForPostApproval"; }
  bool waits() const {
    return (state == "WaitingForConfirmation" && !decided) || is_about_result();
  }
};

// An object of GET /v1/invocations.
WaitingCall read_waiting_call(const JsonNode& row);
Result<WaitingCall> parse_waiting_call(std::string json);
// The list of GET /v1/invocations.
Result<std::vector<WaitingCall>> parse_waiting_calls(std::string json);

// What a person answers, as the body of POST /v1/invocations/{id}/confirm takes it.
struct Answer {
  std::string decision = "allow";  // "deny", "skip"
  std::string scope = {};          // empty: once
  std::string target = {};         // empty: the tool, or exactly this where only that counts
  std::string message = {};
  std::string button = {};
  std::optional<std::string> parameters = {};  // JSON: edited
  std::string arguments_hash = {};
  std::int64_t remember_for = 0;  // milliseconds; 0: without end
};
std::string write_answer(const Answer& answer);

}  // namespace toolgate
