// The normal form: an `||` of `&&`s of comparisons, sorted, without duplicates. The rules are VS
// Code's, with their gaps, because the text of a clause and what it implies show them: `in` and
// bounds sort behind `||`, so an `||` beside them stays a factor; what distributing yields is not
// merged into the `&&` around it.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include <boost/container/small_vector.hpp>

#include "base/json_number.h"
#include "tools/when_node.h"

namespace toolgate {
namespace {

using Node = const WhenNode*;
using NodeList = boost::container::small_vector<Node, 8>;

std::size_t common_length(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t at = 0;
  for (; at + 8 <= most; at += 8)
    if (std::memcmp(a.data() + at, b.data() + at, 8) != 0) break;
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

int compare_text(std::string_view a, std::string_view b) {
  const std::size_t common = common_length(a, b);
  if (common == a.size() || common == b.size())
    return (common < a.size() ? 1 : 0) - (common < b.size() ? 1 : 0);
  const auto x = static_cast<unsigned char>(a[common]);
  const auto y = static_cast<unsigned char>(b[common]);
  // UTF-16 has the characters of four bytes before U+E000.
  if (std::min(x, y) >= 0xEE && (x >= 0xF0) != (y >= 0xF0)) return x >= 0xF0 ? -1 : 1;
  return x < y ? -1 : 1;
}

int compare_numbers(double a, double b) {
  return (a > b ? 1 : 0) - (a < b ? 1 : 0);
}

int compare_bounds(const WhenNode& a, const WhenNode& b) {
  if (!a.numeric && !b.numeric) return compare_text(a.value, b.value);
  const auto number = [](const WhenNode& node) {
    return node.numeric ? node.number : javascript_number(node.value).value_or(std::nan(""));
  };
  return compare_numbers(number(a), number(b));
}

int compare_terms(const WhenNode& a, const WhenNode& b) {
  if (a.terms.size() != b.terms.size()) return a.terms.size() < b.terms.size() ? -1 : 1;
  for (std::size_t i = 0; i < a.terms.size(); ++i)
    if (const int order = compare(*a.terms[i], *b.terms[i]); order != 0) return order;
  return 0;
}

bool is_bound(WhenKind kind) {
  return kind >= WhenKind::Greater && kind <= WhenKind::SmallerEquals;
}

constexpr std::size_t kKinds = static_cast<std::size_t>(WhenKind::Complement) + 1;

// The kind that the negation has; of && and || if they are flat.
constexpr std::array<WhenKind, kKinds> kOpposites = [] {
  constexpr std::pair<WhenKind, WhenKind> kPairs[] = {
      {WhenKind::False, WhenKind::True},
      {WhenKind::Defined, WhenKind::Not},
      {WhenKind::Equals, WhenKind::NotEquals},
      {WhenKind::And, WhenKind::Or},
      {WhenKind::Regex, WhenKind::NotRegex},
      {WhenKind::In, WhenKind::NotIn},
      {WhenKind::Greater, WhenKind::SmallerEquals},
      {WhenKind::GreaterEquals, WhenKind::Smaller},
  };
  std::array<WhenKind, kKinds> table{};
  for (std::size_t i = 0; i < kKinds; ++i) table[i] = static_cast<WhenKind>(i);
  for (const auto& [one, other] : kPairs) {
    table[static_cast<std::size_t>(one)] = other;
    table[static_cast<std::size_t>(other)] = one;
  }
  return table;
}();

WhenKind opposite(WhenKind kind) {
  return kOpposites[static_cast<std::size_t>(kind)];
}

bool equal_leaves(const WhenNode& a, const WhenNode& b) {
  if (a.key_hash != b.key_hash || a.key != b.key) return false;
  if (is_regex(a)) return a.regex->source == b.regex->source;
  if (a.numeric != b.numeric) return false;
  return a.numeric ? a.number == b.number : a.value == b.value;
}

bool is_before(Node a, Node b) {
  return a->kind != b->kind ? a->kind < b->kind : compare(*a, *b) < 0;
}

void insert_sort(std::span<Node> list) {
  for (std::size_t next = 1; next < list.size(); ++next) {
    Node node = list[next];
    std::size_t place = next;
    for (; place > 0 && is_before(node, list[place - 1]); --place) list[place] = list[place - 1];
    list[place] = node;
  }
}

// Stable, and safe where bounds that are no numbers make the order inconsistent. Lists are short.
void sort(std::span<Node> list) {
  constexpr std::size_t kShort = 12;
  if (list.size() <= kShort) return insert_sort(list);
  const auto left = list.first(list.size() / 2);
  const auto right = list.subspan(left.size());
  sort(left);
  sort(right);
  std::vector<Node> merged;
  merged.reserve(list.size());
  std::ranges::merge(left, right, std::back_inserter(merged), is_before);
  std::ranges::copy(merged, list.begin());
}

// About how many terms sorting looks at: to compare two &&s takes several looks.
std::size_t sorting_work(std::size_t terms) {
  return terms * static_cast<std::size_t>(std::bit_width(terms));
}

// A set of kinds, as bits.
constexpr std::uint32_t only(WhenKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

// The kinds that the negation of a term may have.
std::uint32_t opposite_kinds(const WhenNode& node) {
  return node.flat ? only(opposite(node.kind)) : ~0U;
}

// How many terms add_all will add for this one.
std::size_t opened_size(const WhenNode& node, WhenKind opened, WhenKind left_out) {
  return node.kind == opened ? node.terms.size() : node.kind == left_out ? 0 : 1;
}

bool is_comparison(const WhenNode& node) {
  return !is_compound(node) && node.kind > WhenKind::True && node.kind != WhenKind::Complement;
}

bool is_pair(WhenNormalizer::Terms terms) {
  return terms.size() == 2 && terms[0] != nullptr && terms[1] != nullptr &&
         is_comparison(*terms[0]) && is_comparison(*terms[1]);
}

WhenNormalizer::Terms alternatives_of(const Node& node) {
  if (node->kind == WhenKind::Or) return node->terms;
  return {&node, 1};
}

}  // namespace

// The terms of an && or || in the making. They stand where the node will have them.
class WhenNormalizer::TermList {
 public:
  explicit TermList(std::span<Node> room) : begin_(room.data()), end_(begin_) {}

  void add(Node node) {
    *end_++ = node;
    note_kinds(*node);
  }
  // Terms of this kind are replaced by their own.
  void add_all(Terms terms, WhenKind opened, WhenKind left_out) {
    for (Node term : terms) {
      if (term->kind == opened)
        for (Node inner : term->terms) add(inner);
      else if (term->kind != left_out)
        add(term);
    }
  }
  Node take_last() { return *--end_; }
  void sort_without_duplicates() {
    sort({begin_, end_});
    const auto same = [](Node a, Node b) { return a->key_hash == b->key_hash && equal(*a, *b); };
    end_ = std::unique(begin_, end_, same);
  }

  std::span<Node> nodes() const { return {begin_, end_}; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  Node last() const { return end_[-1]; }
  // Also of those that were taken, until the kinds are noted again.
  bool is_flat() const { return (kinds_ & (only(WhenKind::And) | only(WhenKind::Or))) == 0; }
  bool may_have_opposites() const { return (kinds_ & opposite_kinds_) != 0; }

  void note_kinds_again() {
    kinds_ = opposite_kinds_ = 0;
    for (Node node : nodes()) note_kinds(*node);
  }

 private:
  void note_kinds(const WhenNode& node) {
    kinds_ |= only(node.kind);
    opposite_kinds_ |= opposite_kinds(node);
  }

  Node* begin_;
  Node* end_;
  std::uint32_t kinds_ = 0;
  std::uint32_t opposite_kinds_ = 0;
};

int compare(const WhenNode& a, const WhenNode& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (!a.terms.empty() || !b.terms.empty()) return compare_terms(a, b);
  if (const int order = compare_text(a.key, b.key); order != 0) return order;
  if (is_regex(a)) return compare_text(a.regex->source, b.regex->source);
  return is_bound(a.kind) ? compare_bounds(a, b) : compare_text(a.value, b.value);
}

bool equal(const WhenNode& a, const WhenNode& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.terms.size() != b.terms.size()) return false;
  if (a.terms.empty()) return equal_leaves(a, b);
  for (std::size_t i = 0; i < a.terms.size(); ++i)
    if (!equal(*a.terms[i], *b.terms[i])) return false;
  return true;
}

bool WhenNormalizer::spend(std::size_t work) {
  exhausted_ = exhausted_ || work > left_;
  if (!exhausted_) left_ -= work;
  return !exhausted_;
}

// What all_of and any_of come to with two comparisons, which is what most of them have.
Node WhenNormalizer::pair(WhenKind kind, Node first, Node second, bool thorough, Node negation) {
  if (!spend(sorting_work(2))) return nullptr;
  if (first->kind == second->kind && equal_leaves(*first, *second)) return first;
  if (thorough && opposite(first->kind) == second->kind && equal_leaves(*first, *second))
    return kind == WhenKind::And ? &kWhenFalse : &kWhenTrue;
  if (is_before(second, first)) std::swap(first, second);
  const auto terms = store_.room_for(2);
  terms[0] = first;
  terms[1] = second;
  return store_.add({.kind = kind, .negation = negation, .terms = terms});
}

Node WhenNormalizer::all_of(Terms terms, bool thorough) {
  if (is_pair(terms)) return pair(WhenKind::And, terms[0], terms[1], thorough, nullptr);
  std::size_t count = 0;
  for (Node term : terms) {
    if (term == nullptr || term->kind == WhenKind::False) return term;
    count += opened_size(*term, WhenKind::And, WhenKind::True);
  }
  if (!spend(sorting_work(count))) return nullptr;
  if (count == 0) return &kWhenTrue;
  TermList list(store_.room_for(count));
  list.add_all(terms, WhenKind::And, WhenKind::True);
  list.sort_without_duplicates();
  if (list.size() > 1 && list.last()->kind == WhenKind::Or && !multiply_out(list, thorough))
    return nullptr;
  if (list.size() == 1) return list.last();
  if (thorough && has_opposites(list)) return &kWhenFalse;
  if (exhausted_) return nullptr;
  return store_.add({.kind = WhenKind::And, .flat = list.is_flat(), .terms = list.nodes()});
}

Node WhenNormalizer::any_of(Terms terms, bool thorough, Node negation) {
  if (is_pair(terms)) return pair(WhenKind::Or, terms[0], terms[1], thorough, negation);
  std::size_t count = 0;
  for (Node term : terms) {
    if (term == nullptr || term->kind == WhenKind::True) return term;
    count += opened_size(*term, WhenKind::Or, WhenKind::False);
  }
  if (!spend(sorting_work(count))) return nullptr;
  if (count == 0) return &kWhenFalse;
  TermList list(store_.room_for(count));
  list.add_all(terms, WhenKind::Or, WhenKind::False);
  list.sort_without_duplicates();
  if (list.size() == 1) return list.last();
  if (thorough && has_opposites(list)) return &kWhenTrue;
  if (exhausted_) return nullptr;
  return store_.add(
      {.kind = WhenKind::Or, .flat = list.is_flat(), .negation = negation, .terms = list.nodes()});
}

bool WhenNormalizer::multiply_out(TermList& list, bool thorough) {
  while (list.size() > 1 && list.last()->kind == WhenKind::Or) {
    Node alternatives = list.take_last();
    Node factor = list.take_last();
    Node result = distribute(*alternatives, *factor, thorough, list.size() == 0);
    if (result == nullptr) return false;
    list.add(result);
    sort(list.nodes());
  }
  list.note_kinds_again();
  return true;
}

// (A || B) && F is A && F || B && F.
Node WhenNormalizer::distribute(const WhenNode& alternatives, const WhenNode& factor, bool thorough,
                                bool last) {
  NodeList products;
  for (Node alternative : alternatives.terms) {
    const Node pair[] = {alternative, &factor};
    Node product = all_of(pair, thorough);
    if (product == nullptr) return nullptr;
    products.push_back(product);
  }
  return any_of(products, last);
}

Node WhenNormalizer::negate(const WhenNode& node) {
  if (node.kind == WhenKind::Complement) return node.terms[0];
  if (node.kind == WhenKind::True) return &kWhenFalse;
  if (node.kind == WhenKind::False) return &kWhenTrue;
  if (node.kind == WhenKind::Or) return node.negation ? node.negation : negate_any(node);
  if (node.kind == WhenKind::And) {
    NodeList negated;
    for (Node term : node.terms) negated.push_back(negate(*term));
    return any_of(negated, true, &node);
  }
  WhenNode negated = node;
  negated.kind = opposite(node.kind);
  return store_.add(negated);
}

// !(A || B || C) is !A && !B && !C, multiplied out from the left.
Node WhenNormalizer::negate_any(const WhenNode& node) {
  Node result = negate(*node.terms[0]);
  for (Node term : node.terms.subspan(1)) {
    Node next = negate(*term);
    if (result == nullptr || next == nullptr) return nullptr;
    NodeList products;
    for (Node left : alternatives_of(result)) {
      for (Node right : alternatives_of(next)) {
        const Node pair[] = {left, right};
        products.push_back(all_of(pair, false));
        if (products.back() == nullptr) return nullptr;
      }
    }
    result = any_of(products, false);
  }
  return any_of({&result, 1}, true, &node);
}

bool WhenNormalizer::has_opposites(const TermList& list) {
  // A pair of leaves takes about a tenth of what a term takes elsewhere.
  if (!spend(list.size() * list.size() / 20)) return false;
  return list.may_have_opposites() && find_opposites(list.nodes());
}

bool WhenNormalizer::find_opposites(Terms terms) {
  for (; terms.size() > 1; terms = terms.subspan(1)) {
    const std::uint32_t wanted = opposite_kinds(*terms[0]);
    for (Node other : terms.subspan(1))
      if ((wanted & only(other->kind)) != 0 && are_opposite(*terms[0], *other)) return true;
  }
  return false;
}

bool WhenNormalizer::are_opposite(const WhenNode& a, const WhenNode& b) {
  if (!is_compound(a)) return equal_leaves(a, b);
  Node negated = negate(a);
  return negated != nullptr && equal(*negated, b);
}

}  // namespace toolgate
