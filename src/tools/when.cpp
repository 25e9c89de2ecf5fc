// A clause's text, keys, negation and implications, and the words for its faults.
#include "tools/when.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/json_number.h"
#include "tools/when_node.h"
#include "tools/when_scanner.h"

namespace toolgate {
namespace {

std::string_view operator_text(WhenKind kind) {
  switch (kind) {
    case WhenKind::Equals:
      return "==";
    case WhenKind::NotEquals:
      return "!=";
    case WhenKind::In:
      return "in";
    case WhenKind::NotIn:
      return "not in";
    case WhenKind::Greater:
      return ">";
    case WhenKind::GreaterEquals:
      return ">=";
    case WhenKind::Smaller:
      return "<";
    default:
      return "<=";
  }
}

std::string bound_text(const WhenNode& node, WhenText style) {
  if (!node.numeric) {
    const bool bare = style == WhenText::Classic || node.value.empty() || is_when_word(node.value);
    return bare ? std::string(node.value) : fmt::format("'{}'", node.value);
  }
  if (std::isinf(node.number)) return node.number < 0 ? "-Infinity" : "Infinity";
  return javascript_text(node.number);
}

void append_text(std::string& out, const WhenNode& node, WhenText style);

void append_terms(std::string& out, const WhenNode& node, std::string_view between,
                  WhenText style) {
  for (std::size_t i = 0; i < node.terms.size(); ++i) {
    if (i > 0) out += between;
    const bool enclosed = style == WhenText::Exact && node.terms[i]->kind == WhenKind::Or;
    if (enclosed) out += '(';
    append_text(out, *node.terms[i], style);
    if (enclosed) out += ')';
  }
}

void append_regex(std::string& out, const WhenNode& node) {
  out += fmt::format("{} =~ /{}/{}", node.key, node.regex->source, node.regex->flags);
}

void append_text(std::string& out, const WhenNode& node, WhenText style) {
  switch (node.kind) {
    case WhenKind::False:
      out += "false";
      return;
    case WhenKind::True:
      out += "true";
      return;
    case WhenKind::Defined:
      out += node.key;
      return;
    case WhenKind::Not:
      out += '!';
      out += node.key;
      return;
    case WhenKind::And:
      return append_terms(out, node, " && ", style);
    case WhenKind::Or:
      return append_terms(out, node, " || ", style);
    case WhenKind::Regex:
      return append_regex(out, node);
    case WhenKind::NotRegex:
      out += "!(";
      append_regex(out, node);
      out += ')';
      return;
    case WhenKind::Complement:
      out += "!(";
      append_text(out, *node.terms[0], style);
      out += ')';
      return;
    case WhenKind::Equals:
    case WhenKind::NotEquals:
    case WhenKind::In:
    case WhenKind::NotIn:
      out += fmt::format("{} {} '{}'", node.key, operator_text(node.kind), node.value);
      return;
    default:
      out += fmt::format("{} {} {}", node.key, operator_text(node.kind), bound_text(node, style));
  }
}

void append_keys(std::vector<std::string>& keys, const WhenNode& node) {
  for (const WhenNode* term : node.terms) append_keys(keys, *term);
  if (!node.key.empty()) keys.emplace_back(node.key);
  if (node.kind == WhenKind::In || node.kind == WhenKind::NotIn) keys.emplace_back(node.value);
}

// Both are sorted.
bool includes(std::span<const WhenNode* const> all, std::span<const WhenNode* const> some) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < all.size() && found < some.size(); ++i) {
    const int order = compare(*some[found], *all[i]);
    if (order < 0) return false;
    if (order == 0) ++found;
  }
  return found == some.size();
}

