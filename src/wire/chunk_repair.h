// The slow path of the stream normaliser: makes a canonical chunk of one that is not.
#pragma once

#include "base/json.h"
#include "wire/answer_state.h"

namespace toolgate {

enum class ChunkUse {
  Send,  // the chunk, as it is now
  Drop,  // nothing is left of it; what mattered is in the state
};

// Takes finish_reason and usage out of the chunk into the state and completes the rest. Fails when
// the upstream breaks a bound.
Result<ChunkUse> repair_chunk(json::object& chunk, AnswerState& state);

// Fills in id, object, created and model.
void complete_envelope(json::object& chunk, AnswerState& state);

}  // namespace toolgate
