// The words of a command line: quotes, variables, substitutions. shell_command.cpp derives its
// parser of commands from it; nobody else includes this.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "builtin/shell_command.h"

namespace toolgate {

bool is_shell_name_start(char c);
bool is_shell_name_part(char c);
bool is_shell_digit(char c);
bool is_shell_blank(char c);
// Ends a word where it stands without quotes.
bool is_shell_meta(char c);

struct ReadWord {
  ShellWord value;
  bool is_there = false;
};

class ShellWordReader {
 public:
  enum class Place { Line, Substitution };

  ShellWordReader(std::string_view text, int depth, Place place)
      : text_(text), depth_(depth), place_(place) {}
  virtual ~ShellWordReader() = default;

 protected:
  static constexpr int kDeepest = 40;
  enum class Ending { Text, Parenthesis };

  // Reads the commands of a substitution, to the end of `text` or to behind the parenthesis that
  // closes, and says where that is.
  virtual Result<std::size_t> parse_inside(std::string_view text, Ending ending) = 0;
  // Whether the next line break begins a here-document.
  virtual bool awaits_document() const = 0;

  // Text in which only $ and ` mean something.
  Result<void> parse_expansions_of_text();
  // Nothing is there where something else than a word begins.
  Result<ReadWord> parse_word();
  // A line may go on behind a blank. Elsewhere bash takes the break out before it looks what the
  // characters around it make together, which is not read here.
  void skip_blanks();

  template <class... Args>
  static std::unexpected<Error> refuse(fmt::format_string<Args...> words, Args&&... args) {
    return fail(Errc::InvalidRequest, words, std::forward<Args>(args)...);
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view words) const {
    return at_ <= text_.size() && text_.substr(at_).starts_with(words);
  }
  bool take(std::string_view words) {
    if (!looking_at(words)) return false;
    at_ += words.size();
    return true;
  }

  std::string_view text_;
  int depth_;
  Place place_;
  std::size_t at_ = 0;

 private:
  Result<void> parse_word_part(ReadWord& word, std::size_t start);
  bool is_whole_word(std::string_view word, std::size_t start) const;
  Result<void> parse_single_quoted(ShellWord& word);
  Result<void> parse_double_quoted(ShellWord& word);
  Result<void> parse_nested();
  Result<void> parse_expansion(ShellWord& word);
  // Numbers only: the value of a variable is evaluated too, and may hold a command. What bash
  // cannot read as arithmetic it runs as a command, so the parentheses must be those of numbers.
  Result<void> parse_arithmetic(ShellWord& word);
  // ${name}, ${#name}, ${name:-word} and the like. Subscripts and @ operators can run commands.
  Result<void> parse_braced_variable(ShellWord& word);
  // Plain characters, patterns and other expansions: quotes in braces depend on those around them.
  Result<void> parse_rest_of_brace();
  Result<void> parse_backquoted(ShellWord& word);
};

}  // namespace toolgate
