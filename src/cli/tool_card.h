// All there is to say about one tool, for people: `toolgate tools show`.
#pragma once

#include <optional>
#include <string>

#include "cli/terminal.h"
#include "schema/families.h"
#include "toolgate/catalog.h"

namespace toolgate {

// With a family also what its models get instead, and why.
void print_tool_card(const Catalog& catalog, const CatalogTool& tool,
                     const std::optional<std::string>& family, const Families& families,
                     const Terminal& terminal);

}  // namespace toolgate
