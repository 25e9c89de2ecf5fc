// The keywords of both dialects: which of them a schema's dialect and vocabularies make count.
// Only the compiler reads it.
#pragma once

#include <cstdint>
#include <string_view>

#include "schema/types.h"

namespace toolgate {

enum class Keyword : std::uint8_t {
  Unknown,
  Id,
  Anchor,
  DynamicAnchor,
  Ref,
  DynamicRef,
  Definitions,  // also `$defs`
  Type,
  Const,
  Enum,
  Not,
  AnyOf,
  OneOf,
  AllOf,
  If,
  ThenElse,
  ContentSchema,  // checks nothing, may be referred to
  Maximum,
  Minimum,
  ExclusiveMaximum,
  ExclusiveMinimum,
  MultipleOf,
  MaxLength,
  MinLength,
  Pattern,
  Format,
  MaxItems,
  MinItems,
  PrefixItems,
  Items,
  AdditionalItems,
  Contains,
  ContainsLimit,  // read by `contains`
  UniqueItems,
  UnevaluatedItems,
  MaxProperties,
  MinProperties,
  Required,
  PropertyNames,
  AdditionalProperties,
  Dependencies,
  Properties,
  PatternProperties,
  DependentRequired,
  DependentSchemas,
  UnevaluatedProperties,
};

// What a metaschema's `$vocabulary` switches on. Core is always on.
struct Vocabularies {
  bool applicator = true;
  bool unevaluated = true;
  bool validation = true;
  bool assert_formats = false;
};

// Unknown where the dialect or the vocabularies do not have it.
Keyword find_keyword(std::string_view name, Dialect dialect, const Vocabularies& vocabularies);

// The groups of rules (as bits, by Group) that Ajv runs because this keyword is there.
std::uint8_t groups_used(Keyword keyword);

}  // namespace toolgate
