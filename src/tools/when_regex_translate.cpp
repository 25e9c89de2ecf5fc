// From JavaScript's regular expressions to PCRE2's: one pass that refuses what JavaScript refuses
// and spells out the rest. schema/pattern_translate.cpp is the one for JSON Schema, which knows the
// `u` mode only and lets more pass.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schema/pattern.h"
#include "tools/when_regex.h"

namespace toolgate {
namespace {

constexpr std::string_view kLineEnds = "\\n\\r\\x{2028}\\x{2029}";
constexpr std::string_view kSyntax = "^$\\.*+?()[]{}|/";
constexpr std::string_view kControlLetters = "tnvfrb";
constexpr std::string_view kControls = "\t\n\v\f\r\b";
constexpr std::size_t kMostRepeats = 65535;  // PCRE2's limit

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_surrogate(std::uint32_t code) {
  return code >= 0xD800 && code <= 0xDFFF;
}

// The inside of a class for `\s`, `\S` and properties.
Result<std::string> class_inside(std::string_view escape) {
  auto made = translate_pattern(fmt::format("[{}]", escape), true);
  if (!made) return made;
  return made->substr(1, made->size() - 2);
}

struct Element {
  std::uint32_t code = 0;
  std::string set;  // not a character but this, in PCRE2's spelling
  bool is_set() const { return !set.empty(); }
};

class RegexTranslator {
 public:
  RegexTranslator(std::string_view text, const RegexFlags& flags) : text_(text), flags_(flags) {}

  Result<std::string> run();

