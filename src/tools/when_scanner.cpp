// See when_scanner.h.
#include "tools/when_scanner.h"

#include <array>
#include <bit>
#include <cstring>

#include "schema/pattern.h"

namespace toolgate {
namespace {

constexpr std::string_view kRegexFlags = "igsmyu";

// Letters, digits and _<>-./\:*?+[]^,#@;"%$ of one character or of each in a block.
template <class Characters>
constexpr auto is_in_word(Characters c) {
  return ((c >= '"') & (c <= '%')) | ((c >= '*') & (c <= 'z') & (c != '=') & (c != '`'));
}

constexpr std::array<bool, 256> kBeginsWord = [] {
  std::array<bool, 256> set{};
  for (std::size_t c = 0; c < 128; ++c) set[c] = is_in_word(static_cast<int>(c)) != 0;
  for (const char c : {'/', '<', '>'}) set[static_cast<std::size_t>(c)] = false;  // operators
  return set;
}();

constexpr char kNever = '\xFF';  // is in no UTF-8

// Operators by their first character. `===` and `!==` mean no more than `==` and `!=`. What is no
// operator is an Error here, and looked at more closely.
struct Operator {
  char second = kNever;
  char third = kNever;
  WhenToken alone = WhenToken::Error;
  WhenToken with_second = WhenToken::Error;
};
constexpr std::array<Operator, 256> kOperators = [] {
  std::array<Operator, 256> table{};
  table['('].alone = WhenToken::OpenParen;
  table[')'].alone = WhenToken::CloseParen;
  table['!'] = {'=', '=', WhenToken::Negate, WhenToken::NotEquals};
  table['='] = {'=', '=', WhenToken::Error, WhenToken::Equals};
  table['<'] = {'=', kNever, WhenToken::Smaller, WhenToken::SmallerEquals};
  table['>'] = {'=', kNever, WhenToken::Greater, WhenToken::GreaterEquals};
  table['&'] = {'&', kNever, WhenToken::Error, WhenToken::And};
  table['|'] = {'|', kNever, WhenToken::Error, WhenToken::Or};
  return table;
}();

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

std::size_t character_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

bool is_letter(std::string_view character) {
  static const auto letter = *Pattern::make("^\\p{L}$");
  return letter->match(character) == Pattern::Outcome::Match;
}

// Of a letter beyond ASCII; 0 if there is none.
std::size_t wide_letter_length(const char* text) {
  const std::size_t length = character_length(*text);
  return length > 1 && is_letter({text, length}) ? length : 0;
}

// `text` is padded. A block at a time: the ends of words are hard to foretell for the processor.
std::size_t ascii_word_length(const char* text) {
  using Block [[gnu::vector_size(16)]] = signed char;
  static_assert(sizeof(Block) <= kWhenPadding && std::endian::native == std::endian::little);
  for (std::size_t length = 0;; length += sizeof(Block)) {
    Block block{};
    std::memcpy(&block, text + length, sizeof(Block));
    const auto [first, second] = std::bit_cast<std::array<std::uint64_t, 2>>(is_in_word(block));
    const int bits = ~first != 0 ? std::countr_one(first) : 64 + std::countr_one(second);
    if (bits < 128) return length + static_cast<std::size_t>(bits) / 8;
  }
}

[[gnu::noinline]] std::size_t word_length(const char* text) {
  std::size_t length = ascii_word_length(text);
  while (const std::size_t letter = wide_letter_length(text + length))
    length += letter + ascii_word_length(text + length + letter);
  return length;
}

constexpr std::uint64_t eight_bytes(std::string_view word) {
  std::array<char, 8> bytes{};
  for (std::size_t i = 0; i < word.size(); ++i) bytes[i] = word[i];
  return std::bit_cast<std::uint64_t>(bytes);
}

// `text` is padded, and its first `length` bytes are the word. Without a jump per keyword.
WhenToken keyword_or_word(const char* text, std::size_t length) {
  if (length > 5) return WhenToken::Word;
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof(word));
  word &= (std::uint64_t{1} << (8 * length)) - 1;
  WhenToken kind = WhenToken::Word;
  kind = word == eight_bytes("in") ? WhenToken::In : kind;
  kind = word == eight_bytes("not") ? WhenToken::Not : kind;
  kind = word == eight_bytes("true") ? WhenToken::True : kind;
  return word == eight_bytes("false") ? WhenToken::False : kind;
}

}  // namespace

