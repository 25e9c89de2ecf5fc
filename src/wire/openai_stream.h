// Turns whatever an upstream streams into chunks that every OpenAI client understands. The ten
// rules stand in docs/streaming.md. One object per answer; pure, fuzzed. agent/pass_through drives
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "wire/answer_facts.h"
#include "wire/openai_error.h"
#include "wire/token_meter.h"
#include "wire/turn_report.h"

namespace toolgate {

struct StreamOptions {
  std::string model;             // stands in when the upstream names none
  std::string completion_id;     // likewise; empty: one is made
  std::int64_t created = 0;      // likewise
  std::size_t choices = 0;       // how many the client asked for, 0: not known; one has index 0
  bool include_usage = false;    // the client asked for a usage chunk
  TokenMeter* meter = nullptr;   // where usage is due and the upstream may give none
  AnswerFacts* facts = nullptr;  // what is told of the answer once it is complete
  TurnReport report;             // what is known before the answer; the stream adds warnings
};

enum class StreamState {
  Open,      // more is expected
  Answered,  // every choice has its finish_reason; only usage or [DONE] can follow
  Done,      // [DONE] was seen; call finish()
  Failed,    // error() says why; nothing more is to be added
};

enum class StreamEnd {
  Clean,  // the upstream closed its body properly
  Cut,    // the connection broke or timed out before that
};

class ChatStreamNormalizer {
 public:
  explicit ChatStreamNormalizer(StreamOptions options);
  ~ChatStreamNormalizer();

  // Takes the data of one upstream event and appends what the client gets to `out` (complete
  // "data: …\n\n" events; often the upstream's bytes unchanged). kJsonPadding bytes after `data`
  // must be readable. finish_reason, usage and the turn report are held back for finish().
  StreamState add(std::string_view data, std::string& out);

  // The upstream has ended: appends what is due (missing "{}" arguments, finish chunks, usage,
  // report, [DONE]) and answers Done; or answers Failed when the answer cannot be completed
  // honestly: the stream was cut, held nothing at all, or stopped in the middle of a call's
  // arguments.
  StreamState finish(StreamEnd end, std::string& out);

  // Usage is due and the upstream has given none so far: finish() would ask the meter.
  bool lacks_usage() const;

  // Set once Failed.
  const ErrorBody& error() const;

  // True once a chunk was appended to any `out`: an error can then only be sent as an event.
  bool has_output() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// "data: {"error":…}\n\n", for errors after the stream has begun.
void append_error_event(std::string& out, const ErrorBody& error);

}  // namespace toolgate
