// A compiled schema: one entry per subschema, each with its rules in the order in which Ajv runs
// them. compile.cpp and its parts fill it; match.cpp and report.cpp run it. Immutable once made.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_number.h"
#include "base/json_tree.h"
#include "schema/formats.h"
#include "schema/key_table.h"
#include "schema/pattern.h"
#include "schema/types.h"

namespace toolgate {

using SubschemaId = std::uint32_t;
inline constexpr std::uint32_t kNone = UINT32_MAX;

// In running order; the groups are those of Ajv: any value, then by type of the value.
enum class Op : std::uint8_t {
  DynamicRef,  // a: the target as it stands, b: index into dynamic_names or kNone
  Ref,         // a: target
  Const,       // a: index into values
  Enum,        // a: index into enums
  Not,         // a: subschema
  AnyOf,       // a: first of lists, b: count
  OneOf,
  AllOf,
  If,       // a: index into conditions
  Maximum,  // a: index into numbers
  Minimum,
  ExclusiveMaximum,
  ExclusiveMinimum,
  MultipleOf,
  MaxLength,  // a: limit, b: index into numbers
  MinLength,
  Pattern,   // a: index into patterns
  Format,    // a: a Format
  MaxItems,  // like MaxLength
  MinItems,
  PrefixItems,  // a: first of lists, b: count; also a list-valued `items`
  Items,        // a: subschema, b: where it begins; also `additionalItems`
  Contains,     // a: index into contains
  UniqueItems,
  UnevaluatedItems,  // a: subschema
  MaxProperties,     // like MaxLength
  MinProperties,
  Required,              // the names are in the subschema's ObjectRules, as for the next ones
  PropertyNames,         // a: subschema
  AdditionalProperties,  // a: subschema
  Dependencies,          // a: first of dependencies, b: count
  Properties,
  PatternProperties,
  DependentRequired,      // like Dependencies
  DependentSchemas,       // like Dependencies
  UnevaluatedProperties,  // a: subschema
};

enum class Group : std::uint8_t { Any, Number, String, Array, Object };
inline constexpr std::size_t kGroups = 5;
Group group_of(Op op);
std::string_view keyword_of(Op op);

struct Rule {
  Op op = Op::Ref;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

enum class Literal : std::uint8_t { None, True, False };

// What the fast path reads.
struct Subschema {
  Literal literal = Literal::None;
  TypeSet types = 0;                           // 0: any
  bool tracks = false;                         // has an `unevaluated…` rule
  std::array<std::uint8_t, kGroups> counts{};  // rules of each group
  std::uint32_t rules = 0;                     // index of the first one
  std::uint32_t object = kNone;                // index into objects
  std::uint32_t resource = 0;
};

// Where a subschema was written: for messages and schema paths.
struct Origin {
  const JsonNode* node = nullptr;
  SubschemaId parent = kNone;   // kNone: the root of a document
  std::string_view keyword;     // static: "properties"; or a whole pointer where `is_pointer`
  std::string_view name;        // of the member below it
  std::uint32_t index = kNone;  // of the item below it
  std::uint8_t groups = 0;      // bits by Group: those that Ajv would run, if only for naught
  bool is_pointer = false;
  bool has_reference = false;  // it or something inside refers to another schema
};

struct Property {
  std::string_view name;
  SubschemaId schema = kNone;      // kNone: only required
  std::uint32_t required = kNone;  // position in ObjectRules::required
};

struct PatternProperty {
  std::uint32_t pattern = 0;
  SubschemaId schema = 0;
};

// The member rules of one subschema, joined for a single pass over an object.
struct ObjectRules {
  static constexpr std::size_t kFewNames = 4;  // up to here no table is needed

  std::vector<Property> properties;     // in schema order; those only required at the end
  std::uint32_t defined = 0;            // how many of them stand in `properties`
  KeyTable table;                       // name to index of the above
  std::vector<std::uint32_t> required;  // indexes of properties, in schema order
  std::vector<PatternProperty> patterns;
  SubschemaId additional = kNone;

  // Index of the property of that name, or kNone.
  std::uint32_t find(std::string_view name) const {
    if (!table.empty()) return table.find(name);
    for (std::uint32_t i = 0; i < properties.size(); ++i) {
      if (properties[i].name == name) return i;
    }
    return kNone;
  }
};

struct EnumRule {
  const JsonNode* list = nullptr;
  bool only_strings = false;
  KeyTable strings;  // filled for long lists of strings
};

struct Condition {
  SubschemaId test = 0;
  SubschemaId then = kNone;
  SubschemaId otherwise = kNone;
};

struct ContainsRule {
  SubschemaId schema = 0;
  std::uint32_t least = 1;
  std::uint32_t most = kNone;
};

struct Dependency {
  std::string_view name;
  const JsonNode* required = nullptr;  // a list of names, or
  SubschemaId schema = kNone;
};

class Schema {
 public:
  std::vector<Subschema> subschemas;  // 0 is the root
  std::vector<Origin> origins;        // one for each
  std::vector<Rule> rules;
  std::vector<ObjectRules> objects;
  std::vector<SubschemaId> lists;
  std::vector<const JsonNode*> values;
  std::vector<EnumRule> enums;
  std::vector<JsonNumber> numbers;
  std::vector<std::shared_ptr<const Pattern>> patterns;
  std::vector<Condition> conditions;
  std::vector<ContainsRule> contains;
  std::vector<Dependency> dependencies;
  std::vector<std::string_view> dynamic_names;
  // Where a `$dynamicAnchor` leads, by resource and name.
  std::map<std::pair<std::uint32_t, std::string_view>, SubschemaId> dynamic_anchors;

  Dialect dialect = Dialect::Mixed;
  std::string text;  // what `tree` refers to
  JsonTree tree;     // every node and text above lives here or in an embedded metaschema

  // "#/properties/a" of a subschema.
  std::string location(SubschemaId id) const;
  // True when it accepts everything because it says nothing.
  bool accepts_all(SubschemaId id) const;
};

}  // namespace toolgate
