// The fast path of the stream normaliser: recognises chunks that may pass as they are.
#pragma once

#include <string_view>

#include "wire/answer_state.h"

namespace toolgate {

// True when `data` is a canonical chunk that fits what was sent before; the state then counts it as
// sent. False leaves the state alone. kJsonPadding bytes after `data` must be readable.
bool accept_unchanged(std::string_view data, AnswerState& state);

}  // namespace toolgate
