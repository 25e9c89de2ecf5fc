// Token counts of an answer, completed. The codecs of streamed and whole answers call it.
#pragma once

#include <cstddef>

#include "base/json.h"
#include "wire/turn_report.h"

namespace toolgate {

struct AnswerSize {
  std::size_t prompt_bytes = 0;
  std::size_t output_bytes = 0;
};

// `upstream` with all three counts. Where it has none at all (or is null) the counts are estimated
// from the size, and the report says so.
json::object complete_usage(const json::object* upstream, AnswerSize size, TurnReport& report);

// True when prompt_tokens, completion_tokens and total_tokens are counts.
bool is_complete_usage(const json::object& usage);

// Adds a warning that is not there yet; no answer carries more than a few.
void add_warning(TurnReport& report, std::string text);

}  // namespace toolgate
