// JSON pointers into schemas, as faults and local references write them; base/json_pointer.h has
// their steps.
#pragma once

#include <string_view>

#include "base/json_pointer.h"
#include "base/json_tree.h"

namespace toolgate {

// The node that a local pointer names ("#/$defs/a"), or null.
const JsonNode* find_in_schema(const JsonNode& schema_root, std::string_view pointer);

}  // namespace toolgate
