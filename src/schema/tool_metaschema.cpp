#include "schema/tool_metaschema.h"

#include <stdexcept>

namespace toolgate {
namespace {

// The order of the properties decides which of several faults is told first.
constexpr std::string_view kText = R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "type": ["object", "boolean"],
  "definitions": {
    "schemas": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
    "named": {"type": "object", "additionalProperties": {"$ref": "#"}},
    "count": {"type": "integer", "minimum": 0},
    "typeName": {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]},
    "names": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}
  },
  "properties": {
    "$id": {"type": "string"},
    "$schema": {"type": "string", "format": "uri"},
    "$ref": {"type": "string"},
    "$comment": {"type": "string"},
    "title": {"type": "string"},
    "description": {"type": "string"},
    "readOnly": {"type": "boolean"},
    "writeOnly": {"type": "boolean"},
    "examples": {"type": "array"},
    "multipleOf": {"type": "number", "exclusiveMinimum": 0},
    "maximum": {"type": "number"},
    "exclusiveMaximum": {"type": "number"},
    "minimum": {"type": "number"},
    "exclusiveMinimum": {"type": "number"},
    "maxLength": {"$ref": "#/definitions/count"},
    "minLength": {"$ref": "#/definitions/count"},
    "pattern": {"type": "string"},
    "additionalItems": {"$ref": "#"},
    "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/definitions/schemas"}]},
    "maxItems": {"$ref": "#/definitions/count"},
    "minItems": {"$ref": "#/definitions/count"},
    "uniqueItems": {"type": "boolean"},
    "contains": {"$ref": "#"},
    "maxProperties": {"$ref": "#/definitions/count"},
    "minProperties": {"$ref": "#/definitions/count"},
    "required": {"$ref": "#/definitions/names"},
    "additionalProperties": {"$ref": "#"},
    "definitions": {"$ref": "#/definitions/named"},
    "properties": {"$ref": "#/definitions/named"},
    "patternProperties": {"$ref": "#/definitions/named"},
    "dependencies": {
      "type": "object",
      "additionalProperties": {"anyOf": [{"$ref": "#"}, {"$ref": "#/definitions/names"}]}
    },
    "propertyNames": {"$ref": "#"},
    "enum": {"type": "array", "minItems": 1, "uniqueItems": true},
    "type": {
      "anyOf": [
        {"$ref": "#/definitions/typeName"},
        {"type": "array", "minItems": 1, "uniqueItems": true,
         "items": {"$ref": "#/definitions/typeName"}}
      ]
    },
    "format": {"type": "string"},
    "contentMediaType": {"type": "string"},
    "contentEncoding": {"type": "string"},
    "if": {"$ref": "#"},
    "then": {"$ref": "#"},
    "else": {"$ref": "#"},
    "allOf": {"$ref": "#/definitions/schemas"},
    "anyOf": {"$ref": "#/definitions/schemas"},
    "oneOf": {"$ref": "#/definitions/schemas"},
    "not": {"$ref": "#"}
  }
})json";

struct Compiled {
  JsonTree tree;
  const JsonNode* root = nullptr;
  std::shared_ptr<const Schema> schema;

  Compiled() {
    CompileOptions options;
    options.default_dialect = Dialect::Draft7;
    options.assert_formats = true;
    root = tree.parse(kText).value();
    auto compiled = compile_schema(*root, options);
    if (!compiled) throw std::logic_error("tool metaschema: " + compiled.error().message);
    schema = *compiled;
  }
};

const Compiled& compiled() {
  static const Compiled made;
  return made;
}

}  // namespace

const Schema& tool_metaschema() {
  return *compiled().schema;
}

const JsonNode& tool_metaschema_root() {
  return *compiled().root;
}

}  // namespace toolgate
