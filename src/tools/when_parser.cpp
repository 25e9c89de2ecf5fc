// Recursive descent over the tokens of a clause:
//   or = and {"||" and};  and = term {"&&" term};  term = "!" (key | true | false | "(" or ")") | …
// Terms come out in normal form. A null node means that a fault was noted.
#include <cmath>
#include <cstring>

#include <boost/container/small_vector.hpp>

#include "base/utf8.h"
#include "tools/when_node.h"
#include "tools/when_scanner.h"
#include "tools/when_values.h"

namespace toolgate {
namespace {

using Node = const WhenNode*;
using NodeList = boost::container::small_vector<Node, 8>;

class WhenParser {
 public:
  // Faults go to `parsed`.
  WhenParser(std::string_view text, const WhenOptions& options, WhenStore& store,
             ParsedWhen& parsed)
      : store_(store),
        normal_(store),
        options_(options),
        scanner_(text, parsed.lexing_faults),
        faults_(parsed.parsing_faults) {}

  Node run();

 private:
  bool take(WhenToken kind);
  std::string_view take_lexeme();

  Node any();
  Node any_from(Node first);
  Node all();
  Node all_from(Node first);
  Node term();
  Node negated_term();
  Node primary();
  Node in_parentheses();
  Node comparison(std::string_view key);
  Node equality(WhenKind kind, std::string_view key);
  Node bound(WhenKind kind, std::string_view key);
  Node membership(WhenKind kind, std::string_view key);
  Node key_node(WhenKind kind, std::string_view key);
  WhenNode& leaf(WhenKind kind, std::string_view key);
  std::string_view value();

  Node regex(std::string_view key);
  Node quoted_regex(std::string_view key);
  Node mended_regex(std::string_view key);
  // `written` is the token that a fault names.
  Node regex_from(std::string_view key, std::string_view literal, std::string_view written);
  Node regex_node(std::string_view key, std::string_view pattern, std::string_view flags,
                  std::string_view written);
  Node refuse_regex(std::string_view written);

  std::optional<bool> constant(std::string_view key) const;
  Node combined(Node node);
  Node refuse_here(std::string_view kind, std::string_view hint = {});
  Node refuse(std::string_view kind, std::size_t offset, std::string_view lexeme,
              std::string_view hint = {});

