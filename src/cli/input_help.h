// What a tool takes, for a person who called it with something else.
#pragma once

#include "base/error.h"
#include "cli/terminal.h"
#include "toolgate/catalog.h"

namespace toolgate {

// Whether a call failed because its input is not what the tool's schema allows.
bool is_about_input(const Error& error);

// The faults in `error`, and with `tool` its arguments and an example. `tool` may be null.
void explain_input(const Error& error, std::string_view name, const CatalogTool* tool,
                   const Terminal& terminal);

}  // namespace toolgate
