// Compiling, the inner part: what each keyword becomes in the program.
#include <algorithm>
#include <cmath>

#include "schema/compiler.h"

namespace toolgate {

namespace {

using Kind = JsonNode::Kind;

constexpr std::uint32_t kLongEnum = 8;
// Division of longer numbers would take more time than a check may.
constexpr std::size_t kDivisorDigits = 400;
// A few bytes of a pattern can stand for thousands of compiled ones, and every pattern will take
// time when it is first used.
constexpr std::size_t kMostPatternBytes = std::size_t{32} << 20;
constexpr std::size_t kBytesAroundPattern = 1024;

std::uint32_t last_index(const auto& list) {
  return static_cast<std::uint32_t>(list.size() - 1);
}

}  // namespace

void Compiler::apply(Draft& draft, Keyword keyword, const JsonNode& value) {
  const auto add = [&](Op op, std::uint32_t a) { draft.rules.push_back({op, a, 0}); };
  const auto add_child = [&](Op op, std::string_view name) { add(op, child(draft, value, name)); };
  switch (keyword) {
    case Keyword::Unknown:
    case Keyword::Id:
    case Keyword::ContainsLimit:
      return;
    case Keyword::Anchor:
      return add_anchor(draft, value, false);
    case Keyword::DynamicAnchor:
      return add_anchor(draft, value, true);
    case Keyword::Ref:
      return add_reference(draft, Op::Ref, value);
    case Keyword::DynamicRef:
      return add_reference(draft, Op::DynamicRef, value);
    case Keyword::Definitions:
      return add_definitions(draft, value);
    case Keyword::Type:
      return add_types(draft, value);
    case Keyword::Const:
      out_.values.push_back(&value);
      return add(Op::Const, last_index(out_.values));
    case Keyword::Enum:
      return add_enum(draft, value);
    case Keyword::Not:
      return add_child(Op::Not, "not");
    case Keyword::AnyOf:
      return add_branches(draft, Op::AnyOf, value, "anyOf");
    case Keyword::OneOf:
      return add_branches(draft, Op::OneOf, value, "oneOf");
    case Keyword::AllOf:
      return add_branches(draft, Op::AllOf, value, "allOf");
    case Keyword::If:
      return add_condition(draft, value);
    case Keyword::ThenElse:  // with an `if` it belongs to that; alone it may be referred to
      if (draft.node.find("if") != nullptr) return;
      child(draft, value, value.key == "then" ? "then" : "else");
      return;
    case Keyword::ContentSchema:
      child(draft, value, "contentSchema");
      return;
    case Keyword::Maximum:
      return add_number(draft, Op::Maximum, value);
    case Keyword::Minimum:
      return add_number(draft, Op::Minimum, value);
    case Keyword::ExclusiveMaximum:
      return add_number(draft, Op::ExclusiveMaximum, value);
    case Keyword::ExclusiveMinimum:
      return add_number(draft, Op::ExclusiveMinimum, value);
    case Keyword::MultipleOf:
      return add_number(draft, Op::MultipleOf, value);
    case Keyword::MaxLength:
      return add_count(draft, Op::MaxLength, value);
    case Keyword::MinLength:
      return add_count(draft, Op::MinLength, value);
    case Keyword::Pattern:
      return add_pattern(draft, value);
    case Keyword::Format:
      return add_format(draft, value);
    case Keyword::MaxItems:
      return add_count(draft, Op::MaxItems, value);
    case Keyword::MinItems:
      return add_count(draft, Op::MinItems, value);
    case Keyword::PrefixItems:
      return add_branches(draft, Op::PrefixItems, value, "prefixItems");
    case Keyword::Items:
      return add_items(draft, value);
    case Keyword::AdditionalItems: {
      const JsonNode* list = draft.node.find("items");
      if (list == nullptr || !list->is(Kind::Array)) return;
      draft.rules.push_back({Op::Items, child(draft, value, "additionalItems"), list->size});
      return;
    }
    case Keyword::Contains:
      return add_contains(draft, value);
    case Keyword::UniqueItems:
      if (!expect(draft, value, Kind::Bool, "a boolean")) return;
      if (value.truth) add(Op::UniqueItems, 0);
      return;
    case Keyword::UnevaluatedItems:
      return add_child(Op::UnevaluatedItems, "unevaluatedItems");
    case Keyword::MaxProperties:
      return add_count(draft, Op::MaxProperties, value);
    case Keyword::MinProperties:
      return add_count(draft, Op::MinProperties, value);
    case Keyword::Required:
      return add_required(draft, value);
    case Keyword::PropertyNames:
      return add_child(Op::PropertyNames, "propertyNames");
    case Keyword::AdditionalProperties:
      return add_additional(draft, value);
    case Keyword::Dependencies:
      return add_dependencies(draft, Op::Dependencies, value);
    case Keyword::Properties:
      return add_properties(draft, value);
    case Keyword::PatternProperties:
      return add_pattern_properties(draft, value);
    case Keyword::DependentRequired:
      return add_dependencies(draft, Op::DependentRequired, value);
    case Keyword::DependentSchemas:
      return add_dependencies(draft, Op::DependentSchemas, value);
    case Keyword::UnevaluatedProperties:
      return add_child(Op::UnevaluatedProperties, "unevaluatedProperties");
  }
}

SubschemaId Compiler::child(Draft& draft, const JsonNode& node, std::string_view keyword,
                            std::string_view name, std::uint32_t index) {
  Origin origin{.node = &node, .parent = draft.id, .keyword = keyword, .name = name};
  origin.index = index;
  return walk(node, origin, draft.resource);
}

bool Compiler::expect(Draft& draft, const JsonNode& value, Kind kind, std::string_view shape) {
  if (value.is(kind)) return true;
  refuse(draft.id, value.key, "'{}' must be {}", value.key, shape);
  return false;
}

bool Compiler::expect_names(Draft& draft, const JsonNode& value) {
  if (!value.is(Kind::Array)) {
    refuse(draft.id, value.key, "'{}' must be a list of property names", value.key);
    return false;
  }
  for (const JsonNode* name = value.first; name; name = name->next) {
    if (name->is(Kind::String)) continue;
    refuse(draft.id, value.key, "'{}' must hold only property names", value.key);
    return false;
  }
  return true;
}

void Compiler::add_reference(Draft& draft, Op op, const JsonNode& value) {
  if (!expect(draft, value, Kind::String, "a URI reference")) return;
  draft.has_reference = true;
  draft.rules.push_back({op, 0, kNone});
  pending_.push_back({draft.id, op, value.text});
}

void Compiler::add_anchor(Draft& draft, const JsonNode& value, bool dynamic) {
  if (!expect(draft, value, Kind::String, "a name")) return;
  anchors_.emplace(std::pair(draft.resource, value.text), draft.id);
  if (!dynamic) return;
  draft.has_reference = true;
  out_.dynamic_anchors.insert_or_assign({draft.resource, value.text}, draft.id);
}

void Compiler::add_definitions(Draft& draft, const JsonNode& value) {
  if (!expect(draft, value, Kind::Object, "an object of schemas")) return;
  const std::string_view keyword = value.key == "$defs" ? "$defs" : "definitions";
  for (const JsonNode* each = value.first; each && !failed(); each = each->next) {
    child(draft, *each, keyword, each->key);
  }
}

void Compiler::add_types(Draft& draft, const JsonNode& value) {
  const auto add = [&](const JsonNode& word) {
    const TypeSet type = word.is(Kind::String) ? type_named(word.text) : TypeSet{0};
    if (type == 0) {
      refuse(draft.id, "type", "{} is not a type", write_json(word));
      return;
    }
    draft.types |= type;
  };
  if (value.is(Kind::Array) && value.size > 0) {
    for (const JsonNode* word = value.first; word; word = word->next) add(*word);
  } else {
    add(value);
  }
  const JsonNode* nullable = draft.node.find("nullable");
  if (nullable != nullptr && nullable->is(Kind::Bool) && nullable->truth) draft.types |= kNullType;
}

void Compiler::add_enum(Draft& draft, const JsonNode& value) {
  if (!expect(draft, value, Kind::Array, "a list")) return;
  EnumRule rule;
  rule.list = &value;
  rule.only_strings = true;
  for (const JsonNode* each = value.first; each; each = each->next) {
    rule.only_strings &= each->is(Kind::String);
  }
  if (rule.only_strings && value.size > kLongEnum) {
    rule.strings.reserve(value.size);
    for (const JsonNode* each = value.first; each; each = each->next) {
      rule.strings.add(each->text, 0);
    }
  }
  out_.enums.push_back(std::move(rule));
  draft.rules.push_back({Op::Enum, last_index(out_.enums), 0});
}

void Compiler::add_branches(Draft& draft, Op op, const JsonNode& value, std::string_view keyword) {
  if (!value.is(Kind::Array) || (value.size == 0 && op != Op::PrefixItems)) {
    refuse(draft.id, value.key, "'{}' must be a list of at least one schema", value.key);
    return;
  }
  // The places are taken first: branches have lists of their own.
  const auto first = static_cast<std::uint32_t>(out_.lists.size());
  out_.lists.resize(first + value.size);
  std::uint32_t index = 0;
  for (const JsonNode* each = value.first; each && !failed(); each = each->next, ++index) {
    const SubschemaId id = child(draft, *each, keyword, {}, index);
    out_.lists[first + index] = id;
  }
  draft.rules.push_back({op, first, value.size});
}

void Compiler::add_condition(Draft& draft, const JsonNode& value) {
  Condition condition;
  condition.test = child(draft, value, "if");
  if (const JsonNode* then = draft.node.find("then")) condition.then = child(draft, *then, "then");
  if (const JsonNode* otherwise = draft.node.find("else")) {
    condition.otherwise = child(draft, *otherwise, "else");
  }
  out_.conditions.push_back(condition);
  draft.rules.push_back({Op::If, last_index(out_.conditions), 0});
}

void Compiler::add_number(Draft& draft, Op op, const JsonNode& value) {
  if (value.is(Kind::Bool) && (op == Op::ExclusiveMaximum || op == Op::ExclusiveMinimum)) {
    refuse(draft.id, value.key, "'{}' must be a number; the boolean form is draft-04's", value.key);
    return;
  }
  if (!expect(draft, value, Kind::Number, "a number")) return;
  const JsonNumber number(value.text);
  if (op == Op::MultipleOf && compare(number, JsonNumber("0")) <= 0) {
    refuse(draft.id, value.key, "'multipleOf' must be over 0");
    return;
  }
  if (op == Op::MultipleOf && value.text.size() > kDivisorDigits) {
    refuse(draft.id, value.key, "'multipleOf' must have at most {} digits", kDivisorDigits);
    return;
  }
  out_.numbers.push_back(number);
  draft.rules.push_back({op, last_index(out_.numbers), 0});
}

std::uint32_t Compiler::count_of(Draft& draft, const JsonNode& value) {
  const double count = value.is(Kind::Number) && is_whole(value.text) ? to_double(value.text) : -1;
  if (count < 0) {
    refuse(draft.id, value.key, "'{}' must be a whole number of at least 0", value.key);
    return 0;
  }
  return count >= kNone ? kNone : static_cast<std::uint32_t>(count);
}

void Compiler::add_count(Draft& draft, Op op, const JsonNode& value) {
  const std::uint32_t count = count_of(draft, value);
  if (failed()) return;
  out_.numbers.emplace_back(value.text);
  draft.rules.push_back({op, count, last_index(out_.numbers)});
}

std::uint32_t Compiler::make_pattern(Draft& draft, const JsonNode& at, std::string_view text) {
  auto pattern = Pattern::make(text);
  if (!pattern) {
    refuse(draft.id, at.key, "'{}' is not a regular expression: {}", text, pattern.error().message);
    return 0;
  }
  pattern_bytes_ += (*pattern)->bytes() + kBytesAroundPattern;
  if (pattern_bytes_ > kMostPatternBytes) {
    error_ = Error{
        Errc::TooLarge,
        fmt::format("schema is too large: its patterns take over {} bytes", kMostPatternBytes),
        out_.location(draft.id)};
    return 0;
  }
  out_.patterns.push_back(std::move(*pattern));
  return last_index(out_.patterns);
}

void Compiler::add_pattern(Draft& draft, const JsonNode& value) {
  if (!expect(draft, value, Kind::String, "a regular expression")) return;
  draft.rules.push_back({Op::Pattern, make_pattern(draft, value, value.text), 0});
}

void Compiler::add_format(Draft& draft, const JsonNode& value) {
  if (!expect(draft, value, Kind::String, "a word")) return;
  if (!resources_[draft.resource].vocabularies.assert_formats) return;
  const Format format = format_named(value.text);
  if (format == Format::Unknown) return;
  draft.rules.push_back({Op::Format, static_cast<std::uint32_t>(format), 0});
}

void Compiler::add_items(Draft& draft, const JsonNode& value) {
  if (value.is(Kind::Array)) return add_branches(draft, Op::PrefixItems, value, "items");
  const JsonNode* prefix = draft.node.find("prefixItems");
  const bool after_prefix = prefix != nullptr && prefix->is(Kind::Array) &&
                            resources_[draft.resource].dialect != Dialect::Draft7;
  const SubschemaId items = child(draft, value, "items");
  draft.rules.push_back({Op::Items, items, after_prefix ? prefix->size : 0});
}

void Compiler::add_contains(Draft& draft, const JsonNode& value) {
  ContainsRule rule;
  rule.schema = child(draft, value, "contains");
  if (resources_[draft.resource].dialect != Dialect::Draft7 &&
      resources_[draft.resource].vocabularies.validation) {
    if (const JsonNode* least = draft.node.find("minContains"))
      rule.least = count_of(draft, *least);
    if (const JsonNode* most = draft.node.find("maxContains")) rule.most = count_of(draft, *most);
  }
  out_.contains.push_back(rule);
  draft.rules.push_back({Op::Contains, last_index(out_.contains), 0});
}

// `properties` and `required` fill one table, whichever comes first.
ObjectRules& Compiler::object_rules(Draft& draft) {
  if (draft.object != kNone) return out_.objects[draft.object];
  out_.objects.emplace_back();
  draft.object = last_index(out_.objects);
  return out_.objects.back();
}

void Compiler::add_properties(Draft& draft, const JsonNode& value) {
  if (!expect(draft, value, Kind::Object, "an object of schemas")) return;
  std::vector<SubschemaId> schemas;
  schemas.reserve(value.size);
  for (const JsonNode* each = value.first; each; each = each->next) {
    schemas.push_back(child(draft, *each, "properties", each->key));
    if (failed()) return;
  }
  ObjectRules& rules = object_rules(draft);
  rules.properties.reserve(value.size);
  std::size_t index = 0;
  for (const JsonNode* each = value.first; each; each = each->next) {
    rules.properties.push_back({each->key, schemas[index++], kNone});
  }
  rules.defined = value.size;
  draft.rules.push_back({Op::Properties, 0, 0});
}

void Compiler::add_required(Draft& draft, const JsonNode& value) {
  if (!expect_names(draft, value)) return;
  object_rules(draft);
  draft.required = &value;
  draft.rules.push_back({Op::Required, 0, 0});
}

void Compiler::add_pattern_properties(Draft& draft, const JsonNode& value) {
  if (!expect(draft, value, Kind::Object, "an object of schemas")) return;
  object_rules(draft);
  for (const JsonNode* each = value.first; each; each = each->next) {
    const std::uint32_t pattern = make_pattern(draft, value, each->key);
    if (failed()) return;
    const SubschemaId schema = child(draft, *each, "patternProperties", each->key);
    object_rules(draft).patterns.push_back({pattern, schema});
  }
  draft.rules.push_back({Op::PatternProperties, 0, 0});
}

void Compiler::add_additional(Draft& draft, const JsonNode& value) {
  const SubschemaId schema = child(draft, value, "additionalProperties");
  object_rules(draft).additional = schema;
  draft.rules.push_back({Op::AdditionalProperties, schema, 0});
}

// Lists of names come before schemas, as Ajv runs them.
void Compiler::add_dependencies(Draft& draft, Op op, const JsonNode& value) {
  if (!expect(draft, value, Kind::Object, "an object")) return;
  std::vector<Dependency> found;
  for (const JsonNode* each = value.first; each && !failed(); each = each->next) {
    const bool names =
        op == Op::DependentRequired || (op == Op::Dependencies && each->is(Kind::Array));
    if (!names) continue;
    if (!expect_names(draft, *each)) return;
    found.push_back({each->key, each, kNone});
  }
  for (const JsonNode* each = value.first; each && !failed(); each = each->next) {
    if (op == Op::DependentRequired || (op == Op::Dependencies && each->is(Kind::Array))) continue;
    found.push_back({each->key, nullptr, child(draft, *each, keyword_of(op), each->key)});
  }
  const auto first = static_cast<std::uint32_t>(out_.dependencies.size());
  out_.dependencies.insert(out_.dependencies.end(), found.begin(), found.end());
  draft.rules.push_back({op, first, static_cast<std::uint32_t>(found.size())});
}

void Compiler::finish_object(Draft& draft) {
  ObjectRules& rules = out_.objects[draft.object];
  const std::size_t names =
      rules.properties.size() + (draft.required == nullptr ? 0 : draft.required->size);
  if (names > ObjectRules::kFewNames) {
    rules.table.reserve(names);
    for (std::uint32_t i = 0; i < rules.properties.size(); ++i) {
      rules.table.add(rules.properties[i].name, i);
    }
  }
  if (draft.required == nullptr) return;
  rules.required.reserve(draft.required->size);
  for (const JsonNode* name = draft.required->first; name; name = name->next) {
    std::uint32_t index = rules.find(name->text);
    if (index == kNone) {
      index = static_cast<std::uint32_t>(rules.properties.size());
      rules.properties.push_back({name->text, kNone, kNone});
      if (!rules.table.empty()) rules.table.add(name->text, index);
    }
    if (rules.properties[index].required != kNone) continue;
    rules.properties[index].required = static_cast<std::uint32_t>(rules.required.size());
    rules.required.push_back(index);
  }
}

}  // namespace toolgate
