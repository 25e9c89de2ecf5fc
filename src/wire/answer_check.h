// The fast path of whole answers: recognises those that may keep their bytes.
#pragma once

#include <string_view>

#include "wire/answer_facts.h"

namespace toolgate {

enum class AnswerCheck {
  Complete,
  LacksNulls,  // complete but for `logprobs` or `refusal`, which OpenAI's schema asks for
  Damaged,     // anything else
};

// kJsonPadding bytes after `body` must be readable. `facts`, which may be null, get what a complete
// answer says.
AnswerCheck check_answer(std::string_view body, AnswerFacts* facts = nullptr);

}  // namespace toolgate
