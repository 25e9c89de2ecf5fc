// What both checks keep while they run: the budget, the way down, which members and items have
// been evaluated, and the resources entered (for `$dynamicRef`).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "schema/program.h"

namespace toolgate {

// Nested subschemas at most, and those in a row that stay at one value.
inline constexpr std::uint32_t kMaxCheckDepth = 1000;
inline constexpr std::uint32_t kMaxInPlaceDepth = 200;

// A step is about 50 ns of work at most, so that the default budget lasts a second or so.
class CheckBudget {
 public:
  explicit CheckBudget(std::uint64_t steps) : steps_(steps), left_(steps) {}

  // False when the check must end. Once false, always false.
  bool spend(std::uint64_t steps) {
    if (left_ < steps) return stop(Stop::Steps);
    left_ -= steps;
    return true;
  }
  // For work that looks at every byte of a text.
  bool spend_bytes(std::size_t bytes) { return spend(bytes / kBytesPerStep); }
  std::uint64_t spent() const { return steps_ - left_; }
  bool stopped() const { return stop_ != Stop::None; }

  bool enter(bool in_place) {
    if (++depth_ > kMaxCheckDepth) return stop(Stop::Depth);
    if (in_place && ++in_place_ > kMaxInPlaceDepth) return stop(Stop::Loop);
    return spend(1);
  }
  // Values below start their own count of in-place subschemas.
  std::uint32_t descend() {
    const std::uint32_t before = in_place_;
    in_place_ = 0;
    return before;
  }
  void ascend(std::uint32_t before) { in_place_ = before; }
  void leave(bool in_place) {
    --depth_;
    if (in_place) --in_place_;
  }

  bool matches(const Pattern& pattern, std::string_view text) {
    if (text.size() > kShortText || left_ < kPatternSteps + text.size() / 8) {
      return matches_slowly(pattern, text, kFirstUnits);
    }
    left_ -= kPatternSteps + text.size() / 8;
    const auto outcome = pattern.match(text, kFirstUnits);
    if (outcome != Pattern::Outcome::Exhausted) return outcome == Pattern::Outcome::Match;
    return matches_slowly(pattern, text, kFirstUnits * kMoreUnits);
  }

  // Why the check ended early.
  std::optional<Error> error() const;

 private:
  enum class Stop : std::uint8_t { None, Steps, Depth, Loop, Pattern };

  // Ordinary patterns on short texts need no more; only what does is looked at closely.
  static constexpr std::size_t kShortText = 128;
  static constexpr std::uint32_t kFirstUnits = 32;
  static constexpr std::uint32_t kMoreUnits = 8;
  static constexpr std::uint64_t kPatternSteps = 4;
  static constexpr std::size_t kBytesPerStep = 16;

  // Tries with more and more units, each try paid for: by its units, and for texts on which a unit
  // can take long also by the processor time of all tries of the check.
  bool matches_slowly(const Pattern& pattern, std::string_view text, std::uint32_t units);

  bool stop(Stop reason) {
    if (stop_ == Stop::None) stop_ = reason;
    left_ = 0;
    return false;
  }

  std::uint64_t steps_;
  std::uint64_t left_;
  std::uint64_t pattern_nanoseconds_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t in_place_ = 0;
  Stop stop_ = Stop::None;
  const Pattern* pattern_ = nullptr;
};

// Which children of one object or array some subschema has looked at.
class Evaluated {
 public:
  explicit Evaluated(std::uint32_t size) {
    if (size > 64) many_.resize((size + 63) / 64);
  }
  // What making one and merging it into another takes.
  static std::uint64_t steps(std::uint32_t size) { return size / 64; }

  void mark(std::uint32_t index) {
    (many_.empty() ? few_ : many_[index / 64]) |= std::uint64_t{1} << (index & 63U);
  }
  void mark_all() { all_ = true; }
  bool has(std::uint32_t index) const {
    if (all_) return true;
    return ((many_.empty() ? few_ : many_[index / 64]) >> (index & 63U) & 1U) != 0;
  }
  void merge(const Evaluated& other) {
    all_ |= other.all_;
    few_ |= other.few_;
    for (std::size_t i = 0; i < other.many_.size(); ++i) many_[i] |= other.many_[i];
  }

 private:
  bool all_ = false;
  std::uint64_t few_ = 0;
  std::vector<std::uint64_t> many_;
};

// The resources entered so far, innermost first.
struct DynamicScope {
  const DynamicScope* outer = nullptr;
  std::uint32_t resource = 0;
};

// Where a `$dynamicRef` leads here.
SubschemaId dynamic_target(const Schema& schema, const Rule& rule, const DynamicScope* scope,
                           CheckBudget& budget);

}  // namespace toolgate
