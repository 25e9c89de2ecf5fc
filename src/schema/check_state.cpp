// See check_state.h.
#include "schema/check_state.h"

#include <algorithm>
#include <time.h>

namespace toolgate {

namespace {

std::uint64_t thread_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::optional<Error> CheckBudget::error() const {
  switch (stop_) {
    case Stop::None:
      return std::nullopt;
    case Stop::Steps:
      return Error{Errc::TooLarge,
                   "check budget exceeded: the schema takes too many steps for this input",
                   {}};
    case Stop::Depth:
      return Error{Errc::TooLarge,
                   fmt::format("check depth exceeded: over {} nested subschemas", kMaxCheckDepth),
                   {}};
    case Stop::Loop:
      return Error{Errc::TooLarge,
                   fmt::format("schema loop: over {} references in a row without going deeper into "
                               "the input",
                               kMaxInPlaceDepth),
                   {}};
    case Stop::Pattern:
      return Error{Errc::TooLarge,
                   fmt::format("pattern limit exceeded: '{}' takes too long on this input",
                               pattern_->source()),
                   {}};
  }
  return std::nullopt;
}

bool CheckBudget::matches_slowly(const Pattern& pattern, std::string_view text,
                                 std::uint32_t units) {
  constexpr std::uint64_t kUnitsPerStep = 16;
  constexpr std::uint64_t kMostNanoseconds = 1'000'000'000;
  for (;; units *= kMoreUnits) {
    units = std::min(units, Pattern::kMostUnits);
    const std::uint64_t steps = kPatternSteps + text.size() / 8 + units / kUnitsPerStep;
    if (left_ < steps) break;
    left_ -= steps;
    const std::uint64_t begin = thread_nanoseconds();
    const auto outcome = pattern.match(text, units);
    const std::uint64_t taken = thread_nanoseconds() - begin;
    pattern_nanoseconds_ += taken;
    if (pattern_nanoseconds_ > kMostNanoseconds) break;
    if (outcome != Pattern::Outcome::Exhausted) return outcome == Pattern::Outcome::Match;
    if (units == Pattern::kMostUnits) break;
    if (pattern_nanoseconds_ + taken * kMoreUnits > kMostNanoseconds) break;
  }
  pattern_ = &pattern;
  return stop(Stop::Pattern);
}

SubschemaId dynamic_target(const Schema& schema, const Rule& rule, const DynamicScope* scope,
                           CheckBudget& budget) {
  SubschemaId target = rule.a;
  if (rule.b == kNone) return target;
  const std::string_view name = schema.dynamic_names[rule.b];
  const std::uint64_t steps = 1 + name.size() / 64;
  for (; scope != nullptr && budget.spend(steps); scope = scope->outer) {  // the outermost wins
    const auto found = schema.dynamic_anchors.find({scope->resource, name});
    if (found != schema.dynamic_anchors.end()) target = found->second;
  }
  return target;
}

}  // namespace toolgate
