#include "gateway/settings_families.h"

namespace toolgate {
namespace {

Result<SchemaChanges> read_changes(const SettingsValue& value) {
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of changes: {}", schema_change_names());
  SchemaChanges changes = 0;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto item = value.item(i);
    const auto* name = item.value().if_string();
    const auto change = name ? schema_change_named(*name) : std::nullopt;
    if (!change) return item.fail("must be one of {}", schema_change_names());
    changes |= *change;
  }
  return changes;
}

Result<void> read_member(const SettingsValue& member, std::string_view key, FamilyRule& rule,
                         const WarnAt& warn) {
  if (key == "add") return keep(read_changes(member), rule.add);
  if (key == "remove") return keep(read_changes(member), rule.remove);
  if (key == "prefix" || key == "contains") {
    rule.match =
        key == "prefix" ? FamilyRule::Match::Prefix : FamilyRule::Match::ContainsIgnoringCase;
    return keep(read_text(member), rule.text);
  }
  warn(member, "is no member of a family and is ignored");
  return {};
}

Result<FamilyRule> read_family(const SettingsValue& value, const WarnAt& warn) {
  const auto* object = value.value().if_object();
  if (!object || object->contains("prefix") == object->contains("contains"))
    return value.fail("must be an object with either \"prefix\" or \"contains\"");
  FamilyRule rule;
  for (const auto& [key, unused] : *object)
    if (auto read = read_member(value.member(key), key, rule, warn); !read)
      return std::unexpected(std::move(read.error()));
  if (rule.add == 0 && rule.remove == 0)
    return value.fail("needs \"add\" or \"remove\" with changes: {}", schema_change_names());
  return rule;
}

}  // namespace

Result<std::vector<FamilyRule>> read_families(const SettingsValue& list, const WarnAt& warn) {
  const auto* array = list.value().if_array();
  if (!array) return list.fail("must be a list of families");
  std::vector<FamilyRule> rules;
  for (std::size_t i = 0; i < array->size(); ++i) {
    auto rule = read_family(list.item(i), warn);
    if (!rule) return std::unexpected(std::move(rule.error()));
    rules.push_back(std::move(*rule));
  }
  return rules;
}

}  // namespace toolgate