  WhenStore& store_;
  WhenNormalizer normal_;
  WhenOptions options_;
  WhenScanner scanner_;
  std::vector<WhenFault>& faults_;
  std::size_t depth_ = 0;
};

Node WhenParser::run() {
  Node node = any();
  if (node != nullptr && scanner_.kind() != WhenToken::End) {
    const bool word = scanner_.kind() == WhenToken::Word;
    node = refuse_here("unexpected_token", word ? "forgot_and_or" : "");
  }
  while (scanner_.kind() != WhenToken::End) scanner_.advance();  // for the rest of its faults
  return node;
}

bool WhenParser::take(WhenToken kind) {
  if (scanner_.kind() != kind) return false;
  scanner_.advance();
  return true;
}

std::string_view WhenParser::take_lexeme() {
  const std::string_view lexeme = scanner_.lexeme();
  scanner_.advance();
  return lexeme;
}

// Out of line, so that those who may have to refuse stay small.
[[gnu::noinline]] Node WhenParser::refuse(std::string_view kind, std::size_t offset,
                                          std::string_view lexeme, std::string_view hint) {
  faults_.push_back(scanner_.fault_at(kind, offset, lexeme));
  faults_.back().hint = hint;
  return nullptr;
}

Node WhenParser::refuse_here(std::string_view kind, std::string_view hint) {
  const bool end = scanner_.kind() == WhenToken::End;
  return refuse(kind, scanner_.offset(), end ? "EOF" : scanner_.lexeme(), hint);
}

Node WhenParser::combined(Node node) {
  return node != nullptr ? node : refuse("too_complex", 0, {});
}

Node WhenParser::any() {
  Node first = all();
  return first != nullptr && scanner_.kind() == WhenToken::Or ? any_from(first) : first;
}

Node WhenParser::any_from(Node first) {
  NodeList terms;
  terms.push_back(first);
  while (take(WhenToken::Or)) {
    terms.push_back(all());
    if (terms.back() == nullptr) return nullptr;
  }
  return combined(normal_.any_of(terms));
}

Node WhenParser::all() {
  Node first = term();
  return first != nullptr && scanner_.kind() == WhenToken::And ? all_from(first) : first;
}

Node WhenParser::all_from(Node first) {
  NodeList terms;
  terms.push_back(first);
  while (take(WhenToken::And)) {
    terms.push_back(term());
    if (terms.back() == nullptr) return nullptr;
  }
  return combined(normal_.all_of(terms));
}

Node WhenParser::term() {
  return take(WhenToken::Negate) ? negated_term() : primary();
}

Node WhenParser::negated_term() {
  switch (scanner_.kind()) {
    case WhenToken::True:
      scanner_.advance();
      return &kWhenFalse;
    case WhenToken::False:
      scanner_.advance();
      return &kWhenTrue;
    case WhenToken::Word:
      return key_node(WhenKind::Not, take_lexeme());
    case WhenToken::OpenParen: {
      Node inner = in_parentheses();
      return inner == nullptr ? nullptr : combined(normal_.negate(*inner));
    }
    default:
      return refuse_here("expected_negatable");
  }
}

Node WhenParser::primary() {
  switch (scanner_.kind()) {
    case WhenToken::True:
      scanner_.advance();
      return &kWhenTrue;
    case WhenToken::False:
      scanner_.advance();
      return &kWhenFalse;
    case WhenToken::OpenParen:
      return in_parentheses();
    case WhenToken::Word:
      return comparison(take_lexeme());
    case WhenToken::End:
      return refuse("unexpected_end", scanner_.offset(), {}, "forgot_key");
    default:
      return refuse_here("expected_operand");
  }
}

Node WhenParser::in_parentheses() {
  if (depth_ == kDeepestWhen) return refuse_here("too_deep");
  scanner_.advance();
  ++depth_;
  Node inner = any();
  --depth_;
  if (inner == nullptr) return nullptr;
  if (!take(WhenToken::CloseParen)) return refuse_here("expected_closing_paren");
  return inner;
}

Node WhenParser::comparison(std::string_view key) {
  const WhenToken token = scanner_.kind();
  switch (token) {
    case WhenToken::RegexOperator:
      scanner_.advance();
      return regex(key);
    case WhenToken::Not:
      scanner_.advance();
      if (!take(WhenToken::In)) return refuse_here("expected_in_after_not");
      return membership(WhenKind::NotIn, key);
    case WhenToken::In:
      scanner_.advance();
      return membership(WhenKind::In, key);
    case WhenToken::Equals:
      scanner_.advance();
      return equality(WhenKind::Equals, key);
    case WhenToken::NotEquals:
      scanner_.advance();
      return equality(WhenKind::NotEquals, key);
    case WhenToken::Smaller:
      scanner_.advance();
      return bound(WhenKind::Smaller, key);
    case WhenToken::SmallerEquals:
      scanner_.advance();
      return bound(WhenKind::SmallerEquals, key);
    case WhenToken::Greater:
      scanner_.advance();
      return bound(WhenKind::Greater, key);
    case WhenToken::GreaterEquals:
      scanner_.advance();
      return bound(WhenKind::GreaterEquals, key);
    default:
      return key_node(WhenKind::Defined, key);
  }
}

// A value that is missing is the empty text.
std::string_view WhenParser::value() {
  switch (scanner_.kind()) {
    case WhenToken::Quoted:
    case WhenToken::Word:
    case WhenToken::True:
    case WhenToken::False:
    case WhenToken::In:
      return take_lexeme();
    default:
      return {};
  }
}

// Keys whose value is known here and now.
std::optional<bool> WhenParser::constant(std::string_view key) const {
  if (!key.starts_with("is")) return std::nullopt;
  if (key == "isLinux") return options_.platform == WhenPlatform::Linux;
  if (key == "isWindows") return options_.platform == WhenPlatform::Windows;
  if (key == "isMac" || key == "isMacNative") return options_.platform == WhenPlatform::Mac;
  for (const std::string_view browser :
       {"isWeb", "isEdge", "isFirefox", "isChrome", "isSafari", "isChromeOS"})
    if (key == browser) return false;
  return std::nullopt;
}

WhenNode& WhenParser::leaf(WhenKind kind, std::string_view key) {
  WhenNode& node = store_.add();
  node.kind = kind;
  node.key = key;
  node.key_hash = hash_context_key(key);
  return node;
}

Node WhenParser::key_node(WhenKind kind, std::string_view key) {
  if (const auto known = constant(key))
    return *known == (kind == WhenKind::Defined) ? &kWhenTrue : &kWhenFalse;
  return &leaf(kind, key);
}

Node WhenParser::equality(WhenKind kind, std::string_view key) {
  const WhenToken right = scanner_.kind();
  const std::string_view text = value();
  const bool equals = kind == WhenKind::Equals;
  if (right == WhenToken::True || right == WhenToken::False)
    return key_node((right == WhenToken::True) == equals ? WhenKind::Defined : WhenKind::Not, key);
  if (const auto known = constant(key))
    return (text == (*known ? "true" : "false")) == equals ? &kWhenTrue : &kWhenFalse;
  WhenNode& node = leaf(kind, key);
  node.value = text;
  return &node;
}

Node WhenParser::bound(WhenKind kind, std::string_view key) {
  const std::string_view text = value();
  const double number = leading_number(text);
  WhenNode& node = leaf(kind, key);
  node.numeric = !std::isnan(number);
  if (node.numeric)
    node.number = number;
  else
    node.value = text;
  return &node;
}

Node WhenParser::membership(WhenKind kind, std::string_view key) {
  WhenNode& node = leaf(kind, key);
  node.ignores_case = options_.platform == WhenPlatform::Windows;
  node.value = value();
  return &node;
}

Node WhenParser::regex(std::string_view key) {
  const WhenToken token = scanner_.kind();
  if (options_.mode == WhenMode::Lenient) {
    if (token == WhenToken::Regex || token == WhenToken::Error) return mended_regex(key);
    if (token == WhenToken::Quoted) return quoted_regex(key);
  } else if (token == WhenToken::Regex) {
    const std::string_view literal = take_lexeme();
    return regex_from(key, literal, literal);
  }
  return refuse_here("expected_regex");
}

Node WhenParser::quoted_regex(std::string_view key) {
  const std::string_view text = take_lexeme();
  const std::size_t open = text.find('/');
  const std::size_t close = text.rfind('/');
  if (open == close) return refuse_regex(text);
  const bool ignore_case = text.substr(close + 1).starts_with('i');
  return regex_node(key, text.substr(open + 1, close - open - 1), ignore_case ? "i" : "", text);
}

// The UTF-16 units of a text, one at a time. Only ASCII is told apart.
class Units {
 public:
  explicit Units(std::string_view text) : text_(text) {}
  // 0 behind the end.
  char next() {
    if (half_) {
      half_ = false;
      return kOther;
    }
    if (at_ >= text_.size()) return 0;
    const auto byte = static_cast<unsigned char>(text_[at_]);
    at_ += byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    half_ = byte >= 0xF0;
    return byte < 0x80 && byte != 0 ? static_cast<char>(byte) : kOther;
  }

