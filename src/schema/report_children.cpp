// The thorough check: the keywords of arrays and objects.
#include <algorithm>
#include <utility>
#include <vector>

#include "schema/leaf.h"
#include "schema/report.h"

namespace toolgate {

namespace {

using Kind = JsonNode::Kind;

std::string join_names(const JsonNode& names) {
  std::string out;
  for (const JsonNode* name = names.first; name; name = name->next) {
    if (!out.empty()) out += ", ";
    out += name->text;
  }
  return out;
}

}  // namespace

// The functions that go deeper hold no words of their own: those take room on the stack.
Judgement Reporter::size_rule(const Visit& visit, const Rule& rule, std::string_view what) {
  const std::uint32_t size = visit.value.size;
  const bool most = rule.op == Op::MaxItems || rule.op == Op::MaxProperties;
  if (most ? size <= rule.a : size >= rule.a) return Judgement::Pass;
  const std::string limit = limit_text(rule);
  return report(visit, {.keyword = keyword_of(rule.op),
                        .message = fmt::format("must NOT have {} than {} {}",
                                               most ? "more" : "fewer", limit, what),
                        .sentence = fmt::format("must have at {} {} {}, has {}",
                                                most ? "most" : "least", limit, what, size)});
}

Judgement Reporter::unique_items(const Visit& visit) {
  const auto twins = find_equal_items(budget_, visit.value);
  if (!twins) return Judgement::Pass;
  return report(visit, {.keyword = "uniqueItems",
                        .message = fmt::format(
                            "must NOT have duplicate items (items ## {} and {} are identical)",
                            twins->second, twins->first),
                        .sentence = fmt::format("must not have equal items; items {} and {} are",
                                                twins->second, twins->first)});
}

Judgement Reporter::no_more_items(const Visit& visit, const Rule& rule) {
  if (visit.value.size <= rule.b) return Judgement::Pass;
  return report(visit, {.keyword = schema_.origins[rule.a].keyword,
                        .message = fmt::format("must NOT have more than {} items", rule.b),
                        .sentence = fmt::format("must have at most {} items, has {}", rule.b,
                                                visit.value.size)});
}

Judgement Reporter::array_rule(const Visit& visit, const Rule& rule) {
  if (!budget_.spend(visit.value.size / 16)) return Judgement::Fail;
  switch (rule.op) {
    case Op::MaxItems:
    case Op::MinItems:
      return size_rule(visit, rule, "items");
    case Op::PrefixItems:
      return prefix_items(visit, rule);
    case Op::Items:
      return items(visit, rule);
    case Op::Contains:
      return contains(visit, rule);
    case Op::UniqueItems:
      return unique_items(visit);
    default:
      return unevaluated_items(visit, rule);
  }
}

Judgement Reporter::prefix_items(const Visit& visit, const Rule& rule) {
  Judgement all = Judgement::Pass;
  std::uint32_t index = 0;
  for (JsonNode* item = visit.value.first; item && index < rule.b; item = item->next, ++index) {
    const Place place{visit.place, {}, index};
    all = worse(all, check_below(schema_.lists[rule.a + index], *item, place));
    if (visit.evaluated != nullptr) visit.evaluated->mark(index);
    if (ends(all)) break;
  }
  return all;
}

Judgement Reporter::items(const Visit& visit, const Rule& rule) {
  if (visit.evaluated != nullptr) visit.evaluated->mark_all();
  // A tuple without room for more is one fault, however many there are.
  if (rule.b > 0 && schema_.subschemas[rule.a].literal == Literal::False) {
    return no_more_items(visit, rule);
  }
  Judgement all = Judgement::Pass;
  std::uint32_t index = 0;
  for (JsonNode* item = visit.value.first; item; item = item->next, ++index) {
    if (index < rule.b) continue;
    const Place place{visit.place, {}, index};
    all = worse(all, check_below(rule.a, *item, place));
    if (ends(all)) break;
  }
  return all;
}

Judgement Reporter::contains(const Visit& visit, const Rule& rule) {
  const ContainsRule& contains = schema_.contains[rule.a];
  const Mark before = mark();
  const bool in_branch = std::exchange(in_branch_, true);
  ++branch_depth_;
  std::uint32_t found = 0;
  std::uint32_t index = 0;
  for (JsonNode* item = visit.value.first; item; item = item->next, ++index) {
    const Place place{visit.place, {}, index};
    if (check_below(contains.schema, *item, place) != Judgement::Pass) continue;
    ++found;
    if (visit.evaluated != nullptr) visit.evaluated->mark(index);
    const bool enough = contains.most == kNone ? found >= contains.least : found > contains.most;
    if (enough && visit.evaluated == nullptr) break;
  }
  --branch_depth_;
  in_branch_ = in_branch;
  if (found >= contains.least && found <= contains.most) {
    go_back(before);
    return Judgement::Pass;
  }
  if (!first_only_) go_back(before);  // why single items do not fit is noise
  if (contains.most == kNone) {
    return report(
        visit, {.keyword = "contains",
                .message = fmt::format("must contain at least {} valid item(s)", contains.least)});
  }
  return report(
      visit, {.keyword = "contains",
              .message = fmt::format("must contain at least {} and no more than {} valid item(s)",
                                     contains.least, contains.most)});
}

Judgement Reporter::unevaluated_items(const Visit& visit, const Rule& rule) {
  Judgement all = Judgement::Pass;
  const bool refused = schema_.subschemas[rule.a].literal == Literal::False;
  std::uint32_t index = 0;
  for (JsonNode* item = visit.value.first; item; item = item->next, ++index) {
    if (visit.evaluated->has(index)) continue;
    if (refused) {
      all = report(visit, {.keyword = "unevaluatedItems",
                           .message = fmt::format("must NOT have more than {} items", index),
                           .sentence = fmt::format("must not have item {}", index)});
      break;
    }
    const Place place{visit.place, {}, index};
    all = worse(all, check_below(rule.a, *item, place));
    if (ends(all)) break;
  }
  visit.evaluated->mark_all();
  return all;
}

Judgement Reporter::object_rule(const Visit& visit, const Rule& rule) {
  if (!budget_.spend(visit.value.size / 4)) return Judgement::Fail;
  switch (rule.op) {
    case Op::MaxProperties:
    case Op::MinProperties:
      return size_rule(visit, rule, "properties");
    case Op::Required:
      return required(visit);
    case Op::PropertyNames:
      return property_names(visit, rule);
    case Op::AdditionalProperties:
      return additional_properties(visit, rule);
    case Op::Properties:
      return properties(visit);
    case Op::PatternProperties:
      return pattern_properties(visit);
    case Op::UnevaluatedProperties:
      return unevaluated_properties(visit, rule);
    default:
      return dependencies(visit, rule);
  }
}

Judgement Reporter::required(const Visit& visit) {
  const ObjectRules& rules = schema_.objects[schema_.subschemas[visit.id].object];
  Judgement all = Judgement::Pass;
  for (const std::uint32_t index : rules.required) {
    if (!budget_.spend(1 + visit.value.size / 16)) return Judgement::Fail;
    const std::string_view name = rules.properties[index].name;
    if (visit.value.find(name) != nullptr) continue;
    all =
        worse(all, report(visit, {.keyword = "required",
                                  .message = fmt::format("must have required property '{}'", name),
                                  .property = std::string(name)}));
    if (ends(all)) break;
  }
  return all;
}

Judgement Reporter::property_names(const Visit& visit, const Rule& rule) {
  Judgement all = Judgement::Pass;
  for (const JsonNode* member = visit.value.first; member; member = member->next) {
    JsonNode name;
    name.kind = Kind::String;
    name.text = member->key;
    const bool in_branch = std::exchange(in_branch_, true);
    JsonNode* const owner = name_owner_;
    if (name_owner_ == nullptr) name_owner_ = &visit.value;
    ++branch_depth_;
    const auto before = budget_.descend();
    const Judgement verdict = check(Visit{rule.a, name, visit.place, nullptr}, false);
    budget_.ascend(before);
    --branch_depth_;
    name_owner_ = owner;
    in_branch_ = in_branch;
    if (verdict == Judgement::Pass) continue;
    all = worse(all, report_extra(visit, {.keyword = "propertyNames",
                                          .message = "property name must be valid",
                                          .sentence = fmt::format("has the property name '{}', "
                                                                  "which is not allowed",
                                                                  member->key),
                                          .property = std::string(member->key)}));
    if (ends(all)) break;
  }
  return all;
}

// Whether `properties` or `patternProperties` know the name.
bool Reporter::is_defined(const ObjectRules& rules, std::string_view name) {
  if (!budget_.spend(name.size() / 64)) return true;
  const std::uint32_t index = rules.find(name);
  if (index != kNone && rules.properties[index].schema != kNone) return true;
  for (const PatternProperty& pattern : rules.patterns) {
    if (budget_.matches(*schema_.patterns[pattern.pattern], name)) return true;
  }
  return false;
}

Judgement Reporter::refuse_member(const Visit& visit, Op op, std::string_view name) {
  return report(visit,
                {.keyword = keyword_of(op),
                 .message = op == Op::AdditionalProperties ? "must NOT have additional properties"
                                                           : "must NOT have unevaluated properties",
                 .sentence = fmt::format("must not have the property '{}'", name),
                 .property = std::string(name)});
}

// A member that only `additionalProperties` or `unevaluatedProperties` knows.
Judgement Reporter::other_member(const Visit& visit, const Rule& rule, JsonNode& member) {
  if (schema_.subschemas[rule.a].literal == Literal::False) {
    return refuse_member(visit, rule.op, member.key);
  }
  const Place place{visit.place, member.key};
  return check_below(rule.a, member, place);
}

Judgement Reporter::additional_properties(const Visit& visit, const Rule& rule) {
  const ObjectRules& rules = schema_.objects[schema_.subschemas[visit.id].object];
  Judgement all = Judgement::Pass;
  std::uint32_t index = 0;
  for (JsonNode* member = visit.value.first; member; member = member->next, ++index) {
    if (is_defined(rules, member->key)) continue;
    if (visit.evaluated != nullptr) visit.evaluated->mark(index);
    all = worse(all, other_member(visit, rule, *member));
    if (ends(all)) break;
  }
  return all;
}

Judgement Reporter::dependencies(const Visit& visit, const Rule& rule) {
  Judgement all = Judgement::Pass;
  for (std::uint32_t i = 0; i < rule.b && !ends(all); ++i) {
    const Dependency& dependency = schema_.dependencies[rule.a + i];
    if (!budget_.spend(1 + visit.value.size / 16)) return Judgement::Fail;
    if (visit.value.find(dependency.name) == nullptr) continue;
    if (dependency.required == nullptr) {
      const Visit next{dependency.schema, visit.value, visit.place, visit.evaluated};
      all = worse(all, check(next, true));
      continue;
    }
    for (const JsonNode* name = dependency.required->first; name; name = name->next) {
      if (!budget_.spend(1 + visit.value.size / 16)) return Judgement::Fail;
      if (visit.value.find(name->text) != nullptr) continue;
      all =
          worse(all, report(visit, {.keyword = keyword_of(rule.op),
                                    .message = fmt::format(
                                        "must have {} {} when property {} is present",
                                        dependency.required->size == 1 ? "property" : "properties",
                                        join_names(*dependency.required), dependency.name),
                                    .property = std::string(name->text)}));
      break;
    }
  }
  return all;
}

Judgement Reporter::properties(const Visit& visit) {
  const ObjectRules& rules = schema_.objects[schema_.subschemas[visit.id].object];
  // In the schema's order, not the input's: the first fault must be Ajv's.
  std::vector<std::pair<std::uint32_t, JsonNode*>> present;
  present.reserve(visit.value.size);
  std::uint32_t index = 0;
  for (JsonNode* member = visit.value.first; member; member = member->next, ++index) {
    if (!budget_.spend(member->key.size() / 64)) return Judgement::Fail;
    const std::uint32_t found = rules.find(member->key);
    if (found == kNone || found >= rules.defined) continue;
    if (visit.evaluated != nullptr) visit.evaluated->mark(index);
    present.emplace_back(found, member);
  }
  std::ranges::sort(present);
  Judgement all = Judgement::Pass;
  for (const auto& [property, member] : present) {
    const Place place{visit.place, member->key};
    all = worse(all, check_below(rules.properties[property].schema, *member, place));
    if (ends(all)) break;
  }
  return all;
}

Judgement Reporter::pattern_properties(const Visit& visit) {
  const ObjectRules& rules = schema_.objects[schema_.subschemas[visit.id].object];
  Judgement all = Judgement::Pass;
  for (const PatternProperty& pattern : rules.patterns) {
    std::uint32_t index = 0;
    for (JsonNode* member = visit.value.first; member; member = member->next, ++index) {
      if (!budget_.matches(*schema_.patterns[pattern.pattern], member->key)) continue;
      if (visit.evaluated != nullptr) visit.evaluated->mark(index);
      const Place place{visit.place, member->key};
      all = worse(all, check_below(pattern.schema, *member, place));
      if (ends(all)) return all;
    }
    if (ends(all)) return all;
  }
  return all;
}

Judgement Reporter::unevaluated_properties(const Visit& visit, const Rule& rule) {
  Judgement all = Judgement::Pass;
  std::uint32_t index = 0;
  for (JsonNode* member = visit.value.first; member; member = member->next, ++index) {
    if (visit.evaluated->has(index)) continue;
    all = worse(all, other_member(visit, rule, *member));
    if (ends(all)) break;
  }
  visit.evaluated->mark_all();
  return all;
}

}  // namespace toolgate
