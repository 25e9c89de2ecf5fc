// The keywords that look at one value alone, shared by the fast check and the reporting one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json_number.h"
#include "base/json_tree.h"
#include "schema/check_state.h"
#include "schema/program.h"

namespace toolgate {

// False also when the budget is spent.
inline bool type_fits(CheckBudget& budget, TypeSet types, const JsonNode& value) {
  switch (value.kind) {
    case JsonNode::Kind::Null:
      return (types & kNullType) != 0;
    case JsonNode::Kind::Bool:
      return (types & kBooleanType) != 0;
    case JsonNode::Kind::Number:
      if ((types & kNumberType) != 0) return true;
      return (types & kIntegerType) != 0 && budget.spend_bytes(value.text.size()) &&
             is_whole(value.text);
    case JsonNode::Kind::String:
      return (types & kStringType) != 0;
    case JsonNode::Kind::Array:
      return (types & kArrayType) != 0;
    case JsonNode::Kind::Object:
      return (types & kObjectType) != 0;
  }
  return false;
}

inline Group group_of(JsonNode::Kind kind) {
  switch (kind) {
    case JsonNode::Kind::Number:
      return Group::Number;
    case JsonNode::Kind::String:
      return Group::String;
    case JsonNode::Kind::Array:
      return Group::Array;
    case JsonNode::Kind::Object:
      return Group::Object;
    default:
      return Group::Any;
  }
}

// Code points, of valid UTF-8.
std::size_t count_characters(std::string_view text);
bool is_longer(std::string_view text, std::uint32_t limit);
bool is_shorter(std::string_view text, std::uint32_t limit);

// Maximum … MultipleOf.
bool number_fits(Op op, const JsonNumber& value, const JsonNumber& limit);

// The steps that number_fits takes beyond those of small numbers.
std::uint64_t number_steps(Op op, const JsonNumber& value, const JsonNumber& limit);

// equal(), paid for; false also when the budget is spent.
bool equal_within(CheckBudget& budget, const JsonNode& a, const JsonNode& b);
bool enum_holds(CheckBudget& budget, const EnumRule& rule, const JsonNode& value);
bool format_fits(CheckBudget& budget, Format format, std::string_view text);

// The pair of equal items that Ajv names: the last item that has an equal one before it, and the
// last of those. Nothing also when the budget is spent.
std::optional<std::pair<std::size_t, std::size_t>> find_equal_items(CheckBudget& budget,
                                                                    const JsonNode& array);

}  // namespace toolgate
