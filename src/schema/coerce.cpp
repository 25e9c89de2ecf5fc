// See coerce.h.
#include "schema/coerce.h"

#include <cmath>

#include "base/json_number.h"

namespace toolgate {

namespace {

using Kind = JsonNode::Kind;

// JavaScript's text of a number. Plain integers stay as written: JavaScript would lose the digits
// beyond 2^53, which ruins identifiers.
std::string number_text(std::string_view json_number) {
  if (json_number == "-0") return "0";
  if (JsonNumber(json_number).small) return std::string(json_number);
  if (json_number.find_first_of(".eE") == json_number.npos) return std::string(json_number);
  const double value = to_double(json_number);
  return std::isfinite(value) ? javascript_text(value) : std::string(json_number);
}

const JsonNode* to_string(const JsonNode& value, JsonTree& tree) {
  switch (value.kind) {
    case Kind::Number:
      return tree.make_string(number_text(value.text));
    case Kind::Bool:
      return tree.make_string(value.truth ? "true" : "false");
    case Kind::Null:
      return tree.make_string("");
    default:
      return nullptr;
  }
}

const JsonNode* to_number(const JsonNode& value, bool whole, JsonTree& tree) {
  if (value.is(Kind::Bool)) return tree.make_number(value.truth ? "1" : "0");
  if (value.is(Kind::Null)) return tree.make_number("0");
  if (!value.is(Kind::String) || value.text.empty()) return nullptr;
  const auto number = javascript_number(value.text);
  if (!number) return nullptr;
  const bool exact = is_json_number(value.text);
  if (whole && !(exact ? is_whole(value.text) : std::trunc(*number) == *number)) return nullptr;
  return tree.make_number(exact ? number_text(value.text) : javascript_text(*number));
}

const JsonNode* to_boolean(const JsonNode& value, JsonTree& tree) {
  const auto is_number = [&](std::string_view text) {
    return value.is(Kind::Number) && compare(JsonNumber(value.text), JsonNumber(text)) == 0;
  };
  if (value.is(Kind::Null) || is_number("0")) return tree.make_bool(false);
  if (is_number("1")) return tree.make_bool(true);
  if (!value.is(Kind::String)) return nullptr;
  if (value.text == "false") return tree.make_bool(false);
  return value.text == "true" ? tree.make_bool(true) : nullptr;
}

const JsonNode* to_null(const JsonNode& value, JsonTree& tree) {
  const bool empty =
      (value.is(Kind::String) && value.text.empty()) || (value.is(Kind::Bool) && !value.truth) ||
      (value.is(Kind::Number) && compare(JsonNumber(value.text), JsonNumber("0")) == 0);
  return empty ? tree.make(Kind::Null) : nullptr;
}

}  // namespace

const JsonNode* coerce_value(const JsonNode& value, TypeSet type, JsonTree& tree) {
  switch (type) {
    case kStringType:
      return to_string(value, tree);
    case kNumberType:
      return to_number(value, false, tree);
    case kIntegerType:
      return to_number(value, true, tree);
    case kBooleanType:
      return to_boolean(value, tree);
    case kNullType:
      return to_null(value, tree);
    default:
      return nullptr;
  }
}

}  // namespace toolgate
