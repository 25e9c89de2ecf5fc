// Entries of the audit trail as lines for people and for pipes: `toolgate audit`.
#pragma once

#include <string>

#include "base/json_tree.h"
#include "cli/terminal.h"

namespace toolgate {

// "allowed once", "12 ms, 340 bytes": what belongs to the entry's kind, on one line.
std::string details_of(const JsonNode& entry);

// For a terminal cut to its width; for a pipe with tabs: time, kind, tool, actor, call, session,
// details.
std::string audit_line(const JsonNode& entry, const Terminal& terminal);

}  // namespace toolgate
