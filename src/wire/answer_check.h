// The fast path of whole answers: recognises those that may keep their bytes.
#pragma once

#include <string_view>

namespace toolgate {

enum class AnswerCheck {
  Complete,
  LacksNulls,  // complete but for `logprobs` or `refusal`, which OpenAI's schema asks for
  Damaged,     // anything else
};

// kJsonPadding bytes after `body` must be readable.
AnswerCheck check_answer(std::string_view body);

}  // namespace toolgate
