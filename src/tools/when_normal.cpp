// The normal form: an `||` of `&&`s of comparisons, sorted, without duplicates. The rules are VS
// Code's, with their gaps, because the text of a clause and what it implies show them: `in` and
// bounds sort behind `||`, so an `||` beside them stays a factor; what distributing yields is not
// merged into the `&&` around it.
#include <algorithm>
#include <bit>
#include <cmath>

#include <boost/container/small_vector.hpp>

#include "base/json_number.h"
#include "tools/when_node.h"

namespace toolgate {
namespace {

using Node = const WhenNode*;
using NodeList = boost::container::small_vector<Node, 8>;

int compare_text(std::string_view a, std::string_view b) {
  const auto [left, right] = std::ranges::mismatch(a, b);
  if (left == a.end() || right == b.end())
    return (left != a.end() ? 1 : 0) - (right != b.end() ? 1 : 0);
  const auto x = static_cast<unsigned char>(*left);
  const auto y = static_cast<unsigned char>(*right);
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

WhenKind opposite(WhenKind kind) {
  switch (kind) {
    case WhenKind::Defined:
      return WhenKind::Not;
    case WhenKind::Not:
      return WhenKind::Defined;
    case WhenKind::Equals:
      return WhenKind::NotEquals;
    case WhenKind::NotEquals:
      return WhenKind::Equals;
    case WhenKind::Regex:
      return WhenKind::NotRegex;
    case WhenKind::NotRegex:
      return WhenKind::Regex;
    case WhenKind::In:
      return WhenKind::NotIn;
    case WhenKind::NotIn:
      return WhenKind::In;
    case WhenKind::Greater:
      return WhenKind::SmallerEquals;
    case WhenKind::GreaterEquals:
      return WhenKind::Smaller;
    case WhenKind::Smaller:
      return WhenKind::GreaterEquals;
    case WhenKind::SmallerEquals:
      return WhenKind::Greater;
    case WhenKind::False:
      return WhenKind::True;
    case WhenKind::True:
      return WhenKind::False;
    default:
      return kind;
  }
}

bool equal_leaves(const WhenNode& a, const WhenNode& b) {
  if (a.key != b.key) return false;
  if (a.regex != nullptr) return a.regex->source == b.regex->source;
  if (a.numeric != b.numeric) return false;
  return a.numeric ? a.number == b.number : a.value == b.value;
}

bool is_before(Node a, Node b) {
  return compare(*a, *b) < 0;
}

// Stable, and safe where bounds that are no numbers make the order inconsistent. Lists are short.
void sort(std::span<Node> list) {
  constexpr std::size_t kShort = 64;
  if (list.size() <= kShort) {
    for (auto next = list.begin(); next != list.end(); ++next) {
      if (next == list.begin() || !is_before(*next, *(next - 1))) continue;
      std::rotate(std::upper_bound(list.begin(), next, *next, is_before), next, next + 1);
    }
    return;
  }
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
std::size_t sorting_work(const NodeList& list) {
  return list.size() * static_cast<std::size_t>(std::bit_width(list.size()));
}

void remove_duplicates(NodeList& list) {
  const auto same = [](Node a, Node b) { return equal(*a, *b); };
  list.erase(std::unique(list.begin(), list.end(), same), list.end());
}

bool is_flat(const NodeList& list) {
  return std::ranges::none_of(list, [](Node term) { return is_compound(*term); });
}

WhenNormalizer::Terms alternatives_of(const Node& node) {
  if (node->kind == WhenKind::Or) return node->terms;
  return {&node, 1};
}

}  // namespace

int compare(const WhenNode& a, const WhenNode& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (!a.terms.empty() || !b.terms.empty()) return compare_terms(a, b);
  if (const int order = compare_text(a.key, b.key); order != 0) return order;
  if (a.regex != nullptr) return compare_text(a.regex->source, b.regex->source);
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

Node WhenNormalizer::all_of(Terms terms, bool thorough) {
  NodeList list;
  for (Node term : terms) {
    if (term == nullptr || term->kind == WhenKind::False) return term;
    if (term->kind == WhenKind::And)
      list.insert(list.end(), term->terms.begin(), term->terms.end());
    else if (term->kind != WhenKind::True)
      list.push_back(term);
  }
  if (!spend(sorting_work(list))) return nullptr;
  if (list.empty()) return &kWhenTrue;
  sort(list);
  remove_duplicates(list);
  while (list.size() > 1 && list.back()->kind == WhenKind::Or) {
    Node alternatives = list.back();
    list.pop_back();
    Node factor = list.back();
    list.pop_back();
    Node result = distribute(*alternatives, *factor, thorough, list.empty());
    if (result == nullptr) return nullptr;
    list.push_back(result);
    sort(list);
  }
  if (list.size() == 1) return list[0];
  if (thorough && has_opposites(list)) return &kWhenFalse;
  if (exhausted_) return nullptr;
  return store_.add({.kind = WhenKind::And, .flat = is_flat(list), .terms = store_.keep(list)});
}

Node WhenNormalizer::any_of(Terms terms, bool thorough, Node negation) {
  NodeList list;
  for (Node term : terms) {
    if (term == nullptr || term->kind == WhenKind::True) return term;
    if (term->kind == WhenKind::Or)
      list.insert(list.end(), term->terms.begin(), term->terms.end());
    else if (term->kind != WhenKind::False)
      list.push_back(term);
  }
  if (!spend(sorting_work(list))) return nullptr;
  if (list.empty()) return &kWhenFalse;
  sort(list);
  remove_duplicates(list);
  if (list.size() == 1) return list[0];
  if (thorough && has_opposites(list)) return &kWhenTrue;
  if (exhausted_) return nullptr;
  return store_.add({.kind = WhenKind::Or,
                     .flat = is_flat(list),
                     .negation = negation,
                     .terms = store_.keep(list)});
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

bool WhenNormalizer::has_opposites(Terms terms) {
  // A pair of leaves takes about a tenth of what a term takes elsewhere.
  if (!spend(terms.size() * terms.size() / 20)) return false;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = i + 1; j < terms.size(); ++j)
      if (are_opposite(*terms[i], *terms[j])) return true;
  return false;
}

bool WhenNormalizer::are_opposite(const WhenNode& a, const WhenNode& b) {
  if (!is_compound(a)) return b.kind == opposite(a.kind) && equal_leaves(a, b);
  // The negation of a flat && is an ||, that of a flat || an &&.
  if (a.flat && b.kind != (a.kind == WhenKind::And ? WhenKind::Or : WhenKind::And)) return false;
  Node negated = negate(a);
  return negated != nullptr && equal(*negated, b);
}

}  // namespace toolgate
