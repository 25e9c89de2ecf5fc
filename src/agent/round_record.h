// What is told of one round, a question to a model and its answer: the span `chat`, and the numbers
// of /metrics. pass_through and auto_execute make one per round.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/span.h"
#include "models/provider.h"
#include "wire/answer_facts.h"
#include "wire/openai_error.h"

namespace toolgate {

// Where the rounds of one request are told. Whoever makes it keeps it until the last has ended.
struct RoundNotes {
  Metrics* metrics = nullptr;  // null: nobody counts
  const Span* span = nullptr;  // what the rounds are part of; null: nobody traces
  std::string_view session_id = {};
  // The sums of all rounds; the time is until each began to answer.
  std::chrono::nanoseconds upstream_time{0};
  std::int64_t rounds = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::string error = {};  // the word of the last that went wrong
};

class RoundRecord {
 public:
  // Begins with the question, which it adds its context to.
  RoundRecord(RoundNotes& notes, ProviderCall& call, const ModelInfo& model);
  // One that has no end by then was given up.
  ~RoundRecord();
  RoundRecord(const RoundRecord&) = delete;
  RoundRecord& operator=(const RoundRecord&) = delete;

  // For StreamOptions.
  AnswerFacts* facts() { return &facts_; }

  // The first piece of a stream or the whole answer is there. Only the first time counts.
  void begun(int status = 200);
  // The answer is complete, and facts() say what it was.
  void done();
  void failed(const ErrorBody& error);

 private:
  void end(std::string_view outcome);
  void describe(const ChatRequest& request);

  using Clock = std::chrono::steady_clock;
  RoundNotes& notes_;
  const ModelInfo& model_;
  const Clock::time_point asked_ = Clock::now();
  Span span_;
  AnswerFacts facts_;
  bool has_begun_ = false;
  bool has_ended_ = false;
};

// The word for an error in spans and metrics: one of ours, or the status.
std::string error_word(const ErrorBody& error);

}  // namespace toolgate
