// The thorough check: anyOf, oneOf, allOf and if. A branch keeps its own faults; they count only
// if the combinator fails.
#include <utility>

#include "schema/report.h"

namespace toolgate {

// One branch: its evaluated members count if it passes.
Verdict Reporter::branch(const Visit& visit, SubschemaId id) {
  if (visit.evaluated != nullptr && !budget_.spend(Evaluated::steps(visit.value.size))) {
    return Verdict::Fail;
  }
  const Trial started = trial();
  const bool in_branch = std::exchange(in_branch_, true);
  ++branch_depth_;
  Verdict verdict = Verdict::Pass;
  if (visit.evaluated == nullptr) {
    verdict = check(Visit{id, visit.value, visit.place, nullptr}, true);
  } else {
    Evaluated own(visit.value.size);
    verdict = check(Visit{id, visit.value, visit.place, &own}, true);
    if (verdict == Verdict::Pass) visit.evaluated->merge(own);
  }
  --branch_depth_;
  in_branch_ = in_branch;
  if (verdict != Verdict::Pass) take_back(started);
  return verdict;
}

Verdict Reporter::any_of(const Visit& visit, const Rule& rule) {
  const Mark before = mark();
  if (!budget_.spend(1 + rule.b / 16)) return Verdict::Fail;
  if (visit.evaluated == nullptr) {
    for (std::uint32_t i = 0; i < rule.b; ++i) {
      if (schema_.accepts_all(schema_.lists[rule.a + i])) return Verdict::Pass;
    }
  }
  bool fits = false;
  for (std::uint32_t i = 0; i < rule.b && !budget_.stopped(); ++i) {
    fits |= branch(visit, schema_.lists[rule.a + i]) == Verdict::Pass;
    if (fits && visit.evaluated == nullptr) break;
  }
  if (fits) {
    go_back(before);
    return Verdict::Pass;
  }
  return report_extra(visit, {.keyword = "anyOf",
                              .message = "must match a schema in anyOf",
                              .sentence = "must match one of the alternatives (anyOf)"});
}

Verdict Reporter::one_of(const Visit& visit, const Rule& rule) {
  const Mark before = mark();
  if (!budget_.spend(1 + rule.b / 16)) return Verdict::Fail;
  std::uint32_t fitting = 0;
  for (std::uint32_t i = 0; i < rule.b && fitting < 2 && !budget_.stopped(); ++i) {
    if (branch(visit, schema_.lists[rule.a + i]) == Verdict::Pass) ++fitting;
  }
  if (fitting == 1) {
    go_back(before);
    return Verdict::Pass;
  }
  return report_extra(
      visit,
      {.keyword = "oneOf",
       .message = "must match exactly one schema in oneOf",
       .sentence = fitting > 1 ? "must match only one of the alternatives (oneOf), matches more"
                               : "must match one of the alternatives (oneOf)"});
}

Verdict Reporter::all_of(const Visit& visit, const Rule& rule) {
  Verdict all = Verdict::Pass;
  if (!budget_.spend(1 + rule.b / 16)) return Verdict::Fail;
  for (std::uint32_t i = 0; i < rule.b; ++i) {
    const Visit next{schema_.lists[rule.a + i], visit.value, visit.place, visit.evaluated};
    all = worse(all, check(next, true));
    if (ends(all)) break;
  }
  return all;
}

Verdict Reporter::condition(const Visit& visit, const Rule& rule) {
  const Condition& condition = schema_.conditions[rule.a];
  // Alone, `if` only tells what it evaluates.
  const bool alone = condition.then == kNone && condition.otherwise == kNone;
  if (alone && visit.evaluated == nullptr) return Verdict::Pass;
  const bool coerces = std::exchange(coerces_, coerces_ && !alone);
  const bool holds = try_silently(visit, condition.test);
  coerces_ = coerces;
  const SubschemaId next = holds ? condition.then : condition.otherwise;
  if (next == kNone || budget_.stopped()) return Verdict::Pass;
  const Verdict verdict = check(Visit{next, visit.value, visit.place, visit.evaluated}, true);
  if (verdict != Verdict::Fail) return verdict;
  return report_extra(
      visit, {.keyword = "if",
              .message = holds ? "must match \"then\" schema" : "must match \"else\" schema"});
}

}  // namespace toolgate
