// What hooks are told and what they answer, as JSON (docs/approvals.md has the format). Pure;
// hook_runner.cpp hands it to programs and endpoints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "invoke/hooks.h"

namespace toolgate {

enum class HookMoment : std::uint8_t { Before, After };

// `result` is JSON, and only there after a call.
std::string write_hook_message(HookMoment moment, const HookCall& call,
                               std::string_view result = {});

// What one hook says. After a call, Deny withholds the result.
struct HookAnswer {
  HookVerdict::Kind kind = HookVerdict::Kind::Nothing;
  std::string reason;
  std::optional<std::string> updated_input;  // a JSON object; before a call
  std::string added_text;                    // after it
};

// White space alone says nothing. What is no answer is an error whose message goes on after "it".
Result<HookAnswer> parse_hook_answer(HookMoment moment, std::string_view text);

}  // namespace toolgate
