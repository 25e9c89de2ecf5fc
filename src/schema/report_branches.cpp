// The thorough check: anyOf, oneOf, allOf and if. A branch keeps its own faults; they count only
// if the combinator fails.
#include <utility>

#include "schema/report.h"

namespace toolgate {

// One branch: its evaluated members count if it passes.
Judgement Reporter::branch(const Visit& visit, SubschemaId id) {
  if (visit.evaluated != nullptr && !budget_.spend(Evaluated::steps(visit.value.size))) {
    return Judgement::Fail;
  }
  const Trial started = trial();
  const bool in_branch = std::exchange(in_branch_, true);
  ++branch_depth_;
  Judgement verdict = Judgement::Pass;
  if (visit.evaluated == nullptr) {
    verdict = check(Visit{id, visit.value, visit.place, nullptr}, true);
  } else {
    Evaluated own(visit.value.size);
    verdict = check(Visit{id, visit.value, visit.place, &own}, true);
    if (verdict == Judgement::Pass) visit.evaluated->merge(own);
  }
  --branch_depth_;
  in_branch_ = in_branch;
  if (verdict != Judgement::Pass) take_back(started);
  return verdict;
}

Judgement Reporter::any_of(const Visit& visit, const Rule& rule) {
  const Mark before = mark();
  if (!budget_.spend(1 + rule.b / 16)) return Judgement::Fail;
  if (visit.evaluated == nullptr) {
    for (std::uint32_t i = 0; i < rule.b; ++i) {
      if (schema_.accepts_all(schema_.lists[rule.a + i])) return Judgement::Pass;
    }
  }
  bool fits = false;
  for (std::uint32_t i = 0; i < rule.b && !budget_.stopped(); ++i) {
    fits |= branch(visit, schema_.lists[rule.a + i]) == Judgement::Pass;
    if (fits && visit.evaluated == nullptr) break;
  }
  if (fits) {
    go_back(before);
    return Judgement::Pass;
  }
  return report_extra(visit, {.keyword = "anyOf",
                              .message = "must match a schema in anyOf",
                              .sentence = "must match one of the alternatives (anyOf)"});
}

Judgement Reporter::one_of(const Visit& visit, const Rule& rule) {
  const Mark before = mark();
  if (!budget_.spend(1 + rule.b / 16)) return Judgement::Fail;
  std::uint32_t fitting = 0;
  for (std::uint32_t i = 0; i < rule.b && fitting < 2 && !budget_.stopped(); ++i) {
    if (branch(visit, schema_.lists[rule.a + i]) == Judgement::Pass) ++fitting;
  }
  if (fitting == 1) {
    go_back(before);
    return Judgement::Pass;
  }
  return report_extra(
      visit,
      {.keyword = "oneOf",
       .message = "must match exactly one schema in oneOf",
       .sentence = fitting > 1 ? "must match only one of the alternatives (oneOf), matches more"
                               : "must match one of the alternatives (oneOf)"});
}

Judgement Reporter::all_of(const Visit& visit, const Rule& rule) {
  Judgement all = Judgement::Pass;
  if (!budget_.spend(1 + rule.b / 16)) return Judgement::Fail;
  for (std::uint32_t i = 0; i < rule.b; ++i) {
    const Visit next{schema_.lists[rule.a + i], visit.value, visit.place, visit.evaluated};
    all = worse(all, check(next, true));
    if (ends(all)) break;
  }
  return all;
}

Judgement Reporter::condition(const Visit& visit, const Rule& rule) {
  const Condition& condition = schema_.conditions[rule.a];
  // Alone, `if` only tells what it evaluates.
  const bool alone = condition.then == kNone && condition.otherwise == kNone;
  if (alone && visit.evaluated == nullptr) return Judgement::Pass;
  const bool coerces = std::exchange(coerces_, coerces_ && !alone);
  const bool holds = try_silently(visit, condition.test);
  coerces_ = coerces;
  const SubschemaId next = holds ? condition.then : condition.otherwise;
  if (next == kNone || budget_.stopped()) return Judgement::Pass;
  const Judgement verdict = check(Visit{next, visit.value, visit.place, visit.evaluated}, true);
  if (verdict != Judgement::Fail) return verdict;
  return report_extra(
      visit, {.keyword = "if",
              .message = holds ? "must match \"then\" schema" : "must match \"else\" schema"});
}

}  // namespace toolgate
