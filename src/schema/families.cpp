#include "schema/families.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace toolgate {
namespace {

using Match = FamilyRule::Match;

struct BuiltIn {
  Match match;
  std::string_view text;
  SchemaChanges add;
};

constexpr std::array kBuiltIn{
    BuiltIn{Match::Prefix, "", kDropRootCombinators | kDropUnknownRequired},
    BuiltIn{Match::Prefix, "gpt-4", kCutDescriptions | kDropKeywords | kTuplesToAnyOf},
    BuiltIn{Match::Prefix, "claude-", kTuplesToAnyOf},
    BuiltIn{Match::Prefix, "o4", kTuplesToAnyOf},
    BuiltIn{Match::ContainsIgnoringCase, "gemini", kNullableFlag},
};

struct Name {
  std::string_view name;
  SchemaChanges change;
};

constexpr std::array kNames{
    Name{"cutDescriptions", kCutDescriptions},
    Name{"dropKeywords", kDropKeywords},
    Name{"dropRootCombinators", kDropRootCombinators},
    Name{"dropUnknownRequired", kDropUnknownRequired},
    Name{"tuplesToAnyOf", kTuplesToAnyOf},
    Name{"nullableFlag", kNullableFlag},
};

bool matches(Match match, std::string_view text, std::string_view family) {
  if (match == Match::Prefix) return family.starts_with(text);
  const auto found = std::search(family.begin(), family.end(), text.begin(), text.end(),
                                 [](char a, char b) { return ascii_lower(a) == ascii_lower(b); });
  return found != family.end() || text.empty();
}

}  // namespace

std::optional<SchemaChanges> schema_change_named(std::string_view name) {
  for (const Name& known : kNames)
    if (known.name == name) return known.change;
  return std::nullopt;
}

std::string schema_change_names() {
  std::string names;
  for (const Name& known : kNames) {
    if (!names.empty()) names += ", ";
    names += known.name;
  }
  return names;
}

SchemaChanges Families::changes_for(std::string_view family) const {
  SchemaChanges changes = 0;
  for (const BuiltIn& rule : kBuiltIn)
    if (matches(rule.match, rule.text, family)) changes |= rule.add;
  for (const FamilyRule& rule : added_)
    if (matches(rule.match, rule.text, family)) changes = (changes | rule.add) & ~rule.remove;
  return changes;
}

}  // namespace toolgate
