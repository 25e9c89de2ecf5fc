// Tokens of a `when` clause, one at a time. when_parser.cpp calls it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/when.h"

namespace toolgate {

enum class WhenToken : std::uint8_t {
  OpenParen,
  CloseParen,
  Negate,
  Equals,
  NotEquals,
  Smaller,
  SmallerEquals,
  Greater,
  GreaterEquals,
  RegexOperator,
  Regex,
  True,
  False,
  In,
  Not,
  And,
  Or,
  Word,
  Quoted,
  Error,
  End,
};

// How many NULs must follow a text, so that it can be read in blocks.
inline constexpr std::size_t kWhenPadding = 16;

// `text` is valid UTF-8, padded, and outlives the tokens.
class WhenScanner {
 public:
  WhenScanner(std::string_view text, std::vector<WhenFault>& faults)
      : text_(text), at_(text.data()), faults_(faults) {
    advance();
  }

  WhenToken kind() const { return kind_; }
  std::string_view lexeme() const { return lexeme_; }  // of Quoted: without the quotes
  std::size_t offset() const { return offset_of(lexeme_); }
  std::size_t offset_of(std::string_view token) const {
    return static_cast<std::size_t>(token.data() - text_.data());
  }
  void advance();

  WhenFault fault_at(std::string_view kind, std::size_t offset, std::string_view lexeme) const;

 private:
  std::size_t left() const { return text_.size() - offset_of({at_, 0}); }
  void take(WhenToken kind, std::size_t length);
  void take_word();
  bool take_operator();
  bool take_other();
  void take_quoted();
  void take_regex();
  void take_error(std::string_view fault, std::size_t length);

  std::string_view text_;
  const char* at_;  // behind the current token
  WhenToken kind_ = WhenToken::End;
  std::string_view lexeme_;
  std::vector<WhenFault>& faults_;
};

std::size_t utf16_length(std::string_view text);
// A word as the scanner reads it, and no keyword.
bool is_when_word(std::string_view text);

}  // namespace toolgate
