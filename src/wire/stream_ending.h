// The last events of a streamed answer: what was held back, finish chunks, usage, report, [DONE].
#pragma once

#include <string>

#include "wire/answer_state.h"

namespace toolgate {

// Fails when the answer cannot be completed honestly.
Result<void> check_complete(AnswerState& state);

// Appends everything that is due, [DONE] included.
void end_answer(AnswerState& state, std::string& out);

}  // namespace toolgate
