// See keywords.h.
#include "schema/keywords.h"

#include <array>

#include "schema/key_table.h"
#include "schema/program.h"

namespace toolgate {

namespace {

enum class Vocabulary : std::uint8_t { Core, Applicator, Unevaluated, Validation };

struct Entry {
  std::string_view name;
  Keyword keyword;
  Vocabulary vocabulary;
  bool draft7;
  bool draft2020;
};

using enum Vocabulary;

constexpr std::array kEntries{
    Entry{"$id", Keyword::Id, Core, true, true},
    Entry{"$anchor", Keyword::Anchor, Core, false, true},
    Entry{"$dynamicAnchor", Keyword::DynamicAnchor, Core, false, true},
    Entry{"$ref", Keyword::Ref, Core, true, true},
    Entry{"$dynamicRef", Keyword::DynamicRef, Core, false, true},
    Entry{"$defs", Keyword::Definitions, Core, false, true},
    Entry{"definitions", Keyword::Definitions, Core, true, true},
    Entry{"type", Keyword::Type, Validation, true, true},
    Entry{"const", Keyword::Const, Validation, true, true},
    Entry{"enum", Keyword::Enum, Validation, true, true},
    Entry{"not", Keyword::Not, Applicator, true, true},
    Entry{"anyOf", Keyword::AnyOf, Applicator, true, true},
    Entry{"oneOf", Keyword::OneOf, Applicator, true, true},
    Entry{"allOf", Keyword::AllOf, Applicator, true, true},
    Entry{"if", Keyword::If, Applicator, true, true},
    Entry{"then", Keyword::ThenElse, Applicator, true, true},
    Entry{"else", Keyword::ThenElse, Applicator, true, true},
    Entry{"contentSchema", Keyword::ContentSchema, Core, false, true},
    Entry{"maximum", Keyword::Maximum, Validation, true, true},
    Entry{"minimum", Keyword::Minimum, Validation, true, true},
    Entry{"exclusiveMaximum", Keyword::ExclusiveMaximum, Validation, true, true},
    Entry{"exclusiveMinimum", Keyword::ExclusiveMinimum, Validation, true, true},
    Entry{"multipleOf", Keyword::MultipleOf, Validation, true, true},
    Entry{"maxLength", Keyword::MaxLength, Validation, true, true},
    Entry{"minLength", Keyword::MinLength, Validation, true, true},
    Entry{"pattern", Keyword::Pattern, Validation, true, true},
    Entry{"format", Keyword::Format, Core, true, true},
    Entry{"maxItems", Keyword::MaxItems, Validation, true, true},
    Entry{"minItems", Keyword::MinItems, Validation, true, true},
    Entry{"prefixItems", Keyword::PrefixItems, Applicator, false, true},
    Entry{"items", Keyword::Items, Applicator, true, true},
    Entry{"additionalItems", Keyword::AdditionalItems, Applicator, true, true},
    Entry{"contains", Keyword::Contains, Applicator, true, true},
    Entry{"minContains", Keyword::ContainsLimit, Validation, false, true},
    Entry{"maxContains", Keyword::ContainsLimit, Validation, false, true},
    Entry{"uniqueItems", Keyword::UniqueItems, Validation, true, true},
    Entry{"unevaluatedItems", Keyword::UnevaluatedItems, Unevaluated, false, true},
    Entry{"maxProperties", Keyword::MaxProperties, Validation, true, true},
    Entry{"minProperties", Keyword::MinProperties, Validation, true, true},
    Entry{"required", Keyword::Required, Validation, true, true},
    Entry{"propertyNames", Keyword::PropertyNames, Applicator, true, true},
    Entry{"additionalProperties", Keyword::AdditionalProperties, Applicator, true, true},
    Entry{"dependencies", Keyword::Dependencies, Applicator, true, true},
    Entry{"properties", Keyword::Properties, Applicator, true, true},
    Entry{"patternProperties", Keyword::PatternProperties, Applicator, true, true},
    Entry{"dependentRequired", Keyword::DependentRequired, Validation, false, true},
    Entry{"dependentSchemas", Keyword::DependentSchemas, Applicator, false, true},
    Entry{"unevaluatedProperties", Keyword::UnevaluatedProperties, Unevaluated, false, true},
};

const KeyTable& entry_table() {
  static const KeyTable table = [] {
    KeyTable made;
    made.reserve(kEntries.size());
    for (std::uint32_t i = 0; i < kEntries.size(); ++i) made.add(kEntries[i].name, i);
    return made;
  }();
  return table;
}

bool is_on(Vocabulary vocabulary, const Vocabularies& on) {
  switch (vocabulary) {
    case Core:
      return true;
    case Applicator:
      return on.applicator;
    case Unevaluated:
      return on.unevaluated;
    case Validation:
      return on.validation;
  }
  return true;
}

constexpr std::uint8_t bit(Group group) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(group));
}

}  // namespace

std::uint8_t groups_used(Keyword keyword) {
  if (keyword < Keyword::Ref || keyword == Keyword::Definitions || keyword == Keyword::Type)
    return 0;
  if (keyword == Keyword::Format) return bit(Group::Number) | bit(Group::String);
  if (keyword < Keyword::Maximum) return bit(Group::Any);
  if (keyword < Keyword::MaxLength) return bit(Group::Number);
  if (keyword < Keyword::MaxItems) return bit(Group::String);
  return keyword < Keyword::MaxProperties ? bit(Group::Array) : bit(Group::Object);
}

Keyword find_keyword(std::string_view name, Dialect dialect, const Vocabularies& vocabularies) {
  const std::uint32_t index = entry_table().find(name);
  if (index == KeyTable::kMissing) return Keyword::Unknown;
  const Entry& entry = kEntries[index];
  const bool known = dialect == Dialect::Draft7 ? entry.draft7 : entry.draft2020;
  return known && is_on(entry.vocabulary, vocabularies) ? entry.keyword : Keyword::Unknown;
}

}  // namespace toolgate