 private:
  bool more() const { return at_ < text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void refuse(std::string_view problem) {
    if (problem_.empty()) problem_ = problem;
  }
  void put_code(std::uint32_t code);
  void put_assertion(std::string_view spelled);

  void find_groups();
  std::optional<std::string_view> group_name();
  void one();
  void open_group();
  void close_group();
  void quantifier();
  bool braces();
  std::optional<std::size_t> number();
  void escape();
  bool reference();
  void named_reference();
  void set();
  void put_range(const Element& from, const Element& to);
  void put_element(const Element& element);
  Element set_element();
  Element character_escape(bool in_set);
  Element unicode_escape();
  Element octal_escape(char first);
  Element property(char letter);
  std::uint32_t literal();
  std::optional<std::uint32_t> hex(std::size_t count);

  std::string_view text_;
  RegexFlags flags_;
  std::size_t at_ = 0;
  std::string out_;
  std::string problem_;
  std::size_t group_count_ = 0;
  std::vector<std::pair<std::string_view, std::size_t>> names_;
  std::vector<bool> open_groups_;  // whether what it closes to may be repeated
  bool repeatable_ = false;
};

Result<std::string> RegexTranslator::run() {
  find_groups();
  if (flags_.ignore_case) out_ += "(?i)";
  while (more() && problem_.empty()) one();
  if (!open_groups_.empty()) refuse("unterminated group");
  if (!problem_.empty()) return fail(Errc::InvalidRequest, "{}", problem_);
  return std::move(out_);
}

void RegexTranslator::put_code(std::uint32_t code) {
  if (is_surrogate(code)) {
    out_ += "(?!)";  // our texts have no lone surrogates
  } else if (code < 0x80 &&
             (is_digit(static_cast<char>(code)) || is_letter(static_cast<char>(code)))) {
    out_ += static_cast<char>(code);
  } else {
    out_ += fmt::format("\\x{{{:x}}}", code);
  }
}

void RegexTranslator::put_assertion(std::string_view spelled) {
  out_ += spelled;
  repeatable_ = false;
}

// References may stand before their groups, so these are counted first.
void RegexTranslator::find_groups() {
  bool in_class = false;
  for (at_ = 0; more(); ++at_) {
    const char c = peek();
    if (c == '\\') {
      ++at_;
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    } else if (c == '(' && !in_class) {
      const bool named = peek(1) == '?' && peek(2) == '<' && peek(3) != '=' && peek(3) != '!';
      if (peek(1) == '?' && !named) continue;
      ++group_count_;
      if (!named) continue;
      const std::size_t here = std::exchange(at_, at_ + 3);
      const auto name = group_name();
      at_ = here;
      if (!name) return refuse("invalid group name");
      if (std::ranges::any_of(names_, [&](const auto& known) { return known.first == *name; }))
        return refuse("duplicate group name");
      names_.emplace_back(*name, group_count_);
    }
  }
  at_ = 0;
}

// Stands behind `<`; leaves behind `>`.
std::optional<std::string_view> RegexTranslator::group_name() {
  const std::size_t begin = at_;
  while (more() && peek() != '>') {
    const char c = peek();
    const bool wide = static_cast<unsigned char>(c) >= 0x80;
    if (!wide && !is_letter(c) && c != '_' && c != '$' && !(is_digit(c) && at_ > begin))
      return std::nullopt;
    ++at_;
  }
  if (!more() || at_ == begin) return std::nullopt;
  return text_.substr(begin, at_++ - begin);
}

void RegexTranslator::one() {
  switch (peek()) {
    case '\\':
      return escape();
    case '[':
      return set();
    case '(':
      return open_group();
    case ')':
      return close_group();
    case '*':
    case '+':
    case '?':
      return quantifier();
    case '|':
      ++at_;
      return put_assertion("|");
    case '^':
      ++at_;
      return put_assertion(flags_.multi_line ? fmt::format("(?:^|(?<=[{}]))", kLineEnds) : "^");
    case '$':
      ++at_;
      return put_assertion(flags_.multi_line ? fmt::format("(?=[{}]|\\z)", kLineEnds) : "$");
    case '.':
      ++at_;
      out_ += flags_.dot_all ? "(?s:.)" : fmt::format("[^{}]", kLineEnds);
      break;
    case '{':
      if (braces()) return;
      [[fallthrough]];
    case '}':
    case ']':
      if (flags_.unicode) return refuse("lone quantifier bracket");
      [[fallthrough]];
    default:
      put_code(literal());
  }
  repeatable_ = true;
}

// Only JavaScript's groups, so that PCRE2's recursion, verbs and callouts stay out of reach.
void RegexTranslator::open_group() {
  static constexpr std::string_view kKinds[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!"};
  repeatable_ = false;
  const std::string_view rest = text_.substr(at_);
  for (const std::string_view kind : kKinds) {
    if (!rest.starts_with(kind)) continue;
    const bool look_behind = kind.starts_with("(?<");
    open_groups_.push_back(kind == "(?:" || (!look_behind && !flags_.unicode));
    out_ += kind;
    at_ += kind.size();
    return;
  }
  if (rest.starts_with("(?<")) {
    at_ += 3;
    if (!group_name()) return refuse("invalid group name");
  } else if (rest.starts_with("(?")) {
    return refuse("invalid group");
  } else {
    ++at_;
  }
  out_ += '(';
  open_groups_.push_back(true);
}

void RegexTranslator::close_group() {
  if (open_groups_.empty()) return refuse("unmatched ')'");
  out_ += ')';
  ++at_;
  repeatable_ = open_groups_.back();
  open_groups_.pop_back();
}

void RegexTranslator::quantifier() {
  if (!repeatable_) return refuse("nothing to repeat");
  repeatable_ = false;
  out_ += text_[at_++];
  if (peek() == '?') out_ += text_[at_++];
}

std::optional<std::size_t> RegexTranslator::number() {
  if (!is_digit(peek())) return std::nullopt;
  std::size_t value = 0;
  for (; is_digit(peek()); ++at_)
    value = std::min(value * 10 + static_cast<std::size_t>(peek() - '0'), kMostRepeats + 1);
  return value;
}

// `{2}`, `{2,}` or `{2,3}`; false if the bracket stands for itself.
bool RegexTranslator::braces() {
  const std::size_t begin = at_++;
  const auto least = number();
  auto most = least;
  if (least && peek() == ',') {
    ++at_;
    most = number();
    if (!most && peek() == '}') most = kMostRepeats + 1;
  }
  if (!least || !most || peek() != '}') {
    at_ = begin;
    return false;
  }
  ++at_;
  if (*least > *most) refuse("numbers out of order in {} quantifier");
  if (!repeatable_) refuse("nothing to repeat");
  repeatable_ = false;
  out_ += *most > kMostRepeats ? fmt::format("{{{},}}", *least)
                               : fmt::format("{{{},{}}}", *least, *most);
  if (peek() == '?') out_ += text_[at_++];
  return true;
}

void RegexTranslator::escape() {
  const char c = peek(1);
  if (at_ + 1 >= text_.size()) return refuse("\\ at end of pattern");
  if (c == 'b' || c == 'B') {
    at_ += 2;
    return put_assertion(c == 'b' ? "\\b" : "\\B");
  }
  repeatable_ = true;
  if (c >= '1' && c <= '9' && reference()) return;
  if (c == 'k' && (flags_.unicode || !names_.empty())) return named_reference();
  const Element element = character_escape(false);
  if (element.is_set())
    out_ += fmt::format("[{}]", element.set);
  else
    put_code(element.code);
}

// `\12` refers to a group if there are so many.
bool RegexTranslator::reference() {
  const std::size_t begin = at_++;
  const auto group = number();
  if (group && *group <= group_count_) {
    out_ += fmt::format("\\g{{{}}}", *group);
    return true;
  }
  if (flags_.unicode) refuse("invalid escape");
  at_ = begin;
  return flags_.unicode;
}

void RegexTranslator::named_reference() {
  at_ += 2;
  if (peek() != '<') return refuse("invalid named reference");
  ++at_;
  const auto name = group_name();
  if (!name) return refuse("invalid named reference");
  for (const auto& [known, group] : names_) {
    if (known != *name) continue;
    out_ += fmt::format("\\g{{{}}}", group);
    return;
  }
  refuse("invalid named capture referenced");
}

void RegexTranslator::set() {
  ++at_;
  repeatable_ = true;
  const bool inverted = peek() == '^';
  if (inverted) ++at_;
  const std::size_t begin = out_.size();
  out_ += inverted ? "[^" : "[";
  const std::size_t inside = out_.size();
  while (more() && peek() != ']' && problem_.empty()) {
    const Element from = set_element();
    if (peek() != '-' || at_ + 1 >= text_.size() || peek(1) == ']') {
      put_element(from);
      continue;
    }
    ++at_;
    put_range(from, set_element());
  }
  if (!more()) return refuse("unterminated character class");
  ++at_;
  if (out_.size() > inside) {
    out_ += ']';
    return;
  }
  out_.resize(begin);
  out_ += inverted ? "(?s:.)" : "(?!)";
}

void RegexTranslator::put_element(const Element& element) {
  if (element.is_set())
    out_ += element.set;
  else if (is_surrogate(element.code))
    refuse("a lone surrogate in a class");
  else
    put_code(element.code);
}

void RegexTranslator::put_range(const Element& from, const Element& to) {
  const bool range = !from.is_set() && !to.is_set();
  if (!range && flags_.unicode) return refuse("invalid character class");
  if (range && from.code > to.code) return refuse("range out of order");
  put_element(from);
  out_ += range ? "-" : "\\-";
  put_element(to);
}

Element RegexTranslator::set_element() {
  if (peek() != '\\') return {.code = literal(), .set = {}};
  if (at_ + 1 >= text_.size()) {
    refuse("\\ at end of pattern");
    return {};
  }
  return character_escape(true);
}

Element RegexTranslator::character_escape(bool in_set) {
  ++at_;
  const char c = peek();
  const std::size_t behind = at_ + 1;
  if (const auto control = kControlLetters.find(c); control != kControlLetters.npos) {
    at_ = behind;
    return {.code = static_cast<std::uint32_t>(kControls[control]), .set = {}};
  }
  if (std::string_view("dDwW").contains(c)) {
    at_ = behind;
    return {.code = 0, .set = {'\\', c}};
  }
  switch (c) {
    case 's':
    case 'S':
      at_ = behind;
      return {.code = 0, .set = *class_inside(c == 's' ? "\\s" : "\\S")};
    case 'c': {
      const char next = peek(1);
      if (is_letter(next) || (in_set && !flags_.unicode && (is_digit(next) || next == '_'))) {
        at_ += 2;
        return {.code = static_cast<std::uint32_t>(next) % 32, .set = {}};
      }
      if (flags_.unicode) refuse("invalid control escape");
      return {.code = '\\', .set = {}};  // the c stays
    }
    case 'x':
      at_ = behind;
      if (const auto code = hex(2)) return {.code = *code, .set = {}};
      if (flags_.unicode) refuse("invalid escape");
      return {.code = 'x', .set = {}};
    case 'u':
      at_ = behind;
      return unicode_escape();
    case 'p':
    case 'P':
      if (flags_.unicode) return property(c);
      break;
    default:
      if (is_digit(c)) return octal_escape(c);
  }
  const bool known = kSyntax.contains(c) || (in_set && c == '-');
  if (flags_.unicode && !known) refuse("invalid escape");
  return {.code = literal(), .set = {}};
}

Element RegexTranslator::octal_escape(char first) {
  if (first >= '8' || (flags_.unicode && (first != '0' || is_digit(peek(1))))) {
    if (flags_.unicode) refuse("invalid decimal escape");
    ++at_;
    return {.code = static_cast<std::uint32_t>(first), .set = {}};
  }
  std::uint32_t code = 0;
  const std::size_t most = first <= '3' ? 3 : 2;
  for (std::size_t i = 0; i < most && peek() >= '0' && peek() <= '7'; ++i, ++at_)
    code = code * 8 + static_cast<std::uint32_t>(peek() - '0');
  return {.code = code, .set = {}};
}

Element RegexTranslator::unicode_escape() {
  if (flags_.unicode && peek() == '{') {
    ++at_;
    std::uint32_t code = 0;
    std::size_t digits = 0;
    for (std::optional<std::uint32_t> digit; code <= 0x10FFFF && (digit = hex(1)); ++digits)
      code = code * 16 + *digit;
    if (digits == 0 || peek() != '}' || code > 0x10FFFF) refuse("invalid Unicode escape");
    ++at_;
    return {.code = code, .set = {}};
  }
  const auto unit = hex(4);
  if (!unit) {
    if (flags_.unicode) refuse("invalid Unicode escape");
    return {.code = 'u', .set = {}};
  }
  const std::size_t behind = at_;
  if (*unit >= 0xD800 && *unit <= 0xDBFF && peek() == '\\' && peek(1) == 'u') {
    at_ += 2;
    const auto low = hex(4);
    if (low && *low >= 0xDC00 && *low <= 0xDFFF)
      return {.code = 0x10000 + ((*unit - 0xD800) << 10U) + (*low - 0xDC00), .set = {}};
    at_ = behind;
  }
  return {.code = *unit, .set = {}};
}

Element RegexTranslator::property(char letter) {
  const auto close = text_.find('}', at_);
  if (peek(1) != '{' || close == text_.npos) {
    refuse("invalid property name");
    return {};
  }
  auto inside = class_inside(fmt::format("\\{}{}", letter, text_.substr(at_ + 1, close - at_)));
  at_ = close + 1;
  if (inside) return {.code = 0, .set = *inside};
  refuse("invalid property name");
  return {};
}

std::optional<std::uint32_t> RegexTranslator::hex(std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const char c = peek(i);
    const char lower = static_cast<char>(c | 0x20);
    if (!is_digit(c) && !(lower >= 'a' && lower <= 'f')) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
  }
  at_ += count;
  return value;
}

// One character of the text, which is valid UTF-8.
std::uint32_t RegexTranslator::literal() {
  const auto first = static_cast<unsigned char>(text_[at_++]);
  if (first < 0x80) return first;
  const std::size_t following = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  std::uint32_t code = first & (0x3FU >> following);
  for (std::size_t i = 0; i < following && more(); ++i)
    code = (code << 6U) | (static_cast<unsigned char>(text_[at_++]) & 0x3FU);
  return code;
}

}  // namespace

Result<std::string> translate_javascript_regex(std::string_view pattern, const RegexFlags& flags) {
  return RegexTranslator(pattern, flags).run();
}

}  // namespace toolgate
