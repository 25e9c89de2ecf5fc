// The fast check: yes or no, stopping at the first fault. is_valid() runs it.
#pragma once

#include "schema/check_state.h"
#include "schema/program.h"

namespace toolgate {

class Matcher {
 public:
  Matcher(const Schema& schema, std::uint64_t max_steps)
      : schema_(schema), dynamic_(!schema.dynamic_names.empty()), budget_(max_steps) {}

  bool run(const JsonNode& value) { return match(0, value, nullptr, false); }
  std::optional<Error> error() const { return budget_.error(); }

 private:
  // `evaluated` is null where nobody asks. `in_place`: for the value that is being looked at.
  bool match(SubschemaId id, const JsonNode& value, Evaluated* evaluated, bool in_place);
  bool match_below(SubschemaId id, const JsonNode& value) {
    const auto before = budget_.descend();
    const bool fits = match(id, value, nullptr, false);
    budget_.ascend(before);
    return fits;
  }
  bool match_scoped(const Subschema& sub, const JsonNode& value, Evaluated* evaluated);
  bool match_tracked(const Subschema& sub, const JsonNode& value, Evaluated* evaluated);
  bool run_rules(const Subschema& sub, const JsonNode& value, Evaluated* evaluated);

  bool any_rule(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool any_of(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool one_of(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool all_of(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool condition(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool try_branch(SubschemaId id, const JsonNode& value, Evaluated* evaluated);
  bool string_rule(const Rule& rule, std::string_view text);
  bool array_rule(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool items(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool prefix_items(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool contains(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool unevaluated(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool object_rule(const Rule& rule, const JsonNode& value, Evaluated* evaluated);
  bool members(const ObjectRules& rules, const JsonNode& value, Evaluated* evaluated);
  bool other_member(const ObjectRules& rules, const JsonNode& member, bool defined,
                    std::uint32_t index, Evaluated* evaluated);
  bool property_names(const Rule& rule, const JsonNode& value);
  bool dependencies(const Rule& rule, const JsonNode& value, Evaluated* evaluated);

  const Schema& schema_;
  const bool dynamic_;
  CheckBudget budget_;
  const DynamicScope* scope_ = nullptr;
};

}  // namespace toolgate
