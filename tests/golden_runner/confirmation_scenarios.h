// The cases of confirmation.json that go through the tools service.
#pragma once

#include "base/json.h"

namespace toolgate {

struct Tally;

void run_confirmation_scenario(const json::value& one, Tally& tally);
void run_begin_tool_call(const json::value& one, Tally& tally);
void run_update_tool_stream(const json::value& one, Tally& tally);

}  // namespace toolgate
