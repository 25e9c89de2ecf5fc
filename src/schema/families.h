// Which models want which changes to a tool's schema: a table of model families that settings may
// extend. normalize.h applies the changes; the gateway asks with the family of the chosen model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

// Changes that a family may want. What every family needs (an object at the root, a description,
// a valid schema, items for arrays) is no choice and has no flag.
using SchemaChanges = std::uint32_t;
inline constexpr SchemaChanges kCutDescriptions = 1;  // at 1024 UTF-16 units
inline constexpr SchemaChanges kDropKeywords = 2;     // the 20 that gpt-4 refuses
inline constexpr SchemaChanges kDropRootCombinators = 4;
inline constexpr SchemaChanges kDropUnknownRequired = 8;
inline constexpr SchemaChanges kTuplesToAnyOf = 16;
inline constexpr SchemaChanges kNullableFlag = 32;  // OpenAPI's, instead of a type list

// The flag of a name as settings write it ("cutDescriptions"), or nothing.
std::optional<SchemaChanges> schema_change_named(std::string_view name);
// All names, for messages.
std::string schema_change_names();

struct FamilyRule {
  enum class Match : std::uint8_t { Prefix, ContainsIgnoringCase };

  Match match = Match::Prefix;
  std::string text;
  SchemaChanges add = 0;
  SchemaChanges remove = 0;
};

class Families {
 public:
  Families() = default;
  explicit Families(std::vector<FamilyRule> added) : added_(std::move(added)) {}

  // Every row that matches counts, the built-in ones first, then the added ones in order.
  SchemaChanges changes_for(std::string_view family) const;

 private:
  std::vector<FamilyRule> added_;
};

}  // namespace toolgate
