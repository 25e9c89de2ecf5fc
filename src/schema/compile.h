// Turns a JSON Schema into a flat program that check.h runs. The schema cache, the normaliser and
// `toolgate validate` call it. A compiled Schema is immutable and may be used by many threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json_tree.h"
#include "schema/registry.h"
#include "schema/types.h"

namespace toolgate {

class Schema;  // program.h

struct CompileOptions {
  Dialect default_dialect = Dialect::Mixed;  // where `$schema` is absent or unknown
  bool assert_formats = false;               // else `format` is only an annotation
  const SchemaRegistry* registry = nullptr;  // where other documents are looked up, besides the
                                             // metaschemas; nothing is ever fetched
  SchemaLimits limits;
};

// The error names the place in the schema in `where` (a JSON pointer). Keywords whose values have
// the wrong shape, dangling references and patterns that are no regular expressions are errors;
// unknown keywords and formats are not.
Result<std::shared_ptr<const Schema>> compile_schema(const JsonNode& root,
                                                     const CompileOptions& options = {});
Result<std::shared_ptr<const Schema>> compile_schema(std::string_view text,
                                                     const CompileOptions& options = {});

}  // namespace toolgate
