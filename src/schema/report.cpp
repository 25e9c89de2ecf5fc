// The thorough check: types, coercion, references and the rules for single values. Combinators are
// in report_branches.cpp, arrays and objects in report_children.cpp.
#include "schema/report.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/json_number.h"
#include "schema/coerce.h"
#include "schema/leaf.h"

namespace toolgate {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kLongestList = 200;
// Finding words takes longer than most rules.
constexpr std::uint64_t kStepsPerFault = 20;

std::string kind_word(const JsonNode& value) {
  switch (value.kind) {
    case Kind::Null:
      return "null";
    case Kind::Bool:
      return "boolean";
    case Kind::Number:
      return "number";
    case Kind::String:
      return "string";
    case Kind::Array:
      return "array";
    case Kind::Object:
      return "object";
  }
  return {};
}

// Cut at a character's end.
std::string shorten(std::string text) {
  if (text.size() <= kLongestList) return text;
  std::size_t end = kLongestList;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  text.resize(end);
  return text + " …";
}

std::string list_values(const JsonNode& list) {
  std::string out;
  for (const JsonNode* each = list.first; each && out.size() <= kLongestList; each = each->next) {
    if (!out.empty()) out += ", ";
    append_json(out, *each);
  }
  return shorten(std::move(out));
}

// As `type` was written: "string", or "string,null".
std::string type_words(const JsonNode& type) {
  if (type.is(Kind::String)) return std::string(type.text);
  std::string out;
  for (const JsonNode* word = type.first; word; word = word->next) {
    if (!out.empty()) out += ',';
    out += word->text;
  }
  return out;
}

}  // namespace

void Reporter::run(JsonNode& value) {
  check(Visit{.id = 0, .value = value}, false);
}

Verdict Reporter::check_below(SubschemaId id, JsonNode& value, const Place& place) {
  const auto before = budget_.descend();
  const Verdict verdict = check(Visit{.id = id, .value = value, .place = &place}, false);
  budget_.ascend(before);
  return verdict;
}

Verdict Reporter::check(const Visit& visit, bool in_place) {
  const Subschema& sub = schema_.subschemas[visit.id];
  if (sub.literal == Literal::True) return Verdict::Pass;
  if (sub.literal == Literal::False) return false_schema(visit);
  Verdict verdict = Verdict::Fail;
  if (budget_.enter(in_place)) verdict = check_object_schema(visit);
  budget_.leave(in_place);
  return verdict;
}

Verdict Reporter::false_schema(const Visit& visit) {
  return report(visit, {.keyword = "false schema",
                        .message = "boolean schema is false",
                        .sentence = "is not allowed here"});
}

Verdict Reporter::check_object_schema(const Visit& visit) {
  const Subschema& sub = schema_.subschemas[visit.id];
  const DynamicScope scope{scope_, sub.resource};
  const DynamicScope* const before = scope_;
  if (scope_ == nullptr || scope_->resource != sub.resource) scope_ = &scope;
  Verdict verdict = Verdict::Pass;
  if (sub.tracks) {
    Evaluated own(visit.value.size);
    verdict = run_rules(Visit{visit.id, visit.value, visit.place, &own});
    if (visit.evaluated != nullptr) visit.evaluated->merge(own);
  } else {
    verdict = run_rules(visit);
  }
  scope_ = before;
  return verdict;
}

// Ajv tests a single type together with the rules of that type, after those for any value, unless
// the type can be coerced to.
bool Reporter::type_comes_late(SubschemaId id, Group& group) const {
  if (!first_only_) return false;
  switch (schema_.subschemas[id].types) {
    case kNumberType:
      group = Group::Number;
      break;
    case kStringType:
      group = Group::String;
      break;
    case kArrayType:
      group = Group::Array;
      break;
    case kObjectType:
      group = Group::Object;
      break;
    default:
      return false;
  }
  if (options_.coerce && (group == Group::Number || group == Group::String)) return false;
  return (schema_.origins[id].groups >> static_cast<unsigned>(group) & 1U) != 0;
}

Verdict Reporter::run_rules(const Visit& visit) {
  const Subschema& sub = schema_.subschemas[visit.id];
  Group late = Group::Any;
  const bool type_late = type_comes_late(visit.id, late);
  if (sub.types != 0 && !type_late) {
    const Verdict verdict = check_type(visit);
    // Inside a combinator Ajv looks for errors only after the rules for any value.
    if (verdict == Verdict::Fail && first_only_) {
      return worse(verdict, run_group(visit, Group::Any));
    }
    if (verdict != Verdict::Pass) return verdict;
  }
  Verdict verdict = run_group(visit, Group::Any);
  if (ends(verdict)) return verdict;
  const Group own = group_of(visit.value.kind);
  if (type_late && own > late) {
    verdict = worse(verdict, check_type(visit));
    if (ends(verdict)) return verdict;
  }
  if (own != Group::Any) verdict = worse(verdict, run_group(visit, own));
  if (ends(verdict)) return verdict;
  if (type_late && own < late) verdict = worse(verdict, check_type(visit));
  return verdict;
}

