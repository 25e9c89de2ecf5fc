// See when_scanner.h.
#include "tools/when_scanner.h"

#include <algorithm>
#include <array>

#include "schema/pattern.h"

namespace toolgate {
namespace {

constexpr std::string_view kWordMarks = "_<>-./\\:*?+[]^,#@;\"%$";
constexpr std::string_view kRegexFlags = "igsmyu";

constexpr std::array<bool, 128> kIsWordAscii = [] {
  std::array<bool, 128> table{};
  for (char c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (const char c : kWordMarks) table[static_cast<std::size_t>(c)] = true;
  return table;
}();

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

std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const auto byte = static_cast<unsigned char>(text[length]);
    if (byte < 0x80) {
      if (!kIsWordAscii[byte]) break;
      ++length;
    } else {
      const std::size_t size = character_length(text[length]);
      if (!is_letter(text.substr(length, size))) break;
      length += size;
    }
  }
  return length;
}

WhenToken keyword_or_word(std::string_view word) {
  if (word.size() > 5) return WhenToken::Word;
  if (word == "in") return WhenToken::In;
  if (word == "not") return WhenToken::Not;
  if (word == "true") return WhenToken::True;
  if (word == "false") return WhenToken::False;
  return WhenToken::Word;
}

}  // namespace

std::size_t utf16_length(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xC0U) != 0x80 ? 1 : 0;
    units += byte >= 0xF0 ? 1 : 0;
  }
  return units;
}

bool is_when_word(std::string_view text) {
  return !text.empty() && text[0] != '/' && text[0] != '<' && text[0] != '>' &&
         word_length(text) == text.size() && keyword_or_word(text) == WhenToken::Word;
}

WhenFault WhenScanner::fault_at(std::string_view kind, std::size_t offset,
                                std::string_view lexeme) const {
  return {.kind = std::string(kind),
          .offset = utf16_length(text_.substr(0, offset)),
          .length = utf16_length(lexeme),
          .lexeme = std::string(lexeme),
          .hint = {}};
}

void WhenScanner::take(WhenToken kind, std::size_t length) {
  kind_ = kind;
  lexeme_ = text_.substr(at_, length);
  at_ += length;
}

void WhenScanner::take_error(std::string_view fault, std::size_t length) {
  take(WhenToken::Error, length);
  faults_.push_back(fault_at(fault, offset(), lexeme_));
}

void WhenScanner::take_either(char second, WhenToken with, WhenToken without) {
  const bool both = at_ + 1 < text_.size() && text_[at_ + 1] == second;
  take(both ? with : without, both ? 2 : 1);
}

void WhenScanner::take_doubled(WhenToken kind, std::string_view fault) {
  if (at_ + 1 < text_.size() && text_[at_ + 1] == text_[at_]) return take(kind, 2);
  take_error(fault, 1);
}

// `==`, `!=` and the same with one more `=`, which means no more.
void WhenScanner::take_equality(WhenToken kind, std::size_t length) {
  take(kind, length + (text_.substr(at_ + length).starts_with('=') ? 1 : 0));
}

bool WhenScanner::take_word() {
  const std::size_t length = word_length(text_.substr(at_));
  if (length == 0) return false;
  take(WhenToken::Word, length);
  kind_ = keyword_or_word(lexeme_);
  return true;
}

void WhenScanner::take_quoted() {
  const std::size_t close = text_.find('\'', at_ + 1);
  if (close == text_.npos) return take_error("quote_not_closed", text_.size() - at_);
  kind_ = WhenToken::Quoted;
  lexeme_ = text_.substr(at_ + 1, close - at_ - 1);
  at_ = close + 1;
}

void WhenScanner::take_regex() {
  bool escaped = false;
  bool in_class = false;
  std::size_t end = at_ + 1;
  for (; end < text_.size(); ++end) {
    const char c = text_[end];
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
  if (end == text_.size()) return take_error("regex_not_closed", text_.size() - at_);
  ++end;
  while (end < text_.size() && kRegexFlags.contains(text_[end])) ++end;
  take(WhenToken::Regex, end - at_);
}

// Blanks and characters that mean nothing are passed over.
void WhenScanner::advance() {
  for (; at_ < text_.size(); at_ += character_length(text_[at_])) {
    const std::string_view rest = text_.substr(at_);
    switch (rest[0]) {
      case ' ':
        break;
      case '(':
        return take(WhenToken::OpenParen, 1);
      case ')':
        return take(WhenToken::CloseParen, 1);
      case '!':
        if (rest.starts_with("!=")) return take_equality(WhenToken::NotEquals, 2);
        return take(WhenToken::Negate, 1);
      case '=':
        if (rest.starts_with("==")) return take_equality(WhenToken::Equals, 2);
        if (rest.starts_with("=~")) return take(WhenToken::RegexOperator, 2);
        return take_error("did_you_mean_eq_or_regex", 1);
      case '<':
        return take_either('=', WhenToken::SmallerEquals, WhenToken::Smaller);
      case '>':
        return take_either('=', WhenToken::GreaterEquals, WhenToken::Greater);
      case '&':
        return take_doubled(WhenToken::And, "did_you_mean_and");
      case '|':
        return take_doubled(WhenToken::Or, "did_you_mean_or");
      case '\'':
        return take_quoted();
      case '/':
        return take_regex();
      default:
        if (take_word()) return;
    }
  }
  at_ = text_.size();
  take(WhenToken::End, 0);
}

}  // namespace toolgate
