// What people have allowed for longer than one call, as lists for people and pipes, from the
// objects of GET /v1/approvals. `toolgate approvals` and `toolgate chat` print with it.
#pragma once

#include <string>

#include "base/error.h"
#include "base/json_tree.h"
#include "cli/terminal.h"

namespace toolgate {

void print_approvals(const JsonNode& list, const Terminal& terminal);

// "send_mail, always"
std::string describe_approval(const JsonNode& approval);

// The id of the one that `given` is, or is the beginning of; `approvals` is the whole answer.
Result<std::string> find_approval(std::string approvals, const std::string& given);

}  // namespace toolgate
