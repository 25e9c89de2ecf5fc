// Ajv's `coerceTypes`: scalars of the wrong type become the type that is due.
#pragma once

#include "base/json_tree.h"
#include "schema/types.h"

namespace toolgate {

// The value that takes `value`'s place where one `type` is due, or null where there is none. The
// new node belongs to `tree`.
const JsonNode* coerce_value(const JsonNode& value, TypeSet type, JsonTree& tree);

}  // namespace toolgate