Verdict Reporter::run_group(const Visit& visit, Group group) {
  const Subschema& sub = schema_.subschemas[visit.id];
  std::uint32_t first = sub.rules;
  for (std::size_t g = 0; g < static_cast<std::size_t>(group); ++g) first += sub.counts[g];
  const std::uint32_t end = first + sub.counts[static_cast<std::size_t>(group)];
  Verdict all = Verdict::Pass;
  for (std::uint32_t i = first; i < end; ++i) {
    const Rule& rule = schema_.rules[i];
    Verdict verdict = Verdict::Pass;
    switch (group) {
      case Group::Any:
        verdict = any_rule(visit, rule);
        break;
      case Group::Number:
        verdict = number_rule(visit, rule);
        break;
      case Group::String:
        verdict = string_rule(visit, rule);
        break;
      case Group::Array:
        verdict = array_rule(visit, rule);
        break;
      case Group::Object:
        verdict = object_rule(visit, rule);
        break;
    }
    all = worse(all, verdict);
    if (ends(all)) break;
  }
  return all;
}

Verdict Reporter::check_type(const Visit& visit) {
  const Subschema& sub = schema_.subschemas[visit.id];
  if (type_fits(sub.types, visit.value)) return Verdict::Pass;
  if (coerces_ && coerce(visit)) return Verdict::Pass;
  const std::string wanted = type_words(*schema_.origins[visit.id].node->find("type"));
  return report(visit, {.keyword = "type",
                        .message = "must be " + wanted,
                        .sentence = fmt::format(
                            "must be {}, not {}", wanted,
                            visit.value.is(Kind::Number) && wanted.find("integer") != wanted.npos
                                ? "a number with a fraction"
                                : kind_word(visit.value)),
                        .expected = sub.types});
}

bool Reporter::coerce(const Visit& visit) {
  const JsonNode& type = *schema_.origins[visit.id].node->find("type");
  const JsonNode* made = nullptr;
  std::string_view word;
  if (type.is(Kind::String)) {
    word = type.text;
    made = coerce_value(visit.value, type_named(word), tree_);
  } else {
    for (const JsonNode* each = type.first; each && made == nullptr; each = each->next) {
      word = each->text;
      made = coerce_value(visit.value, type_named(word), tree_);
    }
  }
  if (made == nullptr) return false;
  if (name_owner_ == nullptr) {
    out_.repairs.push_back({path_of(visit.place), write_json(visit.value), write_json(*made),
                            fmt::format("the schema wants {}", word)});
  }
  JsonTree::replace(visit.value, *made);
  return true;
}

// Ajv compiles a schema with references in it as a function of its own; others are put in place.
Verdict Reporter::refer(const Visit& visit, SubschemaId target) {
  const Visit next{target, visit.value, visit.place, visit.evaluated};
  if (!schema_.origins[target].has_reference || !first_only_) return check(next, true);
  const bool in_branch = std::exchange(in_branch_, false);
  const std::size_t start = std::exchange(function_start_, out_.faults.size());
  const Verdict verdict = check(next, true);
  in_branch_ = in_branch;
  function_start_ = start;
  return verdict == Verdict::Returned ? Verdict::Fail : verdict;
}

bool Reporter::try_silently(const Visit& visit, SubschemaId id) {
  const Mark before = mark();
  const bool first_only = std::exchange(first_only_, true);
  const bool in_branch = std::exchange(in_branch_, true);
  Evaluated own(visit.evaluated != nullptr ? visit.value.size : 0);
  const Verdict verdict =
      check(Visit{id, visit.value, visit.place, visit.evaluated != nullptr ? &own : nullptr}, true);
  first_only_ = first_only;
  in_branch_ = in_branch;
  go_back(before);
  if (verdict != Verdict::Pass) return false;
  if (visit.evaluated != nullptr) visit.evaluated->merge(own);
  return true;
}

Verdict Reporter::const_rule(const Visit& visit, const Rule& rule) {
  const JsonNode& wanted = *schema_.values[rule.a];
  if (equal(wanted, visit.value)) return Verdict::Pass;
  return report(visit, {.keyword = "const",
                        .message = "must be equal to constant",
                        .sentence = "must be " + shorten(write_json(wanted))});
}

Verdict Reporter::enum_rule(const Visit& visit, const Rule& rule) {
  const EnumRule& list = schema_.enums[rule.a];
  if (!budget_.spend(list.list->size / 16)) return Verdict::Fail;
  if (enum_holds(list, visit.value)) return Verdict::Pass;
  return report(visit, {.keyword = "enum",
                        .message = "must be equal to one of the allowed values",
                        .sentence = "must be one of " + list_values(*list.list)});
}

Verdict Reporter::not_rule(const Visit& visit, const Rule& rule) {
  const Visit blind{visit.id, visit.value, visit.place, nullptr};
  if (!try_silently(blind, rule.a)) return Verdict::Pass;
  return report(visit, {.keyword = "not",
                        .message = "must NOT be valid",
                        .sentence = "must not match the schema under 'not'"});
}

