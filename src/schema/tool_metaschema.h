// The draft-07 metaschema in the form the normaliser holds tools against: counts, types and lists
// as the draft says, any text as a pattern, and only `$schema` must be a URI.
#pragma once

#include "base/json_tree.h"
#include "schema/compile.h"

namespace toolgate {

const Schema& tool_metaschema();
const JsonNode& tool_metaschema_root();

}  // namespace toolgate
