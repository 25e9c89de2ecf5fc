// The nodes of a `when` clause, what owns them, and the normal form. For when*.cpp only.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "tools/when.h"
#include "tools/when_regex.h"

namespace toolgate {

// In the order of the normal form.
enum class WhenKind : std::uint8_t {
  False,
  True,
  Defined,
  Not,
  Equals,
  NotEquals,
  And,
  Regex,
  NotRegex,
  Or,
  In,
  NotIn,
  Greater,
  GreaterEquals,
  Smaller,
  SmallerEquals,
  Complement,  // `!(…)` of a clause whose negation is too large to spell out
};

struct WhenNode {
  WhenKind kind = WhenKind::False;
  bool ignores_case = false;  // In, NotIn: of file:/// texts, on Windows
  bool numeric = false;       // bounds: `number` holds, not `value`
  bool flat = true;           // And, Or: no term is And or Or
  std::uint32_t key_hash = 0;
  std::string_view key = {};
  union {
    std::string_view value = {};  // In, NotIn: the other key
    double number;                // bounds, if numeric
    const WhenRegex* regex;       // Regex, NotRegex
    const WhenNode* negation;     // Or: what it was made from by negating, if it was
  };
  std::span<const WhenNode* const> terms = {};
};

inline constexpr WhenNode kWhenFalse{.kind = WhenKind::False};
inline constexpr WhenNode kWhenTrue{.kind = WhenKind::True};

inline bool is_compound(const WhenNode& node) {
  return node.kind == WhenKind::And || node.kind == WhenKind::Or;
}

inline bool is_regex(const WhenNode& node) {
  return node.kind == WhenKind::Regex || node.kind == WhenKind::NotRegex;
}

// Owns the nodes of one clause and of its negations. Nodes never change once they are reachable.
class WhenStore {
 public:
  WhenStore() : free_(first_block_.data()), left_(first_block_.size()) {}

  WhenNode& add() { return *new (allocate(sizeof(WhenNode))) WhenNode; }
  const WhenNode* add(const WhenNode& node) { return new (allocate(sizeof(node))) WhenNode(node); }
  const WhenRegex* add(std::shared_ptr<const WhenRegex> regex) {
    return regexes_.emplace_back(std::move(regex)).get();
  }
  std::span<const WhenNode*> room_for(std::size_t terms) {
    return {static_cast<const WhenNode**>(allocate(terms * sizeof(WhenNode*))), terms};
  }
  std::string_view keep(std::string_view text);  // kWhenPadding NULs follow it

  // The negation of a root, made when it is first asked for.
  const WhenNode* negation_of(const WhenNode* root);

 private:
  void* allocate(std::size_t bytes) {
    bytes = (bytes + alignof(WhenNode) - 1) & ~(alignof(WhenNode) - 1);
    if (bytes > left_) add_block(bytes);
    left_ -= bytes;
    return std::exchange(free_, free_ + bytes);
  }
  void add_block(std::size_t least);

  alignas(WhenNode) std::array<std::byte, 864> first_block_;  // all that most clauses need
  std::byte* free_;
  std::size_t left_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  boost::container::small_vector<std::shared_ptr<const WhenRegex>, 1> regexes_;
  std::mutex negating_;
  std::vector<std::pair<const WhenNode*, const WhenNode*>> negations_;
};

// Kind, key, value; by UTF-16 units as JavaScript does. Terms that compare as equal may differ: a
// bound that is no number equals any number.
int compare(const WhenNode& a, const WhenNode& b);
bool equal(const WhenNode& a, const WhenNode& b);
bool implies(const WhenNode& condition, const WhenNode& conclusion);

// Builds terms in normal form. Everything returns null once `kMostWhenWork` is used up.
class WhenNormalizer {
 public:
  explicit WhenNormalizer(WhenStore& store) : store_(store) {}

  using Terms = std::span<const WhenNode* const>;
  // `thorough`: `A && !A` becomes false, `A || !A` true.
  const WhenNode* all_of(Terms terms, bool thorough = true);
  const WhenNode* any_of(Terms terms, bool thorough = true, const WhenNode* negation = nullptr);
  const WhenNode* negate(const WhenNode& node);

 private:
  class TermList;

  bool spend(std::size_t work);
  const WhenNode* pair(WhenKind kind, const WhenNode* first, const WhenNode* second, bool thorough,
                       const WhenNode* negation);
  const WhenNode* distribute(const WhenNode& alternatives, const WhenNode& factor, bool thorough,
                             bool last);
  const WhenNode* negate_any(const WhenNode& node);
  bool multiply_out(TermList& list, bool thorough);
  bool has_opposites(const TermList& list);
  bool find_opposites(Terms terms);
  bool are_opposite(const WhenNode& a, const WhenNode& b);

  WhenStore& store_;
  std::size_t left_ = kMostWhenWork;
  bool exhausted_ = false;
};

}  // namespace toolgate
