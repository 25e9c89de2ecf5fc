// JSON pointers into schemas, as faults and local references write them.
#pragma once

#include <string>
#include <string_view>

#include "base/json_tree.h"

namespace toolgate {

// The node that a local pointer names ("#/$defs/a"), or null.
const JsonNode* find_in_schema(const JsonNode& schema_root, std::string_view pointer);

// Appends "/name", escaped.
void append_pointer_step(std::string& path, std::string_view name);

}  // namespace toolgate