 private:
  static constexpr char kOther = '\x7F';
  std::string_view text_;
  std::size_t at_ = 0;
  bool half_ = false;
};

// How far a token changes the count of open parentheses. VS Code looks for the closing ones in the
// expression's first token, not in this one; so do we, or clauses would be cut elsewhere.
int open_parentheses(std::string_view token, std::string_view first) {
  Units units(token);
  Units first_units(first);
  int balance = 0;
  while (const char unit = units.next()) {
    const char other = first_units.next();
    if (unit == '(')
      ++balance;
    else if (other == ')')
      --balance;
  }
  return balance;
}

// Takes everything up to `&&`, `||` or a closing parenthesis for the expression: slashes that are
// not escaped cut it in many tokens.
Node WhenParser::mended_regex(std::string_view key) {
  const std::string_view first = take_lexeme();
  std::string literal(first);
  int balance = open_parentheses(first, first);
  for (; scanner_.kind() != WhenToken::End; scanner_.advance()) {
    const WhenToken token = scanner_.kind();
    if (token == WhenToken::And || token == WhenToken::Or) break;
    if (token == WhenToken::OpenParen) ++balance;
    if (token == WhenToken::CloseParen) --balance;
    if (token == WhenToken::Regex || token == WhenToken::Quoted)
      balance += open_parentheses(scanner_.lexeme(), first);
    if (balance < 0) break;
    literal += scanner_.lexeme();
  }
  return regex_from(key, literal, first);
}

Node WhenParser::regex_from(std::string_view key, std::string_view literal,
                            std::string_view written) {
  const std::size_t slash = literal.rfind('/');
  const std::size_t close = slash == literal.npos ? 0 : slash;
  std::string flags(literal.substr(slash == literal.npos ? 0 : slash + 1));
  std::erase_if(flags, [](char c) { return c == 'g' || c == 'y'; });
  // JavaScript's substring(1, 0) is the first character.
  const std::string_view pattern = close == 0 ? literal.substr(0, 1) : literal.substr(1, close - 1);
  return regex_node(key, pattern, flags, written);
}

Node WhenParser::regex_node(std::string_view key, std::string_view pattern, std::string_view flags,
                            std::string_view written) {
  auto made = make_when_regex(pattern, flags);
  if (!made) return refuse_regex(written);
  WhenNode& node = leaf(WhenKind::Regex, key);
  node.regex = store_.add(std::move(*made));
  return &node;
}

Node WhenParser::refuse_regex(std::string_view written) {
  return refuse("expected_regex", scanner_.offset_of(written), written);
}

// Looks at eight bytes at a time: NULs follow a text that is kept.
bool is_ascii(std::string_view kept) {
  std::uint64_t all = 0;
  for (std::size_t at = 0; at < kept.size(); at += 8) {
    std::uint64_t block = 0;
    std::memcpy(&block, kept.data() + at, 8);
    all |= block;
  }
  return (all & 0x8080808080808080U) == 0;
}

}  // namespace

ParsedWhen parse_when(std::string_view text, const WhenOptions& options) {
  ParsedWhen parsed;
  if (text.empty()) {
    parsed.parsing_faults.push_back({.kind = "empty", .lexeme = {}, .hint = "forgot_expression"});
    return parsed;
  }
  if (text.size() > kLongestWhen) {
    parsed.parsing_faults.push_back({.kind = "too_long", .lexeme = {}, .hint = {}});
    return parsed;
  }
  auto store = std::make_shared<WhenStore>();
  std::string_view own = store->keep(text);
  if (!is_ascii(own) && !is_valid_utf8(own)) own = store->keep(std::string_view(mend_utf8(own)));
  if (const WhenNode* root = WhenParser(own, options, *store, parsed).run())
    parsed.clause.emplace(std::move(store), root);
  return parsed;
}

}  // namespace toolgate
