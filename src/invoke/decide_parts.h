// What decide.cpp and decide_question.cpp share; for them only.
#pragma once

#include <string>
#include <string_view>

#include "invoke/decide.h"

namespace toolgate {

// The two tools that are questions to a person themselves.
bool is_always_asked(std::string_view tool_id);
// The tool says what is the same call: no approval of more than that counts.
bool counts_exactly(const CallFacts& facts);

std::string_view name_for_people(const CallFacts& facts);

struct Eligibility {
  bool is_eligible = true;
  std::string why = "does not name the tool → may be approved";
};
Eligibility eligibility_of(const CallFacts& facts);

// What the settings about pages and files say of what a call names.
enum class Effect : std::uint8_t { NotNamed, Approved, NotApproved };
struct Effects {
  Effect urls = Effect::NotNamed;
  Effect edits = Effect::NotNamed;
};
Effects effects_of(const CallFacts& facts, UrlSide side);

}  // namespace toolgate
