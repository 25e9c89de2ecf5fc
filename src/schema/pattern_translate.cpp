// From ECMA-262 to PCRE2: what both write alike is copied, the rest is spelled out.
#include <array>
#include <cstdint>
#include <optional>

#include "schema/pattern.h"

namespace toolgate {

namespace {

constexpr std::string_view kBlankSet =
    "\\t\\n\\x0b\\f\\r "
    "\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
    "\\x{feff}";
// What is no blank, spelled as ranges, for use inside a class.
constexpr std::string_view kNoBlankSet =
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{"
    "2027}"
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{d7ff}\\x{e000}-\\x{"
    "fefe}"
    "\\x{ff00}-\\x{10ffff}";

struct Category {
  std::string_view name;
  std::string_view code;
};
constexpr std::array kCategories{
    Category{"Letter", "L"},
    Category{"Cased_Letter", "L&"},
    Category{"LC", "L&"},
    Category{"Uppercase_Letter", "Lu"},
    Category{"Lowercase_Letter", "Ll"},
    Category{"Titlecase_Letter", "Lt"},
    Category{"Modifier_Letter", "Lm"},
    Category{"Other_Letter", "Lo"},
    Category{"Mark", "M"},
    Category{"Combining_Mark", "M"},
    Category{"Nonspacing_Mark", "Mn"},
    Category{"Spacing_Mark", "Mc"},
    Category{"Enclosing_Mark", "Me"},
    Category{"Number", "N"},
    Category{"Decimal_Number", "Nd"},
    Category{"digit", "Nd"},
    Category{"Letter_Number", "Nl"},
    Category{"Other_Number", "No"},
    Category{"Punctuation", "P"},
    Category{"punct", "P"},
    Category{"Connector_Punctuation", "Pc"},
    Category{"Dash_Punctuation", "Pd"},
    Category{"Open_Punctuation", "Ps"},
    Category{"Close_Punctuation", "Pe"},
    Category{"Initial_Punctuation", "Pi"},
    Category{"Final_Punctuation", "Pf"},
    Category{"Other_Punctuation", "Po"},
    Category{"Symbol", "S"},
    Category{"Math_Symbol", "Sm"},
    Category{"Currency_Symbol", "Sc"},
    Category{"Modifier_Symbol", "Sk"},
    Category{"Other_Symbol", "So"},
    Category{"Separator", "Z"},
    Category{"Space_Separator", "Zs"},
    Category{"Line_Separator", "Zl"},
    Category{"Paragraph_Separator", "Zp"},
    Category{"Other", "C"},
    Category{"Control", "Cc"},
    Category{"cntrl", "Cc"},
    Category{"Format", "Cf"},
    Category{"Surrogate", "Cs"},
    Category{"Private_Use", "Co"},
    Category{"Unassigned", "Cn"},
};

std::string_view category_code(std::string_view name) {
  for (const auto& each : kCategories) {
    if (each.name == name) return each.code;
  }
  return name;
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Translator {
 public:
  Translator(std::string_view text, bool strict) : text_(text), strict_(strict) {}

  Result<std::string> run();

 private:
  bool more() const { return at_ < text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void refuse(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  void put_code(std::uint32_t code) { out_ += fmt::format("\\x{{{:x}}}", code); }

  void group();
  void set();
  void escape(bool in_set);
  void unicode_escape();
  void property(char letter);
  std::optional<std::uint32_t> hex(std::size_t count);

  std::string_view text_;
  bool strict_;
  std::size_t at_ = 0;
  std::string out_;
  std::string problem_;
};

Result<std::string> Translator::run() {
  while (more() && problem_.empty()) {
    const char c = text_[at_];
    if (c == '\\') {
      escape(false);
    } else if (c == '[') {
      set();
    } else if (c == '(') {
      group();
    } else if (c == '.') {
      out_ += "[^\\n\\r\\x{2028}\\x{2029}]";
      ++at_;
    } else {
      out_ += c;
      ++at_;
    }
  }
  if (!problem_.empty()) return fail(Errc::InvalidRequest, "{}", problem_);
  return std::move(out_);
}

// Only ECMA's groups, so that PCRE2's recursion, verbs and callouts stay out of reach. Flags as in
// `(?i)` come from Python's schemas.
void Translator::group() {
  static constexpr std::string_view kKinds[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!"};
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("(*")) return refuse("nothing to repeat after '('");
  if (!rest.starts_with("(?")) {
    out_ += '(';
    ++at_;
    return;
  }
  for (const auto kind : kKinds) {
    if (!rest.starts_with(kind)) continue;
    out_ += kind;
    at_ += kind.size();
    return;
  }
  const std::size_t name = !strict_ && rest.starts_with("(?P<") ? 4 : 3;
  if (name == 4 || rest.starts_with("(?<")) {
    out_ += "(?<";
    at_ += name;
    return;
  }
  std::size_t length = 2;
  while (length < rest.size() && (rest[length] == 'i' || rest[length] == 's')) ++length;
  const char after = length < rest.size() ? rest[length] : '\0';
  const bool flags = length > 2 && (after == ':' || (after == ')' && !strict_));
  if (!flags) return refuse("invalid group");
  out_ += rest.substr(0, length + 1);
  at_ += length + 1;
}

void Translator::set() {
  out_ += '[';
  ++at_;
  if (peek() == '^') {
    out_ += '^';
    ++at_;
  }
  while (more() && text_[at_] != ']' && problem_.empty()) {
    if (text_[at_] == '\\') {
      escape(true);
    } else {
      if (text_[at_] == '[') out_ += '\\';  // PCRE2 would see a POSIX class
      out_ += text_[at_++];
    }
  }
  if (!more()) return refuse("unterminated character class");
  out_ += ']';
  ++at_;
}

std::optional<std::uint32_t> Translator::hex(std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_hex(peek(i))) return std::nullopt;
    const char c = peek(i);
    value = value * 16 + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : (c | 32) - 'a' + 10);
  }
  at_ += count;
  return value;
}

void Translator::unicode_escape() {
  if (peek() == '{') {
    ++at_;
    std::uint32_t code = 0;
    std::size_t digits = 0;
    for (; is_hex(peek()) && code <= 0x10FFFF; ++digits) code = code * 16 + *hex(1);
    if (digits == 0 || peek() != '}' || code > 0x10FFFF) return refuse("invalid Unicode escape");
    ++at_;
    return put_code(code);
  }
  auto unit = hex(4);
  if (!unit) return refuse("invalid Unicode escape");
  if (*unit >= 0xD800 && *unit <= 0xDBFF && peek() == '\\' && peek(1) == 'u') {
    at_ += 2;
    const auto low = hex(4);
    if (!low || *low < 0xDC00 || *low > 0xDFFF) return refuse("a lone surrogate");
    unit = 0x10000 + ((*unit - 0xD800) << 10U) + (*low - 0xDC00);
  }
  if (*unit >= 0xD800 && *unit <= 0xDFFF) return refuse("a lone surrogate");
  put_code(*unit);
}

void Translator::property(char letter) {
  const auto close = text_.find('}', at_);
  if (peek() != '{' || close == text_.npos) return refuse("invalid property name");
  std::string_view name = text_.substr(at_ + 1, close - at_ - 1);
  at_ = close + 1;
  std::string_view prefix;
  if (const auto equals = name.find('='); equals != name.npos) {
    const auto key = name.substr(0, equals);
    name.remove_prefix(equals + 1);
    if (key == "Script" || key == "sc") prefix = "sc:";
    if (key == "Script_Extensions" || key == "scx") prefix = "scx:";
    if (prefix.empty() && key != "General_Category" && key != "gc") {
      return refuse("invalid property name");
    }
  }
  if (prefix.empty()) name = category_code(name);
  out_ += fmt::format("\\{}{{{}{}}}", letter, prefix, name);
}

void Translator::escape(bool in_set) {
  ++at_;
  if (!more()) return refuse("\\ at end of pattern");
  const char c = text_[at_++];
  switch (c) {
    case 'd':
    case 'D':
    case 'w':
    case 'W':
    case 't':
    case 'n':
    case 'r':
    case 'f':
      out_ += {'\\', c};
      return;
    case 's':
      out_ += in_set ? std::string(kBlankSet) : fmt::format("[{}]", kBlankSet);
      return;
    case 'S':
      out_ += in_set ? std::string(kNoBlankSet) : fmt::format("[^{}]", kBlankSet);
      return;
    case 'v':
      out_ += "\\x0b";
      return;
    case 'b':
      out_ += in_set ? "\\x08" : "\\b";
      return;
    case 'B':
      if (in_set) return refuse("invalid escape \\B in a class");
      out_ += "\\B";
      return;
    case '0':
      if (is_digit(peek())) return refuse("invalid decimal escape");
      out_ += "\\x00";
      return;
    case 'c':
      if (!is_letter(peek())) return refuse("invalid control escape");
      put_code(static_cast<std::uint32_t>(text_[at_++]) % 32);
      return;
    case 'x': {
      const auto code = hex(2);
      if (!code) return refuse("invalid escape \\x");
      return put_code(*code);
    }
    case 'u':
      return unicode_escape();
    case 'p':
    case 'P':
      return property(c);
    case 'k':
      if (in_set || peek() != '<') return refuse("invalid named reference");
      out_ += "\\k";
      return;
    default:
      break;
  }
  if (is_digit(c)) {
    if (in_set) return refuse("invalid decimal escape in a class");
    std::string digits(1, c);
    while (is_digit(peek())) digits += text_[at_++];
    out_ += fmt::format("\\g{{{}}}", digits);
    return;
  }
  if (is_letter(c)) return refuse(fmt::format("invalid escape \\{}", c));
  // Other escaped characters stand for themselves; those of several bytes go on in run().
  if (static_cast<unsigned char>(c) < 0x80) out_ += '\\';
  out_ += c;
}

}  // namespace

Result<std::string> translate_pattern(std::string_view ecma, bool strict) {
  return Translator(ecma, strict).run();
}

}  // namespace toolgate
