// How a call ended, for people and for pipes: `call`, and `approve --run`.
#pragma once

#include <string>

#include "base/error.h"

namespace toolgate {

// `json` is what POST /v1/tools/{name}/invoke answers. The result goes to standard output, as it is
// into a pipe and as visible text onto a terminal; what went wrong goes to stderr. Gives the exit
// status: 0 when the tool ran and did not fail.
Result<int> print_outcome(std::string json, bool as_json);

// Whether the call in such an answer was not made because it was denied, or nobody could be asked.
bool is_denied(const std::string& json);

// Whether such a call begins or needs what only a gateway keeps from one call to the next: commands
// in the background and what they showed, and todo lists.
bool needs_lasting_gateway(const std::string& json);

}  // namespace toolgate
