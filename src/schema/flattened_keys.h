// Some models flatten what they send: {"range.start": 1, "edits[0].text": "x"}. Where the schema
// declares the path and not the key, the nested form is rebuilt. repair.cpp calls it.
#pragma once

#include <vector>

#include "base/json_tree.h"
#include "schema/check.h"

namespace toolgate {

// Changes `input` in place and appends what was done. A key is rebuilt only if no schema keyword
// there could mean the key itself, every step of the path is declared, nothing stands at the
// target, and list items come without gaps.
void rebuild_flattened_keys(JsonTree& tree, JsonNode& input, const JsonNode& schema_root,
                            std::vector<Repair>& repairs);

}  // namespace toolgate
