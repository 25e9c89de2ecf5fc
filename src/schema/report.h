// The thorough check: every fault with its place, or the first ones exactly as Ajv 8 lists them,
// with type coercion. check() runs it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/check.h"
#include "schema/check_state.h"
#include "schema/program.h"

namespace toolgate {

// How a part of the check ended. Ajv's functions return at once at their first error unless they
// are inside a combinator; Returned says so, and ends everything up to the next called reference.
enum class Judgement : std::uint8_t { Pass, Fail, Returned };

class Reporter {
 public:
  Reporter(const Schema& schema, JsonTree& tree, const CheckOptions& options, CheckReport& out)
      : schema_(schema), tree_(tree), options_(options), out_(out), budget_(options.max_steps) {}

  void run(JsonNode& value);
  std::optional<Error> error() const { return budget_.error(); }
  std::uint64_t steps() const { return budget_.spent(); }

 private:
  // The way to a value, innermost first.
  struct Place {
    const Place* above = nullptr;
    std::string_view key;
    std::uint32_t index = kNone;  // of an item; kNone: a member
  };
  // One subschema at one value.
  struct Visit {
    SubschemaId id = 0;
    JsonNode& value;
    const Place* place = nullptr;  // null: the root
    Evaluated* evaluated = nullptr;
  };
  // Where the lists of faults stood, to go back to.
  struct Mark {
    std::size_t faults = 0;
    std::size_t left_out = 0;
  };

  // Where the lists of changes stood, to take back those of a branch that loses.
  struct Trial {
    std::size_t coerced = 0;
    std::size_t repairs = 0;
    std::size_t repairs_left_out = 0;
  };
  struct Coerced {
    JsonNode* node;
    JsonNode before;
  };

  // report.cpp
  Judgement check(const Visit& visit, bool in_place);
  Judgement check_below(SubschemaId id, JsonNode& value, const Place& place);
  Judgement check_object_schema(const Visit& visit);
  Judgement run_rules(const Visit& visit);
  Judgement run_group(const Visit& visit, Group group);
  Judgement check_type(const Visit& visit);
  Judgement refuse_type(const Visit& visit);
  bool type_comes_late(SubschemaId id, Group& group) const;
  bool coerce(const Visit& visit);
  Judgement refer(const Visit& visit, SubschemaId target);
  bool try_silently(const Visit& visit, SubschemaId id);

  Judgement false_schema(const Visit& visit);
  Judgement any_rule(const Visit& visit, const Rule& rule);
  Judgement const_rule(const Visit& visit, const Rule& rule);
  Judgement enum_rule(const Visit& visit, const Rule& rule);
  Judgement not_rule(const Visit& visit, const Rule& rule);
  Judgement number_rule(const Visit& visit, const Rule& rule);
  Judgement string_rule(const Visit& visit, const Rule& rule);

  // report_branches.cpp
  Judgement any_of(const Visit& visit, const Rule& rule);
  Judgement one_of(const Visit& visit, const Rule& rule);
  Judgement all_of(const Visit& visit, const Rule& rule);
  Judgement condition(const Visit& visit, const Rule& rule);
  Judgement branch(const Visit& visit, SubschemaId id);

  // report_children.cpp
  Judgement array_rule(const Visit& visit, const Rule& rule);
  Judgement size_rule(const Visit& visit, const Rule& rule, std::string_view what);
  Judgement unique_items(const Visit& visit);
  Judgement no_more_items(const Visit& visit, const Rule& rule);
  Judgement prefix_items(const Visit& visit, const Rule& rule);
  Judgement items(const Visit& visit, const Rule& rule);
  Judgement contains(const Visit& visit, const Rule& rule);
  Judgement unevaluated_items(const Visit& visit, const Rule& rule);
  Judgement object_rule(const Visit& visit, const Rule& rule);
  Judgement required(const Visit& visit);
  Judgement property_names(const Visit& visit, const Rule& rule);
  Judgement additional_properties(const Visit& visit, const Rule& rule);
  Judgement dependencies(const Visit& visit, const Rule& rule);
  Judgement properties(const Visit& visit);
  Judgement pattern_properties(const Visit& visit);
  Judgement unevaluated_properties(const Visit& visit, const Rule& rule);
  Judgement other_member(const Visit& visit, const Rule& rule, JsonNode& member);
  Judgement refuse_member(const Visit& visit, Op op, std::string_view name);
  bool is_defined(const ObjectRules& rules, std::string_view name);

  // What a fault says beside its place.
  struct Words {
    std::string_view keyword;
    std::string message;
    std::string sentence = {};  // empty: the message
    std::string property = {};
    TypeSet expected = 0;
  };
  // `appended`: Ajv keeps what was reported before; otherwise the fault stands alone where Ajv
  // returns at once.
  Judgement report(const Visit& visit, Words words, bool appended = false);
  Judgement report_extra(const Visit& visit, Words words) {
    return report(visit, std::move(words), true);
  }
  Trial trial() const { return {coerced_.size(), out_.repairs.size(), out_.repairs_left_out}; }
  void take_back(const Trial& trial);
  Mark mark() const { return {out_.faults.size(), out_.left_out}; }
  void go_back(const Mark& mark);
  void keep_faults(std::size_t count);
  void note_repair(const Visit& visit, const JsonNode& made, std::string_view type);
  // Shortened where it is over `room` bytes.
  std::string path_of(const Place* place, std::size_t room) const;
  std::string limit_text(const Rule& rule) const;

  // True when the rest need not be looked at: Ajv would stop, or the budget is spent.
  bool ends(Judgement verdict) const {
    return verdict == Judgement::Returned || budget_.stopped() ||
           (verdict == Judgement::Fail && first_only_);
  }
  static Judgement worse(Judgement a, Judgement b) { return a > b ? a : b; }

  const Schema& schema_;
  JsonTree& tree_;
  const CheckOptions& options_;
  CheckReport& out_;
  CheckBudget budget_;
  const DynamicScope* scope_ = nullptr;
  bool first_only_ = options_.first_only;
  bool coerces_ = options_.coerce;
  bool in_branch_ = false;  // Ajv's compositeRule
  std::uint32_t branch_depth_ = 0;
  std::size_t fault_bytes_ = 0;  // of the texts so far
  std::size_t repair_bytes_ = 0;
  std::size_t function_start_ = 0;  // faults before belong to callers of the current reference
  std::vector<Coerced> coerced_;    // unless first_only
  JsonNode* name_owner_ = nullptr;  // the object whose member names are being checked
};

}  // namespace toolgate
