// The schemas of schemas: embedded texts of draft-07 and 2020-12, compiled on first use.
#pragma once

#include <span>
#include <string_view>

#include "base/error.h"
#include "schema/check.h"
#include "schema/compile.h"

namespace toolgate {

const Schema& draft7_metaschema();
const Schema& draft2020_metaschema();

// The embedded document of that URI (without fragment), or an empty text.
std::string_view metaschema_text(std::string_view uri);
// Its parsed root, or null. Any thread.
const JsonNode* find_metaschema(std::string_view uri);

// Which dialect a schema declares by `$schema`; `otherwise` when it declares none or an unknown
// one.
Dialect declared_dialect(const JsonNode& schema, Dialect otherwise);

// Faults of a schema against the metaschema of its dialect. A Mixed schema is held against
// draft-07 where it uses that draft's list-valued `items`, else against 2020-12.
Result<CheckReport> check_schema(JsonNode& schema, JsonTree& tree, const CheckOptions& options = {},
                                 Dialect default_dialect = Dialect::Mixed);

}  // namespace toolgate
