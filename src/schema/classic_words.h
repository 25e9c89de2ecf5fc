// The original's wording of a fault, where that depends on more of the schema than the fault tells.
// repair.cpp and normalize.cpp call it for the messages that must be the same byte for byte.
#pragma once

#include <string>

#include "base/json_tree.h"
#include "schema/check.h"

namespace toolgate {

// `schema_root` may be null: then the fault's own wording stands.
std::string classic_words(const Fault& fault, const JsonNode* schema_root);

}  // namespace toolgate
