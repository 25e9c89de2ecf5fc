// See program.h; also the words of types.h.
#include "schema/program.h"

#include "base/json_pointer.h"

namespace toolgate {

namespace {

struct TypeName {
  std::string_view name;
  TypeSet type;
};
constexpr std::array kTypeNames{
    TypeName{"null", kNullType},       TypeName{"boolean", kBooleanType},
    TypeName{"integer", kIntegerType}, TypeName{"number", kNumberType},
    TypeName{"string", kStringType},   TypeName{"array", kArrayType},
    TypeName{"object", kObjectType},
};

constexpr std::array<std::string_view, static_cast<std::size_t>(Op::UnevaluatedProperties) + 1>
    kKeywords{"$dynamicRef",
              "$ref",
              "const",
              "enum",
              "not",
              "anyOf",
              "oneOf",
              "allOf",
              "if",
              "maximum",
              "minimum",
              "exclusiveMaximum",
              "exclusiveMinimum",
              "multipleOf",
              "maxLength",
              "minLength",
              "pattern",
              "format",
              "maxItems",
              "minItems",
              "prefixItems",
              "items",
              "contains",
              "uniqueItems",
              "unevaluatedItems",
              "maxProperties",
              "minProperties",
              "required",
              "propertyNames",
              "additionalProperties",
              "dependencies",
              "properties",
              "patternProperties",
              "dependentRequired",
              "dependentSchemas",
              "unevaluatedProperties"};

}  // namespace

TypeSet type_named(std::string_view name) {
  for (const auto& each : kTypeNames) {
    if (each.name == name) return each.type;
  }
  return 0;
}

std::string describe_types(TypeSet types) {
  std::string out;
  for (const auto& each : kTypeNames) {
    if ((types & each.type) == 0) continue;
    if (!out.empty()) out += ',';
    out += each.name;
  }
  return out;
}

TypeSet types_of(const JsonNode& value) {
  switch (value.kind) {
    case JsonNode::Kind::Null:
      return kNullType;
    case JsonNode::Kind::Bool:
      return kBooleanType;
    case JsonNode::Kind::Number:
      return is_whole(value.text) ? kIntegerType | kNumberType : kNumberType;
    case JsonNode::Kind::String:
      return kStringType;
    case JsonNode::Kind::Array:
      return kArrayType;
    case JsonNode::Kind::Object:
      return kObjectType;
  }
  return 0;
}

Group group_of(Op op) {
  if (op <= Op::If) return Group::Any;
  if (op <= Op::MultipleOf) return Group::Number;
  if (op <= Op::Format) return Group::String;
  if (op <= Op::UnevaluatedItems) return Group::Array;
  return Group::Object;
}

std::string_view keyword_of(Op op) {
  return kKeywords[static_cast<std::size_t>(op)];
}

std::string Schema::location(SubschemaId id) const {
  std::vector<const Origin*> way;
  for (const Origin* at = &origins[id];; at = &origins[at->parent]) {
    way.push_back(at);
    if (at->parent == kNone) break;
  }
  std::string out = way.back()->is_pointer ? std::string(way.back()->keyword) : "#";
  for (std::size_t i = way.size() - 1; i-- > 0;) {
    const Origin& origin = *way[i];
    append_pointer_step(out, origin.keyword);
    if (origin.index != kNone) append_pointer_step(out, std::to_string(origin.index));
    // A member may have the empty name.
    if (origin.index == kNone && origin.name.data() != nullptr)
      append_pointer_step(out, origin.name);
  }
  return out;
}

bool Schema::accepts_all(SubschemaId id) const {
  const Subschema& sub = subschemas[id];
  if (sub.literal != Literal::None) return sub.literal == Literal::True;
  return sub.types == 0 && origins[id].groups == 0;
}

}  // namespace toolgate
