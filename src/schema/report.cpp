// The thorough check: types, coercion, references and the rules for single values. Combinators are
// in report_branches.cpp, arrays and objects in report_children.cpp.
#include "schema/report.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/json_number.h"
#include "base/json_pointer.h"
#include "schema/coerce.h"
#include "schema/leaf.h"

namespace toolgate {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kLongestList = 200;
constexpr std::size_t kSqueezedStep = 64;
constexpr std::size_t kSqueezedText = 512;
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

bool is_inside_character(std::string_view text, std::size_t at) {
  return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
}

// Cut at a character's end.
std::string_view first_bytes(std::string_view text, std::size_t count) {
  if (text.size() <= count) return text;
  while (count > 0 && is_inside_character(text, count)) --count;
  return text.substr(0, count);
}

std::string shorten(std::string text) {
  if (text.size() <= kLongestList) return text;
  text.resize(first_bytes(text, kLongestList).size());
  return text + " …";
}

// The middle taken out.
std::string squeeze(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  std::size_t rest = text.size() - longest / 2;
  while (rest < text.size() && is_inside_character(text, rest)) ++rest;
  return std::string(first_bytes(text, longest / 2)).append("…").append(text.substr(rest));
}

// As JSON, at least the part that will be shown.
void append_beginning(std::string& out, const JsonNode& value) {
  const bool object = value.is(Kind::Object);
  if (!object && !value.is(Kind::Array)) {
    JsonNode part = value;
    part.text = first_bytes(value.text, kLongestList + 4);
    append_json(out, part);
    return;
  }
  out += object ? '{' : '[';
  for (const JsonNode* each = value.first; each && out.size() <= kLongestList; each = each->next) {
    if (each != value.first) out += ',';
    if (object) {
      JsonNode key;
      key.kind = Kind::String;
      key.text = each->key;
      append_beginning(out, key);
      out += ':';
    }
    append_beginning(out, *each);
  }
  out += object ? '}' : ']';
}

std::string beginning_of(const JsonNode& value) {
  std::string out;
  append_beginning(out, value);
  return shorten(std::move(out));
}

std::string list_values(const JsonNode& list) {
  std::string out;
  for (const JsonNode* each = list.first; each && out.size() <= kLongestList; each = each->next) {
    if (!out.empty()) out += ", ";
    append_beginning(out, *each);
  }
  return shorten(std::move(out));
}

std::size_t bytes_of(const Fault& fault) {
  return fault.path.size() + fault.schema_path.size() + fault.message.size() +
         fault.sentence.size() + fault.property.size();
}

// Every step of a pointer on its own.
std::string squeeze_pointer(std::string_view pointer) {
  std::string out;
  for (;;) {
    const auto slash = pointer.find('/');
    out += squeeze(pointer.substr(0, slash), kSqueezedStep);
    if (slash == pointer.npos) return out;
    out += '/';
    pointer.remove_prefix(slash + 1);
  }
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

Judgement Reporter::check_below(SubschemaId id, JsonNode& value, const Place& place) {
  const auto before = budget_.descend();
  const Judgement verdict = check(Visit{.id = id, .value = value, .place = &place}, false);
  budget_.ascend(before);
  return verdict;
}

Judgement Reporter::check(const Visit& visit, bool in_place) {
  const Subschema& sub = schema_.subschemas[visit.id];
  if (sub.literal == Literal::True) return Judgement::Pass;
  if (sub.literal == Literal::False) return false_schema(visit);
  Judgement verdict = Judgement::Fail;
  if (budget_.enter(in_place)) verdict = check_object_schema(visit);
  budget_.leave(in_place);
  return verdict;
}

Judgement Reporter::false_schema(const Visit& visit) {
  return report(visit, {.keyword = "false schema",
                        .message = "boolean schema is false",
                        .sentence = "is not allowed here"});
}

Judgement Reporter::check_object_schema(const Visit& visit) {
  const Subschema& sub = schema_.subschemas[visit.id];
  const DynamicScope scope{scope_, sub.resource};
  const DynamicScope* const before = scope_;
  if (scope_ == nullptr || scope_->resource != sub.resource) scope_ = &scope;
  Judgement verdict = Judgement::Pass;
  if (sub.tracks) {
    if (!budget_.spend(Evaluated::steps(visit.value.size))) return Judgement::Fail;
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

Judgement Reporter::run_rules(const Visit& visit) {
  const Subschema& sub = schema_.subschemas[visit.id];
  Group late = Group::Any;
  const bool type_late = type_comes_late(visit.id, late);
  if (sub.types != 0 && !type_late) {
    const Judgement verdict = check_type(visit);
    // Inside a combinator Ajv looks for errors only after the rules for any value.
    if (verdict == Judgement::Fail && first_only_) {
      return worse(verdict, run_group(visit, Group::Any));
    }
    if (verdict != Judgement::Pass) return verdict;
  }
  Judgement verdict = run_group(visit, Group::Any);
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

Judgement Reporter::run_group(const Visit& visit, Group group) {
  const Subschema& sub = schema_.subschemas[visit.id];
  std::uint32_t first = sub.rules;
  for (std::size_t g = 0; g < static_cast<std::size_t>(group); ++g) first += sub.counts[g];
  const std::uint32_t end = first + sub.counts[static_cast<std::size_t>(group)];
  Judgement all = Judgement::Pass;
  for (std::uint32_t i = first; i < end; ++i) {
    const Rule& rule = schema_.rules[i];
    Judgement verdict = Judgement::Pass;
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

Judgement Reporter::check_type(const Visit& visit) {
  if (type_fits(budget_, schema_.subschemas[visit.id].types, visit.value)) return Judgement::Pass;
  const JsonNode& schema = *schema_.origins[visit.id].node;
  if (!budget_.spend(schema.size / 16)) return Judgement::Fail;
  if (coerces_ && coerce(visit)) return Judgement::Pass;
  return refuse_type(visit);
}

Judgement Reporter::refuse_type(const Visit& visit) {
  const std::string wanted = type_words(*schema_.origins[visit.id].node->find("type"));
  return report(visit, {.keyword = "type",
                        .message = "must be " + wanted,
                        .sentence = fmt::format(
                            "must be {}, not {}", wanted,
                            visit.value.is(Kind::Number) && wanted.find("integer") != wanted.npos
                                ? "a number with a fraction"
                                : kind_word(visit.value)),
                        .expected = schema_.subschemas[visit.id].types});
}

bool Reporter::coerce(const Visit& visit) {
  const JsonNode& type = *schema_.origins[visit.id].node->find("type");
  if (!budget_.spend((1 + type.size) * (1 + visit.value.text.size() / 16))) return false;
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
  if (name_owner_ == nullptr) note_repair(visit, *made, word);
  if (!options_.first_only) coerced_.push_back({&visit.value, visit.value});
  JsonTree::replace(visit.value, *made);
  return true;
}

// Ajv leaves the values that a losing branch has coerced as they are; so does first_only.
void Reporter::take_back(const Trial& trial) {
  if (options_.first_only) return;
  for (; coerced_.size() > trial.coerced; coerced_.pop_back())
    JsonTree::replace(*coerced_.back().node, coerced_.back().before);
  out_.repairs.resize(trial.repairs);
  out_.repairs_left_out = trial.repairs_left_out;
}

// The first one is always noted: that there are none means that nothing has changed.
void Reporter::note_repair(const Visit& visit, const JsonNode& made, std::string_view type) {
  const bool full =
      repair_bytes_ >= kMostReportBytes || out_.repairs.size() >= options_.max_repairs;
  if (full) {
    ++out_.repairs_left_out;
    return;
  }
  const std::size_t room = kMostReportBytes - repair_bytes_;
  Repair repair{path_of(visit.place, room), write_json(visit.value), write_json(made),
                fmt::format("the schema wants {}", type)};
  if (repair.from.size() > room) repair.from = squeeze(repair.from, kSqueezedText);
  if (repair.to.size() > room) repair.to = squeeze(repair.to, kSqueezedText);
  repair_bytes_ += repair.path.size() + repair.from.size() + repair.to.size();
  out_.repairs.push_back(std::move(repair));
}

// Ajv compiles a schema with references in it as a function of its own; others are put in place.
Judgement Reporter::refer(const Visit& visit, SubschemaId target) {
  const Visit next{target, visit.value, visit.place, visit.evaluated};
  if (!schema_.origins[target].has_reference || !first_only_) return check(next, true);
  const bool in_branch = std::exchange(in_branch_, false);
  const std::size_t start = std::exchange(function_start_, out_.faults.size());
  const Judgement verdict = check(next, true);
  in_branch_ = in_branch;
  function_start_ = start;
  return verdict == Judgement::Returned ? Judgement::Fail : verdict;
}

bool Reporter::try_silently(const Visit& visit, SubschemaId id) {
  if (visit.evaluated != nullptr && !budget_.spend(Evaluated::steps(visit.value.size))) {
    return false;
  }
  const Mark before = mark();
  const Trial started = trial();
  const bool first_only = std::exchange(first_only_, true);
  const bool in_branch = std::exchange(in_branch_, true);
  Evaluated own(visit.evaluated != nullptr ? visit.value.size : 0);
  const Judgement verdict =
      check(Visit{id, visit.value, visit.place, visit.evaluated != nullptr ? &own : nullptr}, true);
  first_only_ = first_only;
  in_branch_ = in_branch;
  go_back(before);
  if (verdict != Judgement::Pass) {
    take_back(started);
    return false;
  }
  if (visit.evaluated != nullptr) visit.evaluated->merge(own);
  return true;
}

Judgement Reporter::const_rule(const Visit& visit, const Rule& rule) {
  const JsonNode& wanted = *schema_.values[rule.a];
  if (equal_within(budget_, wanted, visit.value)) return Judgement::Pass;
  return report(visit, {.keyword = "const",
                        .message = "must be equal to constant",
                        .sentence = "must be " + beginning_of(wanted)});
}

Judgement Reporter::enum_rule(const Visit& visit, const Rule& rule) {
  const EnumRule& list = schema_.enums[rule.a];
  if (enum_holds(budget_, list, visit.value)) return Judgement::Pass;
  return report(visit, {.keyword = "enum",
                        .message = "must be equal to one of the allowed values",
                        .sentence = "must be one of " + list_values(*list.list)});
}

Judgement Reporter::not_rule(const Visit& visit, const Rule& rule) {
  const Visit blind{visit.id, visit.value, visit.place, nullptr};
  if (!try_silently(blind, rule.a)) return Judgement::Pass;
  return report(visit, {.keyword = "not",
                        .message = "must NOT be valid",
                        .sentence = "must not match the schema under 'not'"});
}

Judgement Reporter::any_rule(const Visit& visit, const Rule& rule) {
  switch (rule.op) {
    case Op::DynamicRef:
      return refer(visit, dynamic_target(schema_, rule, scope_, budget_));
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

Judgement Reporter::number_rule(const Visit& visit, const Rule& rule) {
  const JsonNumber number(visit.value.text);
  const JsonNumber& limit = schema_.numbers[rule.a];
  if (!budget_.spend(number_steps(rule.op, number, limit))) return Judgement::Fail;
  if (number_fits(rule.op, number, limit)) return Judgement::Pass;
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

Judgement Reporter::string_rule(const Visit& visit, const Rule& rule) {
  const std::string_view text = visit.value.text;
  if (rule.op != Op::Pattern && !budget_.spend_bytes(text.size() * 2)) return Judgement::Fail;
  switch (rule.op) {
    case Op::MaxLength:
      if (!is_longer(text, rule.a)) return Judgement::Pass;
      return report(
          visit, {.keyword = "maxLength",
                  .message = fmt::format("must NOT have more than {} characters", limit_text(rule)),
                  .sentence = fmt::format("must have at most {} characters, has {}",
                                          limit_text(rule), count_characters(text))});
    case Op::MinLength:
      if (!is_shorter(text, rule.a)) return Judgement::Pass;
      return report(visit, {.keyword = "minLength",
                            .message = fmt::format("must NOT have fewer than {} characters",
                                                   limit_text(rule)),
                            .sentence = fmt::format("must have at least {} characters, has {}",
                                                    limit_text(rule), count_characters(text))});
    case Op::Pattern: {
      const Pattern& pattern = *schema_.patterns[rule.a];
      if (budget_.matches(pattern, text)) return Judgement::Pass;
      return report(visit, {.keyword = "pattern",
                            .message = fmt::format("must match pattern \"{}\"", pattern.source())});
    }
    default: {
      if (format_fits(budget_, static_cast<Format>(rule.a), text)) return Judgement::Pass;
      const JsonNode& format = *schema_.origins[visit.id].node->find("format");
      return report(visit, {.keyword = "format",
                            .message = fmt::format("must match format \"{}\"", format.text)});
    }
  }
}

Judgement Reporter::report(const Visit& visit, Words words, bool appended) {
  const std::size_t words_size =
      words.message.size() + words.sentence.size() + words.property.size();
  if (budget_.stopped() || !budget_.spend(kStepsPerFault + words_size / 64)) {
    return Judgement::Fail;
  }
  const bool returns = first_only_ && !in_branch_;
  if (returns && !appended) {
    keep_faults(function_start_);
    out_.left_out = 0;
  }
  if (out_.faults.size() >= options_.max_faults) {
    ++out_.left_out;
    return returns ? Judgement::Returned : Judgement::Fail;
  }
  const std::size_t room = kMostReportBytes - std::min(fault_bytes_, kMostReportBytes);
  Fault fault;
  fault.path = path_of(visit.place, room);
  fault.schema_path = schema_.location(visit.id) + '/' + std::string(words.keyword);
  fault.keyword = words.keyword;
  fault.sentence = words.sentence.empty() ? words.message : std::move(words.sentence);
  fault.message = std::move(words.message);
  fault.property = std::move(words.property);
  fault.node = name_owner_ != nullptr ? name_owner_ : &visit.value;
  fault.expected = words.expected;
  fault.branch_depth = branch_depth_;
  if (!budget_.spend_bytes(fault.path.size() + fault.schema_path.size())) return Judgement::Fail;
  if (bytes_of(fault) > room) {
    fault.path = squeeze_pointer(fault.path);
    fault.schema_path = squeeze_pointer(fault.schema_path);
    fault.message = squeeze(fault.message, kSqueezedText);
    fault.sentence = squeeze(fault.sentence, kSqueezedText);
    fault.property = squeeze(fault.property, kSqueezedText);
  }
  fault_bytes_ += bytes_of(fault);
  out_.faults.push_back(std::move(fault));
  return returns ? Judgement::Returned : Judgement::Fail;
}

void Reporter::keep_faults(std::size_t count) {
  while (out_.faults.size() > count) {
    fault_bytes_ -= bytes_of(out_.faults.back());
    out_.faults.pop_back();
  }
}

void Reporter::go_back(const Mark& mark) {
  keep_faults(mark.faults);
  out_.left_out = mark.left_out;
}

std::string Reporter::path_of(const Place* place, std::size_t room) const {
  std::vector<const Place*> way;
  std::size_t size = 0;
  for (; place != nullptr; place = place->above) {
    way.push_back(place);
    size += 1 + place->key.size();
  }
  std::string out;
  for (std::size_t i = way.size(); i-- > 0;) {
    if (way[i]->index != kNone) {
      out += fmt::format("/{}", way[i]->index);
    } else if (size <= room) {
      append_pointer_step(out, way[i]->key);
    } else {
      append_pointer_step(out, squeeze(way[i]->key, kSqueezedStep));
    }
  }
  return out;
}

}  // namespace toolgate
