// Token counts of an answer, completed. The codecs of streamed and whole answers call it.
#pragma once

#include "base/json.h"
#include "wire/answer_facts.h"
#include "wire/token_meter.h"
#include "wire/turn_report.h"

namespace toolgate {

// `upstream` with all three counts. What it does not say (it may be null) the meter counts, and the
// report tells so; without a meter it is 0.
json::object complete_usage(const json::object* upstream, TokenMeter* meter, TurnReport& report);

// True when prompt_tokens, completion_tokens and total_tokens are counts.
bool is_complete_usage(const json::object& usage);

// The counts that `usage` has.
void take_usage(const json::object& usage, AnswerFacts& facts);

// Adds a warning that is not there yet; no answer carries more than a few.
void add_warning(TurnReport& report, std::string text);

}  // namespace toolgate
