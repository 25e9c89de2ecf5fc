// The words of JSON Schema that compile, check and their callers share: instance types, dialects
// and the limits that keep hostile schemas and inputs bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_tree.h"

namespace toolgate {

// A set of instance types; Number includes Integer.
using TypeSet = std::uint8_t;
inline constexpr TypeSet kNullType = 1;
inline constexpr TypeSet kBooleanType = 2;
inline constexpr TypeSet kIntegerType = 4;
inline constexpr TypeSet kNumberType = 8;
inline constexpr TypeSet kStringType = 16;
inline constexpr TypeSet kArrayType = 32;
inline constexpr TypeSet kObjectType = 64;

// 0 when `name` is none of the seven words.
TypeSet type_named(std::string_view name);
// "object", or "object,null" in the fixed order of the constants above.
std::string describe_types(TypeSet types);
// The one type of a value: a number that is whole is Integer and Number.
TypeSet types_of(const JsonNode& value);

enum class Dialect : std::uint8_t {
  Draft7,
  Draft2020,
  Mixed,  // 2020-12 that also takes draft-07's array forms, `dependencies` and `definitions`
};

struct SchemaLimits {
  std::size_t bytes = std::size_t{8} << 20;  // of the schema's text
  std::size_t depth = 256;                   // of its JSON nesting
  std::size_t nodes = 200'000;               // subschemas, those of referenced documents included
};

inline constexpr std::uint64_t kDefaultCheckSteps = 20'000'000;  // about a second at most

}  // namespace toolgate
