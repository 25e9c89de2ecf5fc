#include "builtin/shell_words.h"

namespace toolgate {

bool is_shell_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_shell_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_shell_name_part(char c) {
  return is_shell_name_start(c) || is_shell_digit(c);
}
bool is_shell_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_shell_meta(char c) {
  return is_shell_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' ||
         c == ')' || c == '<' || c == '>';
}

void ShellWordReader::skip_blanks() {
  for (;;) {
    if (is_shell_blank(peek()))
      ++at_;
    else if (looking_at("\\\n") && at_ > 0 && is_shell_blank(text_[at_ - 1]))
      at_ += 2;
    else
      break;
  }
  // Where comments of substitutions end depends on bash's version: parse_word refuses them.
  if (peek() == '#' && place_ == Place::Line)
    while (at_ < text_.size() && peek() != '\n') ++at_;
}

Result<void> ShellWordReader::parse_expansions_of_text() {
  ShellWord ignored;
  while (at_ < text_.size()) {
    if (peek() == '\\') {
      at_ += 2;
    } else if (peek() == '$' || peek() == '`') {
      if (auto done = parse_expansion(ignored); !done) return done;
    } else {
      ++at_;
    }
  }
  return {};
}

Result<ReadWord> ShellWordReader::parse_word() {
  ReadWord word;
  const std::size_t start = at_;
  if (peek() == '#' && place_ == Place::Substitution)
    return refuse("a comment in a substitution is not read");
  while (at_ < text_.size()) {
    const char c = peek();
    if ((c == '<' || c == '>') && peek(1) == '(') {
      at_ += 2;
      if (auto done = parse_nested(); !done) return std::unexpected(done.error());
      word.value.is_known = false;
      continue;
    }
    if (is_shell_meta(c)) break;
    if (auto done = parse_word_part(word, start); !done) return std::unexpected(done.error());
  }
  word.is_there = at_ > start;
  if (word.is_there && text_[start] == '{' && (peek() == '<' || peek() == '>'))
    return refuse("a redirection that sets a variable is not read");
  return word;
}

Result<void> ShellWordReader::parse_word_part(ReadWord& word, std::size_t start) {
  const char c = peek();
  switch (c) {
    case '\\':
      ++at_;
      if (at_ >= text_.size()) return refuse("a backslash stands at the end");
      if (peek() == '\n') return refuse("a line goes on where no blank stands");
      word.value.text += peek();
      ++at_;
      return {};
    case '\'':
      return parse_single_quoted(word.value);
    case '"':
      return parse_double_quoted(word.value);
    case '$':
    case '`':
      return parse_expansion(word.value);
    case '*':
    case '?':
      word.value.is_known = false;
      break;
    case '[':
      if (!is_whole_word("[", start)) word.value.is_known = false;
      break;
    case '{':
      if (!is_whole_word("{}", start)) word.value.is_known = false;
      break;
    case '~':
      if (at_ == start || text_[at_ - 1] == ':' || text_[at_ - 1] == '=')
        word.value.is_known = false;
      break;
    default:
      break;
  }
  word.value.text += c;
  ++at_;
  return {};
}

bool ShellWordReader::is_whole_word(std::string_view word, std::size_t start) const {
  const std::size_t end = at_ + word.size();
  return at_ == start && looking_at(word) && (end >= text_.size() || is_shell_meta(text_[end]));
}

Result<void> ShellWordReader::parse_single_quoted(ShellWord& word) {
  const auto end = text_.find('\'', at_ + 1);
  if (end == text_.npos) return refuse("a quote is not closed");
  if (awaits_document() && text_.substr(at_, end - at_).contains('\n'))
    return refuse("a here-document begins before a quote of several lines");
  word.text += text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return {};
}

Result<void> ShellWordReader::parse_double_quoted(ShellWord& word) {
  for (++at_; at_ < text_.size();) {
    const char c = peek();
    if (c == '"') {
      ++at_;
      return {};
    }
    if (c == '\\') {
      const char next = peek(1);
      at_ += 2;
      if (next == '\n') return refuse("a line goes on between quotes");
      if (next != '$' && next != '`' && next != '"' && next != '\\') word.text += '\\';
      word.text += next;
    } else if (c == '$' || c == '`') {
      const bool is_plain_dollar = c == '$' && (peek(1) == '\'' || peek(1) == '"');
      if (is_plain_dollar) {
        word.text += c;
        ++at_;
      } else if (auto done = parse_expansion(word); !done) {
        return done;
      }
    } else if (c == '\n' && awaits_document()) {
      return refuse("a here-document begins before a quote of several lines");
    } else {
      word.text += c;
      ++at_;
    }
  }
  return refuse("a quote is not closed");
}

Result<void> ShellWordReader::parse_nested() {
  const auto end = parse_inside(text_.substr(at_), Ending::Parenthesis);
  if (!end) return std::unexpected(end.error());
  if (awaits_document() && text_.substr(at_, *end).contains('\n'))
    return refuse("a here-document begins before a substitution of several lines");
  at_ += *end;
  return {};
}

Result<void> ShellWordReader::parse_expansion(ShellWord& word) {
  if (peek() == '`') return parse_backquoted(word);
  ++at_;
  if (looking_at("((")) return parse_arithmetic(word);
  if (take("(")) {
    word.is_known = false;
    return parse_nested();
  }
  if (peek() == '{') return parse_braced_variable(word);
  if (peek() == '\'' || peek() == '"') return refuse("$' and $\" are not read");
  if (peek() == '[') return refuse("$[ is not read");
  if (is_shell_name_start(peek())) {
    word.is_known = false;
    while (is_shell_name_part(peek())) ++at_;
  } else if (is_shell_digit(peek()) || std::string_view("@*#?-$!").contains(peek())) {
    if (peek() != '\0') word.is_known = false, ++at_;
  } else {
    if (looking_at("\\\n")) return refuse("a line goes on behind '$'");
    // A locale of single bytes may take this for a name.
    if (static_cast<unsigned char>(peek()) >= 0x80) word.is_known = false;
    word.text += '$';
  }
  return {};
}

Result<void> ShellWordReader::parse_arithmetic(ShellWord& word) {
  word.is_known = false;
  at_ += 2;
  for (int open = 0; at_ < text_.size(); ++at_) {
    if (open == 0 && take("))")) return {};
    if (peek() == '(') ++open;
    if (peek() == ')' && --open < 0) break;
    if (!is_shell_digit(peek()) && !std::string_view(" +-*/%()").contains(peek())) break;
  }
  return refuse("arithmetic with more than numbers is not read");
}

Result<void> ShellWordReader::parse_braced_variable(ShellWord& word) {
  word.is_known = false;
  ++at_;
  take("#");
  const std::size_t start = at_;
  while (is_shell_name_part(peek())) ++at_;
  if (at_ == start && !take("@") && !take("*") && !take("?") && !take("#"))
    return refuse("this ${{ is not read");
  if (take("}")) return {};
  if (!std::string_view(":-+?#%/^,").contains(peek()) || peek() == '\0')
    return refuse("this ${{ is not read");
  // ${x:expression} is arithmetic.
  if (peek() == ':' && !std::string_view("-+?").contains(peek(1)))
    return refuse("parts of variables are not read");
  ++at_;
  return parse_rest_of_brace();
}

Result<void> ShellWordReader::parse_rest_of_brace() {
  if (++depth_ > kDeepest) return refuse("it is nested too deeply");
  ShellWord ignored;
  while (at_ < text_.size() && peek() != '}') {
    const char next = peek(1);
    const bool is_expansion =
        peek() == '$' && (next == '(' || next == '{' || is_shell_name_part(next));
    if (is_expansion) {
      if (auto done = parse_expansion(ignored); !done) return done;
    } else if (is_shell_name_part(peek()) || std::string_view(" ./-:=,+@%^#*?").contains(peek())) {
      ++at_;
    } else {
      return refuse("'{}' in ${{ is not read", std::string(1, peek()));
    }
  }
  --depth_;
  if (!take("}")) return refuse("'${{' is not closed");
  return {};
}

Result<void> ShellWordReader::parse_backquoted(ShellWord& word) {
  word.is_known = false;
  std::string inside;
  for (++at_; at_ < text_.size(); ++at_) {
    if (peek() == '`') {
      ++at_;
      if (awaits_document() && inside.contains('\n'))
        return refuse("a here-document begins before a substitution of several lines");
      if (const auto done = parse_inside(inside, Ending::Text); !done)
        return std::unexpected(done.error());
      return {};
    }
    if (peek() == '\\') return refuse("a backslash between backquotes is not read");
    inside += peek();
  }
  return refuse("a backquote is not closed");
}

}  // namespace toolgate