std::size_t utf16_length(std::string_view text) {
  unsigned char bits = 0;
  for (const char c : text) bits |= static_cast<unsigned char>(c);
  if (bits < 0x80) return text.size();
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xC0U) != 0x80 ? 1 : 0;
    units += byte >= 0xF0 ? 1 : 0;
  }
  return units;
}

bool is_when_word(std::string_view text) {
  if (text.empty() || text[0] == '/' || text[0] == '<' || text[0] == '>') return false;
  const std::string padded = std::string(text).append(kWhenPadding, '\0');
  return word_length(padded.data()) == text.size() &&
         keyword_or_word(padded.data(), text.size()) == WhenToken::Word;
}

WhenFault WhenScanner::fault_at(std::string_view kind, std::size_t offset,
                                std::string_view lexeme) const {
  return {.kind = kind,
          .offset = utf16_length(text_.substr(0, offset)),
          .length = utf16_length(lexeme),
          .lexeme = std::string(lexeme),
          .hint = {}};
}

void WhenScanner::take(WhenToken kind, std::size_t length) {
  kind_ = kind;
  lexeme_ = {at_, length};
  at_ += length;
}

void WhenScanner::take_error(std::string_view fault, std::size_t length) {
  take(WhenToken::Error, length);
  faults_.push_back(fault_at(fault, offset(), lexeme_));
}

void WhenScanner::take_word() {
  std::size_t length = ascii_word_length(at_);
  if (!is_ascii(at_[length])) length = word_length(at_);
  take(keyword_or_word(at_, length), length);
}

void WhenScanner::take_quoted() {
  const std::size_t close = std::string_view(at_, left()).find('\'', 1);
  if (close == std::string_view::npos) return take_error("quote_not_closed", left());
  kind_ = WhenToken::Quoted;
  lexeme_ = {at_ + 1, close - 1};
  at_ += close + 1;
}

void WhenScanner::take_regex() {
  const std::string_view rest(at_, left());
  bool escaped = false;
  bool in_class = false;
  std::size_t length = 1;
  for (; length < rest.size(); ++length) {
    const char c = rest[length];
    if (escaped) {
      escaped = false;
    } else if (c == '/' && !in_class) {
      break;
    } else if (c == '\\') {
      escaped = true;
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    }
  }
  if (length == rest.size()) return take_error("regex_not_closed", length);
  ++length;
  while (length < rest.size() && kRegexFlags.contains(rest[length])) ++length;
  take(WhenToken::Regex, length);
}

bool WhenScanner::take_operator() {
  const Operator& sign = kOperators[static_cast<unsigned char>(*at_)];
  if (at_[1] == sign.second) {
    if (at_[2] == sign.third) [[unlikely]]
      take(sign.with_second, 3);
    else
      take(sign.with_second, 2);
    return true;
  }
  if (sign.alone == WhenToken::Error) return false;
  take(sign.alone, 1);
  return true;
}

// False: a character that means nothing was passed over. Out of line, which keeps advance() short.
[[gnu::noinline]] bool WhenScanner::take_other() {
  switch (*at_) {
    case '\'':
      take_quoted();
      break;
    case '/':
      take_regex();
      break;
    case '=':
      if (at_[1] == '~')
        take(WhenToken::RegexOperator, 2);
      else
        take_error("did_you_mean_eq_or_regex", 1);
      break;
    case '&':
      take_error("did_you_mean_and", 1);
      break;
    case '|':
      take_error("did_you_mean_or", 1);
      break;
    default:
      if (left() == 0) {
        take(WhenToken::End, 0);
      } else if (word_length(at_) > 0) {
        take_word();
      } else {
        at_ += character_length(*at_);
        return false;
      }
  }
  return true;
}

void WhenScanner::advance() {
  do {
    while (*at_ == ' ') ++at_;
    if (kBeginsWord[static_cast<unsigned char>(*at_)]) return take_word();
  } while (!take_operator() && !take_other());
}

}  // namespace toolgate
