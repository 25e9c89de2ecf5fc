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

class CheckBudget {
 public:
  explicit CheckBudget(std::uint64_t steps) : left_(steps) {}

  // False when the check must end. Once false, always false.
  bool spend(std::uint64_t steps) {
    if (left_ < steps) return stop(Stop::Steps);
    left_ -= steps;
    return true;
  }
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
    if (!spend(1 + text.size() / 64)) return false;
    const auto outcome = pattern.match(text);
    if (outcome != Pattern::Outcome::Exhausted) return outcome == Pattern::Outcome::Match;
    pattern_ = &pattern;
    return stop(Stop::Pattern);
  }

  // Why the check ended early.
  std::optional<Error> error() const;

 private:
  enum class Stop : std::uint8_t { None, Steps, Depth, Loop, Pattern };

  bool stop(Stop reason) {
    if (stop_ == Stop::None) stop_ = reason;
    left_ = 0;
    return false;
  }

  std::uint64_t left_;
  std::uint32_t depth_ = 0;
  std::uint32_t in_place_ = 0;
  Stop stop_ = Stop::None;
  const Pattern* pattern_ = nullptr;
};

// Which children of one object or array some subschema has looked at.
class Evaluated {
 public:
  explicit Evaluated(std::uint32_t size) {
    if (size > 64) many_.resize(size);
  }
  void mark(std::uint32_t index) {
    if (!many_.empty()) {
      many_[index] = true;
    } else {
      few_ |= std::uint64_t{1} << index;
    }
  }
  void mark_all() { all_ = true; }
  bool has(std::uint32_t index) const {
    if (all_) return true;
    return many_.empty() ? (few_ >> index & 1U) != 0 : many_[index];
  }
  void merge(const Evaluated& other) {
    all_ |= other.all_;
    few_ |= other.few_;
    for (std::size_t i = 0; i < other.many_.size(); ++i) {
      if (other.many_[i]) many_[i] = true;
    }
  }

 private:
  bool all_ = false;
  std::uint64_t few_ = 0;
  std::vector<bool> many_;
};

// The resources entered so far, innermost first.
struct DynamicScope {
  const DynamicScope* outer = nullptr;
  std::uint32_t resource = 0;
};

// Where a `$dynamicRef` leads here.
SubschemaId dynamic_target(const Schema& schema, const Rule& rule, const DynamicScope* scope);

}  // namespace toolgate
