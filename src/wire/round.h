// One answer of a model within a longer one: what it said and which tools it called. In auto mode
// (agent/auto_execute) several of them become one answer for the client: the rounds are read here,
// and what the client gets in their place is written here.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "wire/openai_error.h"
#include "wire/turn_report.h"

namespace toolgate {

struct RoundCall {
  std::string id;
  std::string name;
  std::string arguments;
  json::object extras = {};  // other members, such as signatures of thoughts: they go back with it
};

struct Round {
  std::string text;
  std::vector<RoundCall> calls;
  json::object extras;  // other members of the message, such as reasoning
  std::string finish_reason = "stop";
  json::object usage;                 // empty: none was given
  std::vector<std::string> warnings;  // of the normaliser
};

// What all rounds of one answer share: that of the first, whoever sends the next.
struct AnswerEnvelope {
  std::string id;
  std::int64_t created = 0;
  std::string model;
  bool role_sent = false;
};

// Takes the events of a ChatStreamNormalizer. Text goes on to the client; calls, the finish
// reason, usage and the report stay here.
class RoundReader {
 public:
  explicit RoundReader(AnswerEnvelope& envelope) : envelope_(envelope) {}

  // `events` are complete ones. Appends what the client gets of them.
  void add(std::string_view events, std::string& out);
  Round take() { return std::move(round_); }

 private:
  void add_chunk(std::string_view data, std::string& out);
  bool take_delta(json::object& delta);
  void take_calls(const json::array& calls);

  AnswerEnvelope& envelope_;
  Round round_;
};

// A whole answer of normalize_answer(), taken apart. The first one sets the envelope.
std::expected<Round, ErrorBody> read_round(std::string_view answer, AnswerEnvelope& envelope);

// Counts are added up, whatever they are called; the first one that comes sets the form.
void add_usage(json::object& sum, const json::object& more);

// How the one answer ends.
struct AnswerEnd {
  std::string text;  // of all rounds; for whole answers
  std::vector<RoundCall> calls;
  std::string finish_reason;
  json::object usage;
  bool include_usage = false;
};

// The client's calls, the finish chunk with usage and report, and [DONE].
void append_ending(std::string& out, AnswerEnvelope& envelope, const AnswerEnd& end,
                   const TurnReport& report);
// A chunk without choices: {"toolgate":{"invocation":…}}.
void append_tool_event(std::string& out, const AnswerEnvelope& envelope,
                       std::string_view invocation_json);
// `answer` is the last round's, one that read_round() took; id and time are the first one's.
std::string write_answer(std::string_view answer, const AnswerEnvelope& envelope,
                         const AnswerEnd& end, const TurnReport& report);

// Members that OpenAI does not know: models want to see them again.
void append_extras(std::string& object, const json::object& extras);

// [{"id","type":"function","function":{"name","arguments"}},…]
json::array write_calls(const std::vector<RoundCall>& calls);
std::vector<RoundCall> read_calls(const json::value& calls);

}  // namespace toolgate
