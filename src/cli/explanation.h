// Which rule would decide about a call, and which were looked at before it: `call --explain`, the
// key '?' of its prompt, and `tools show`.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/terminal.h"

namespace toolgate {

// `json` is what POST /v1/tools/{name}/explain answers; the error: it is not that.
Result<std::string> describe_explanation(std::string_view json, const Terminal& terminal);

}  // namespace toolgate