struct Explanation {
  std::string_view kind;
  std::string_view words;
};
constexpr Explanation kExplanations[] = {
    {"did_you_mean_eq_or_regex", "a single '=' means nothing; write '==' or '=~'"},
    {"did_you_mean_and", "a single '&' means nothing; write '&&'"},
    {"did_you_mean_or", "a single '|' means nothing; write '||'"},
    {"quote_not_closed", "the closing single quote is missing"},
    {"regex_not_closed", "the closing '/' is missing; a '/' within must be written '\\/'"},
    {"empty", "the clause is empty; leave it out, or write 'true'"},
    {"unexpected_token", "nothing may follow here"},
    {"unexpected_end", "the clause ends where a key is missing"},
    {"expected_regex", "after '=~' there must be a regular expression like /^a+$/i"},
    {"expected_closing_paren", "a closing parenthesis is missing"},
    {"expected_in_after_not", "'not' must be followed by 'in'; to negate, write '!'"},
    {"expected_negatable", "after '!' there must be a key, true, false or a parenthesis"},
    {"expected_operand", "a key, true, false, '!' or a parenthesis is missing"},
    {"too_long", "the clause is too long"},
    {"too_deep", "too many parentheses within each other"},
    {"too_complex",
     "the clause has too many terms, or combinations of '||' within '&&'; write fewer"},
};

}  // namespace

std::string describe(const WhenFault& fault) {
  const auto known = std::ranges::find(kExplanations, fault.kind, &Explanation::kind);
  std::string words(known == std::end(kExplanations) ? "not understood" : known->words);
  if (fault.hint == "forgot_and_or") words += "; is '&&' or '||' missing before it?";
  const std::string place = fmt::format("at character {}", fault.offset + 1);
  if (fault.lexeme.empty()) return fmt::format("{}: {}", place, words);
  if (fault.lexeme == "EOF") return fmt::format("{}, at the end: {}", place, words);
  return fmt::format("{}, '{}': {}", place, fault.lexeme, words);
}

bool implies(const WhenNode& condition, const WhenNode& conclusion) {
  if (condition.kind == WhenKind::False || conclusion.kind == WhenKind::True) return true;
  if (condition.kind == WhenKind::Or)
    return conclusion.kind == WhenKind::Or && includes(conclusion.terms, condition.terms);
  if (conclusion.kind == WhenKind::Or)
    return std::ranges::any_of(conclusion.terms,
                               [&](const WhenNode* term) { return implies(condition, *term); });
  if (condition.kind != WhenKind::And) return equal(condition, conclusion);
  if (conclusion.kind == WhenKind::And) return includes(condition.terms, conclusion.terms);
  return std::ranges::any_of(condition.terms,
                             [&](const WhenNode* term) { return implies(*term, conclusion); });
}

std::string_view WhenStore::keep(std::string_view text) {
  auto* copy = static_cast<char*>(allocate(text.size() + kWhenPadding));
  std::memcpy(copy, text.data(), text.size());
  std::memset(copy + text.size(), 0, kWhenPadding);
  return {copy, text.size()};
}

void WhenStore::add_block(std::size_t least) {
  left_ = std::max(least, first_block_.size() << blocks_.size());
  free_ = blocks_.emplace_back(new std::byte[left_]).get();
}

const WhenNode* WhenStore::negation_of(const WhenNode* root) {
  const std::lock_guard lock(negating_);
  const auto known = std::ranges::find(negations_, root, &decltype(negations_)::value_type::first);
  if (known != negations_.end()) return known->second;
  const WhenNode* negated = WhenNormalizer(*this).negate(*root);
  if (negated == nullptr) {
    const auto terms = room_for(1);
    terms[0] = root;
    negated = add({.kind = WhenKind::Complement, .terms = terms});
  }
  negations_.emplace_back(root, negated);
  return negated;
}

std::string WhenClause::text(WhenText style) const {
  std::string out;
  append_text(out, *root_, style);
  return out;
}

WhenClause WhenClause::negated() const {
  return {store_, store_->negation_of(root_)};
}

bool WhenClause::implies(const WhenClause& other) const {
  return toolgate::implies(*root_, *other.root_);
}

std::vector<std::string> WhenClause::keys() const {
  std::vector<std::string> keys;
  append_keys(keys, *root_);
  return keys;
}

const WhenFault* ParsedWhen::first_fault() const {
  if (!lexing_faults.empty()) return &lexing_faults.front();
  return parsing_faults.empty() ? nullptr : &parsing_faults.front();
}

}  // namespace toolgate
