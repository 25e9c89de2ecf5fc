// Which rule would decide about a call of a tool: a section of `toolgate tools show`.
#pragma once

#include <string>

#include "cli/catalog_options.h"
#include "cli/gateway_client.h"
#include "cli/terminal.h"

namespace toolgate {

// Asks the running gateway, else works it out here with what is remembered in the data folder.
// Nothing is changed.
void print_tool_approval(const CatalogOptions& options, const GatewayChoice& gateway,
                         const OpenCatalog& open, const CatalogTool& tool,
                         const Terminal& terminal);

}  // namespace toolgate