Verdict Reporter::any_rule(const Visit& visit, const Rule& rule) {
  switch (rule.op) {
    case Op::DynamicRef:
      return refer(visit, dynamic_target(schema_, rule, scope_));
    case Op::Ref:
      return refer(visit, rule.a);
    case Op::Const:
      return const_rule(visit, rule);
    case Op::Enum:
      return enum_rule(visit, rule);
    case Op::Not:
      return not_rule(visit, rule);
    case Op::AnyOf:
      return any_of(visit, rule);
    case Op::OneOf:
      return one_of(visit, rule);
    case Op::AllOf:
      return all_of(visit, rule);
    default:
      return condition(visit, rule);
  }
}

Verdict Reporter::number_rule(const Visit& visit, const Rule& rule) {
  const JsonNumber number(visit.value.text);
  const JsonNumber& limit = schema_.numbers[rule.a];
  if (!number.small && !budget_.spend(visit.value.text.size())) return Verdict::Fail;
  if (number_fits(rule.op, number, limit)) return Verdict::Pass;
  static constexpr std::string_view kWords[] = {"<=", ">=", "<", ">", "multiple of"};
  const auto word = kWords[static_cast<int>(rule.op) - static_cast<int>(Op::Maximum)];
  const double value = to_double(limit.text);
  const bool exact = limit.small || !std::isfinite(value);
  return report(visit,
                {.keyword = keyword_of(rule.op),
                 .message = fmt::format("must be {} {}", word,
                                        exact ? std::string(limit.text) : javascript_text(value))});
}

std::string Reporter::limit_text(const Rule& rule) const {
  const JsonNumber& limit = schema_.numbers[rule.b];
  return limit.small ? std::string(limit.text) : javascript_text(to_double(limit.text));
}

Verdict Reporter::string_rule(const Visit& visit, const Rule& rule) {
  const std::string_view text = visit.value.text;
  switch (rule.op) {
    case Op::MaxLength:
      if (!is_longer(text, rule.a)) return Verdict::Pass;
      return report(
          visit, {.keyword = "maxLength",
                  .message = fmt::format("must NOT have more than {} characters", limit_text(rule)),
                  .sentence = fmt::format("must have at most {} characters, has {}",
                                          limit_text(rule), count_characters(text))});
    case Op::MinLength:
      if (!is_shorter(text, rule.a)) return Verdict::Pass;
      return report(visit, {.keyword = "minLength",
                            .message = fmt::format("must NOT have fewer than {} characters",
                                                   limit_text(rule)),
                            .sentence = fmt::format("must have at least {} characters, has {}",
                                                    limit_text(rule), count_characters(text))});
    case Op::Pattern: {
      const Pattern& pattern = *schema_.patterns[rule.a];
      if (budget_.matches(pattern, text)) return Verdict::Pass;
      return report(visit, {.keyword = "pattern",
                            .message = fmt::format("must match pattern \"{}\"", pattern.source())});
    }
    default: {
      if (matches_format(static_cast<Format>(rule.a), text)) return Verdict::Pass;
      const JsonNode& format = *schema_.origins[visit.id].node->find("format");
      return report(visit, {.keyword = "format",
                            .message = fmt::format("must match format \"{}\"", format.text)});
    }
  }
}

Verdict Reporter::report(const Visit& visit, Words words, bool appended) {
  if (budget_.stopped() || !budget_.spend(kStepsPerFault)) return Verdict::Fail;
  const bool returns = first_only_ && !in_branch_;
  if (returns && !appended) {
    out_.faults.resize(function_start_);
    out_.left_out = 0;
  }
  if (out_.faults.size() >= options_.max_faults) {
    ++out_.left_out;
    return returns ? Verdict::Returned : Verdict::Fail;
  }
  Fault fault;
  fault.path = path_of(visit.place);
  fault.schema_path = schema_.location(visit.id) + '/' + std::string(words.keyword);
  fault.keyword = words.keyword;
  fault.sentence = words.sentence.empty() ? words.message : std::move(words.sentence);
  fault.message = std::move(words.message);
  fault.property = std::move(words.property);
  fault.node = name_owner_ != nullptr ? name_owner_ : &visit.value;
  fault.expected = words.expected;
  fault.branch_depth = branch_depth_;
  out_.faults.push_back(std::move(fault));
  return returns ? Verdict::Returned : Verdict::Fail;
}

void Reporter::go_back(const Mark& mark) {
  out_.faults.resize(std::min(out_.faults.size(), mark.faults));
  out_.left_out = mark.left_out;
}

std::string Reporter::path_of(const Place* place) const {
  std::vector<const Place*> way;
  for (; place != nullptr; place = place->above) way.push_back(place);
  std::string out;
  for (std::size_t i = way.size(); i-- > 0;) {
    out += '/';
    if (way[i]->index != kNone) {
      out += std::to_string(way[i]->index);
      continue;
    }
    for (const char c : way[i]->key) {
      if (c == '~') {
        out += "~0";
      } else if (c == '/') {
        out += "~1";
      } else {
        out += c;
      }
    }
  }
  return out;
}

}  // namespace toolgate
