// See match.h. Order does not matter to a verdict, so object rules run in one pass.
#include "schema/match.h"

#include "schema/leaf.h"

namespace toolgate {

namespace {
using Kind = JsonNode::Kind;
}  // namespace

bool Matcher::match(SubschemaId id, const JsonNode& value, Evaluated* evaluated, bool in_place) {
  const Subschema& sub = schema_.subschemas[id];
  if (sub.literal != Literal::None) return sub.literal == Literal::True;
  bool fits = false;
  if (budget_.enter(in_place) && (sub.types == 0 || type_fits(budget_, sub.types, value))) {
    if (dynamic_ || sub.tracks) [[unlikely]] {
      fits = match_scoped(sub, value, evaluated);
    } else {
      fits = run_rules(sub, value, evaluated);
    }
  }
  budget_.leave(in_place);
  return fits;
}

bool Matcher::match_scoped(const Subschema& sub, const JsonNode& value, Evaluated* evaluated) {
  const DynamicScope scope{scope_, sub.resource};
  const DynamicScope* const before = scope_;
  if (scope_ == nullptr || scope_->resource != sub.resource) scope_ = &scope;
  const bool fits =
      sub.tracks ? match_tracked(sub, value, evaluated) : run_rules(sub, value, evaluated);
  scope_ = before;
  return fits;
}

bool Matcher::match_tracked(const Subschema& sub, const JsonNode& value, Evaluated* evaluated) {
  if (!budget_.spend(Evaluated::steps(value.size))) return false;
  Evaluated own(value.size);
  if (!run_rules(sub, value, &own)) return false;
  if (evaluated != nullptr) evaluated->merge(own);
  return true;
}

bool Matcher::run_rules(const Subschema& sub, const JsonNode& value, Evaluated* evaluated) {
  const Rule* rule = schema_.rules.data() + sub.rules;
  for (std::size_t i = 0; i < sub.counts[0]; ++i, ++rule) {
    if (!any_rule(*rule, value, evaluated)) return false;
  }
  const Group group = group_of(value.kind);
  if (group == Group::Any) return true;
  for (std::size_t g = 1; g < static_cast<std::size_t>(group); ++g) rule += sub.counts[g];
  const Rule* const end = rule + sub.counts[static_cast<std::size_t>(group)];
  if (rule == end) return true;
  switch (group) {
    case Group::Number: {
      const JsonNumber number(value.text);
      for (; rule != end; ++rule) {
        const JsonNumber& limit = schema_.numbers[rule->a];
        if (!budget_.spend(number_steps(rule->op, number, limit))) return false;
        if (!number_fits(rule->op, number, limit)) return false;
      }
      return true;
    }
    case Group::String:
      for (; rule != end; ++rule) {
        if (!string_rule(*rule, value.text)) return false;
      }
      return true;
    case Group::Array:
      for (; rule != end; ++rule) {
        if (!array_rule(*rule, value, evaluated)) return false;
      }
      return true;
    default:
      if (sub.object != kNone && !members(schema_.objects[sub.object], value, evaluated)) {
        return false;
      }
      for (; rule != end; ++rule) {
        if (!object_rule(*rule, value, evaluated)) return false;
      }
      return true;
  }
}

bool Matcher::any_rule(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  switch (rule.op) {
    case Op::DynamicRef:
      return match(dynamic_target(schema_, rule, scope_, budget_), value, evaluated, true);
    case Op::Ref:
      return match(rule.a, value, evaluated, true);
    case Op::Const:
      return equal_within(budget_, *schema_.values[rule.a], value);
    case Op::Enum:
      return enum_holds(budget_, schema_.enums[rule.a], value);
    case Op::Not:
      return !match(rule.a, value, nullptr, true) && !budget_.stopped();
    case Op::AnyOf:
      return any_of(rule, value, evaluated);
    case Op::OneOf:
      return one_of(rule, value, evaluated);
    case Op::AllOf:
      return all_of(rule, value, evaluated);
    default:
      return condition(rule, value, evaluated);
  }
}

// What a branch has evaluated counts only if it fits.
bool Matcher::try_branch(SubschemaId id, const JsonNode& value, Evaluated* evaluated) {
  if (evaluated == nullptr) return match(id, value, nullptr, true);
  if (!budget_.spend(Evaluated::steps(value.size))) return false;
  Evaluated own(value.size);
  if (!match(id, value, &own, true)) return false;
  evaluated->merge(own);
  return true;
}

bool Matcher::any_of(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  bool fits = false;
  if (!budget_.spend(rule.b / 16)) return false;
  for (std::uint32_t i = 0; i < rule.b && !budget_.stopped(); ++i) {
    if (!try_branch(schema_.lists[rule.a + i], value, evaluated)) continue;
    fits = true;
    if (evaluated == nullptr) break;
  }
  return fits;
}

bool Matcher::one_of(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  std::uint32_t fitting = 0;
  if (!budget_.spend(rule.b / 16)) return false;
  for (std::uint32_t i = 0; i < rule.b && !budget_.stopped(); ++i) {
    if (try_branch(schema_.lists[rule.a + i], value, evaluated) && ++fitting > 1) return false;
  }
  return fitting == 1;
}

bool Matcher::all_of(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  if (!budget_.spend(rule.b / 16)) return false;
  for (std::uint32_t i = 0; i < rule.b; ++i) {
    if (!match(schema_.lists[rule.a + i], value, evaluated, true)) return false;
  }
  return true;
}

bool Matcher::condition(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  const Condition& condition = schema_.conditions[rule.a];
  const bool holds = try_branch(condition.test, value, evaluated);
  const SubschemaId next = holds ? condition.then : condition.otherwise;
  return next == kNone || match(next, value, evaluated, true);
}

bool Matcher::string_rule(const Rule& rule, std::string_view text) {
  switch (rule.op) {
    case Op::MaxLength:
      return budget_.spend_bytes(text.size()) && !is_longer(text, rule.a);
    case Op::MinLength:
      return budget_.spend_bytes(text.size()) && !is_shorter(text, rule.a);
    case Op::Pattern:
      return budget_.matches(*schema_.patterns[rule.a], text);
    default:
      return format_fits(budget_, static_cast<Format>(rule.a), text);
  }
}

bool Matcher::array_rule(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  switch (rule.op) {
    case Op::MaxItems:
      return value.size <= rule.a;
    case Op::MinItems:
      return value.size >= rule.a;
    case Op::PrefixItems:
      return prefix_items(rule, value, evaluated);
    case Op::Items:
      return items(rule, value, evaluated);
    case Op::Contains:
      return contains(rule, value, evaluated);
    case Op::UniqueItems:
      return !find_equal_items(budget_, value) && !budget_.stopped();
    default:
      return unevaluated(rule, value, evaluated);
  }
}

bool Matcher::prefix_items(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  std::uint32_t index = 0;
  for (const JsonNode* item = value.first; item && index < rule.b; item = item->next, ++index) {
    if (!match_below(schema_.lists[rule.a + index], *item)) return false;
    if (evaluated != nullptr) evaluated->mark(index);
  }
  return true;
}

bool Matcher::items(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  if (!budget_.spend(value.size / 16)) return false;
  std::uint32_t index = 0;
  for (const JsonNode* item = value.first; item; item = item->next, ++index) {
    if (index >= rule.b && !match_below(rule.a, *item)) return false;
  }
  if (evaluated != nullptr) evaluated->mark_all();
  return true;
}

bool Matcher::contains(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  const ContainsRule& contains = schema_.contains[rule.a];
  if (!budget_.spend(value.size / 16)) return false;
  std::uint32_t found = 0;
  std::uint32_t index = 0;
  for (const JsonNode* item = value.first; item; item = item->next, ++index) {
    if (!match_below(contains.schema, *item)) continue;
    ++found;
    if (evaluated != nullptr) evaluated->mark(index);
    if (evaluated == nullptr && contains.most == kNone && found >= contains.least) break;
  }
  return found >= contains.least && found <= contains.most;
}

// Of items and of members.
bool Matcher::unevaluated(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  if (!budget_.spend(value.size / 16)) return false;
  std::uint32_t index = 0;
  for (const JsonNode* child = value.first; child; child = child->next, ++index) {
    if (!evaluated->has(index) && !match_below(rule.a, *child)) return false;
  }
  evaluated->mark_all();
  return true;
}

bool Matcher::object_rule(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  switch (rule.op) {
    case Op::MaxProperties:
      return value.size <= rule.a;
    case Op::MinProperties:
      return value.size >= rule.a;
    case Op::PropertyNames:
      return property_names(rule, value);
    case Op::Dependencies:
    case Op::DependentRequired:
    case Op::DependentSchemas:
      return dependencies(rule, value, evaluated);
    case Op::UnevaluatedProperties:
      return unevaluated(rule, value, evaluated);
    default:
      return true;  // members() has done these
  }
}

bool Matcher::members(const ObjectRules& rules, const JsonNode& value, Evaluated* evaluated) {
  if (!budget_.spend(value.size / 4)) return false;
  std::uint32_t missing = static_cast<std::uint32_t>(rules.required.size());
  std::uint32_t expected = 0;  // members mostly come in the schema's order
  std::uint32_t index = 0;
  for (const JsonNode* member = value.first; member; member = member->next, ++index) {
    if (!budget_.spend(member->key.size() / 64)) return false;
    std::uint32_t found = expected;
    if (found >= rules.properties.size() || rules.properties[found].name != member->key) {
      found = rules.find(member->key);
    }
    bool defined = false;
    if (found != kNone) {
      const Property& property = rules.properties[found];
      expected = found + 1;
      if (property.required != kNone) --missing;
      if (property.schema != kNone) {
        defined = true;
        if (!match_below(property.schema, *member)) return false;
        if (evaluated != nullptr) evaluated->mark(index);
      }
    }
    if (!other_member(rules, *member, defined, index, evaluated)) return false;
  }
  return missing == 0;
}

// The patterns, and `additionalProperties` where no other keyword knows the member.
bool Matcher::other_member(const ObjectRules& rules, const JsonNode& member, bool defined,
                           std::uint32_t index, Evaluated* evaluated) {
  for (const PatternProperty& pattern : rules.patterns) {
    if (!budget_.matches(*schema_.patterns[pattern.pattern], member.key)) {
      if (budget_.stopped()) return false;
      continue;
    }
    defined = true;
    if (!match_below(pattern.schema, member)) return false;
    if (evaluated != nullptr) evaluated->mark(index);
  }
  if (defined || rules.additional == kNone) return true;
  if (!match_below(rules.additional, member)) return false;
  if (evaluated != nullptr) evaluated->mark(index);
  return true;
}

bool Matcher::property_names(const Rule& rule, const JsonNode& value) {
  if (!budget_.spend(value.size / 16)) return false;
  JsonNode name;
  name.kind = Kind::String;
  for (const JsonNode* member = value.first; member; member = member->next) {
    name.text = member->key;
    if (!match_below(rule.a, name)) return false;
  }
  return true;
}

bool Matcher::dependencies(const Rule& rule, const JsonNode& value, Evaluated* evaluated) {
  for (std::uint32_t i = 0; i < rule.b; ++i) {
    const Dependency& dependency = schema_.dependencies[rule.a + i];
    if (!budget_.spend(1 + value.size / 16)) return false;
    if (value.find(dependency.name) == nullptr) continue;
    if (dependency.required == nullptr) {
      if (!match(dependency.schema, value, evaluated, true)) return false;
      continue;
    }
    for (const JsonNode* name = dependency.required->first; name; name = name->next) {
      if (!budget_.spend(1 + value.size / 16) || value.find(name->text) == nullptr) return false;
    }
  }
  return true;
}

}  // namespace toolgate
