#include "builtin/shell_command.h"

#include <algorithm>
#include <array>
#include <deque>

#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostBytes = 64 << 10;
constexpr int kDeepest = 40;

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
// Ends a word where it stands without quotes.
bool is_meta(char c) {
  return is_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')' ||
         c == '<' || c == '>';
}

// Words that begin or end something where a command may begin.
constexpr std::array<std::string_view, 8> kClosers{"then", "else", "elif", "fi",
                                                   "do",   "done", "}",    "esac"};
// Known to bash and not to us.
constexpr std::array<std::string_view, 6> kUnread{"case", "function", "select",
                                                  "[[",   "coproc",   "in"};

struct HereDocument {
  std::string delimiter;
  bool is_literal = false;
  bool strips_tabs = false;
};

struct ReadWord {
  ShellWord value;
  bool is_there = false;
};

class ShellParser {
 public:
  ShellParser(std::string_view text, ShellScript& script, int depth)
      : text_(text), script_(script), depth_(depth) {}

  Result<void> parse_all() {
    if (auto done = parse_list({}); !done) return done;
    if (at_ < text_.size()) return refuse("'{}' is not expected", text_[at_]);
    if (!pending_.empty()) return refuse("a here-document has no end");
    return {};
  }

  // What stands in $( … ), from behind the parenthesis to behind the closing one.
  Result<std::size_t> parse_parenthesised() {
    if (auto done = parse_list({}); !done) return std::unexpected(done.error());
    if (!take(")")) return refuse("a parenthesis is not closed");
    if (!pending_.empty()) return refuse("a here-document has no end");
    return at_;
  }

 private:
  template <class... Args>
  static std::unexpected<Error> refuse(fmt::format_string<Args...> words, Args&&... args) {
    return fail(Errc::InvalidRequest, words, std::forward<Args>(args)...);
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view words) const { return text_.substr(at_).starts_with(words); }
  bool take(std::string_view words) {
    if (!looking_at(words)) return false;
    at_ += words.size();
    return true;
  }

  void skip_blanks() {
    for (;;) {
      if (is_blank(peek()))
        ++at_;
      else if (looking_at("\\\n"))
        at_ += 2;
      else
        break;
    }
    if (peek() == '#')
      while (at_ < text_.size() && peek() != '\n') ++at_;
  }

  Result<void> take_newline() {
    ++at_;
    while (!pending_.empty()) {
      const HereDocument document = std::move(pending_.front());
      pending_.pop_front();
      if (auto done = parse_here_document(document); !done) return done;
    }
    return {};
  }

  Result<void> skip_newlines() {
    for (skip_blanks(); peek() == '\n'; skip_blanks())
      if (auto done = take_newline(); !done) return done;
    return {};
  }

  // A reserved word that stands here by itself.
  std::string_view bare_word() const {
    std::size_t end = at_;
    while (end < text_.size() && !is_meta(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool take_bare(std::string_view word) {
    if (bare_word() != word) return false;
    at_ += word.size();
    return true;
  }

  // Commands up to one of the words in `until`, a parenthesis that closes, or the end.
  Result<void> parse_list(std::initializer_list<std::string_view> until) {
    if (++depth_ > kDeepest) return refuse("it is nested too deeply");
    for (bool is_first = true;; is_first = false) {
      if (auto done = skip_newlines(); !done) return done;
      if (at_ >= text_.size() || peek() == ')') break;
      if (std::ranges::find(until, bare_word()) != until.end()) {
        if (is_first) return refuse("there is no command before '{}'", bare_word());
        break;
      }
      if (auto done = parse_and_or(); !done) return done;
      skip_blanks();
      if (looking_at(";;")) return refuse("';;' is not expected");
      if (!take(";") && !(peek() == '&' && peek(1) != '&' && take("&")) && peek() != '\n') {
        if (at_ < text_.size() && peek() != ')')
          return refuse("'{}' is not expected", std::string(1, peek()));
        break;
      }
    }
    --depth_;
    return {};
  }

  Result<void> parse_and_or() {
    for (;;) {
      if (auto done = parse_pipeline(); !done) return done;
      skip_blanks();
      if (!take("&&") && !take("||")) return {};
      if (auto done = skip_newlines(); !done) return done;
    }
  }

  Result<void> parse_pipeline() {
    for (skip_blanks(); take_bare("!") || take_bare("time"); skip_blanks()) continue;
    for (;;) {
      if (auto done = parse_command(); !done) return done;
      skip_blanks();
      if (looking_at("||") || !take("|")) return {};
      take("&");
      if (auto done = skip_newlines(); !done) return done;
    }
  }

  Result<void> parse_command() {
    skip_blanks();
    if (looking_at("((")) return refuse("arithmetic commands are not read");
    if (take("(")) {
      if (auto done = parse_list({}); !done) return done;
      if (!take(")")) return refuse("a parenthesis is not closed");
      return parse_redirections();
    }
    const std::string_view word = bare_word();
    if (word == "{") return parse_block("{", {"}"});
    if (word == "if") return parse_if();
    if (word == "while" || word == "until") return parse_loop(word);
    if (word == "for") return parse_for();
    if (std::ranges::find(kUnread, word) != kUnread.end())
      return refuse("'{}' is not read here", word);
    if (std::ranges::find(kClosers, word) != kClosers.end())
      return refuse("'{}' is not expected", word);
    return parse_simple_command();
  }

  Result<void> parse_block(std::string_view open, std::initializer_list<std::string_view> close) {
    take_bare(open);
    if (auto done = parse_list(close); !done) return done;
    if (!take_bare(*close.begin())) return refuse("'{}' is not closed", open);
    return parse_redirections();
  }

  Result<void> parse_if() {
    take_bare("if");
    for (;;) {
      if (auto done = parse_list({"then"}); !done) return done;
      if (!take_bare("then")) return refuse("'if' without 'then'");
      if (auto done = parse_list({"elif", "else", "fi"}); !done) return done;
      if (take_bare("elif")) continue;
      if (take_bare("else"))
        if (auto done = parse_list({"fi"}); !done) return done;
      if (!take_bare("fi")) return refuse("'if' without 'fi'");
      return parse_redirections();
    }
  }

  Result<void> parse_loop(std::string_view word) {
    take_bare(word);
    if (auto done = parse_list({"do"}); !done) return done;
    return parse_body();
  }
  Result<void> parse_body() {
    if (!take_bare("do")) return refuse("a loop without 'do'");
    if (auto done = parse_list({"done"}); !done) return done;
    if (!take_bare("done")) return refuse("a loop without 'done'");
    return parse_redirections();
  }

  Result<void> parse_for() {
    take_bare("for");
    skip_blanks();
    const std::string name(bare_word());
    if (name.empty() || !is_name_start(name[0]) || !std::ranges::all_of(name, is_name_part))
      return refuse("this 'for' is not read");
    at_ += name.size();
    script_.commands.push_back({.assignments = {name}, .words = {}});
    if (auto done = skip_newlines(); !done) return done;
    if (take_bare("in"))
      for (;;) {
        skip_blanks();
        auto word = parse_word();
        if (!word) return std::unexpected(word.error());
        if (!word->is_there) break;
      }
    skip_blanks();
    take(";");
    if (auto done = skip_newlines(); !done) return done;
    return parse_body();
  }

  Result<void> parse_redirections() {
    for (;;) {
      skip_blanks();
      auto taken = parse_redirection();
      if (!taken) return std::unexpected(taken.error());
      if (!*taken) return {};
    }
  }

  Result<void> parse_simple_command() {
    ShellCommand command;
    for (;;) {
      skip_blanks();
      auto redirected = parse_redirection();
      if (!redirected) return std::unexpected(redirected.error());
      if (*redirected) continue;
      if (command.words.empty()) {
        auto assigned = parse_assignment(command);
        if (!assigned) return std::unexpected(assigned.error());
        if (*assigned) continue;
      }
      auto word = parse_word();
      if (!word) return std::unexpected(word.error());
      if (!word->is_there) break;
      command.words.push_back(std::move(word->value));
    }
    if (peek() == '(') return refuse("functions are not read");
    if (command.words.empty() && command.assignments.empty() && !had_redirection_)
      return refuse("there is no command at '{}'", std::string(text_.substr(at_, 10)));
    had_redirection_ = false;
    script_.commands.push_back(std::move(command));
    return {};
  }

  // NAME=value or NAME+=value. Arrays are not read: their subscripts are evaluated.
  Result<bool> parse_assignment(ShellCommand& command) {
    std::size_t end = at_;
    if (!is_name_start(peek())) return false;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    if (end < text_.size() && text_[end] == '[') return refuse("arrays are not read");
    const std::string name(text_.substr(at_, end - at_));
    if (text_.substr(end).starts_with("+=")) ++end;
    if (end >= text_.size() || text_[end] != '=') return false;
    at_ = end + 1;
    if (peek() == '(') return refuse("arrays are not read");
    auto value = parse_word();
    if (!value) return std::unexpected(value.error());
    command.assignments.push_back(name);
    return true;
  }

  // Whether there was one.
  Result<bool> parse_redirection() {
    std::size_t start = at_;
    while (start < text_.size() && is_digit(text_[start])) ++start;
    if (start >= text_.size() || (text_[start] != '<' && text_[start] != '>')) {
      if (!looking_at("&>")) return false;
      start = at_;
    }
    const bool is_process = start == at_ && (looking_at("<(") || looking_at(">("));
    if (is_process) return false;
    at_ = start;
    had_redirection_ = true;
    if (take("<<<")) return parse_target({});
    if (looking_at("<<")) return parse_here_operator();
    for (const std::string_view operation : {"&>>", "&>", ">>", ">|", "<>", ">&", "<&", ">", "<"})
      if (take(operation)) return parse_target(operation);
    return refuse("a redirection is not read");
  }

  // An empty operation is a here-string: its word is read by the program.
  Result<bool> parse_target(std::string_view operation) {
    skip_blanks();
    auto word = parse_word();
    if (!word) return std::unexpected(word.error());
    if (!word->is_there) return refuse("a redirection leads nowhere");
    const std::string& text = word->value.text;
    const bool is_descriptor =
        operation.ends_with('&') && word->value.is_known && !text.empty() &&
        std::ranges::all_of(text, [](char c) { return is_digit(c) || c == '-'; });
    if (!operation.empty() && !is_descriptor)
      script_.redirections.push_back({word->value, operation.contains('>')});
    return true;
  }

  Result<bool> parse_here_operator() {
    at_ += 2;
    HereDocument document;
    document.strips_tabs = take("-");
    skip_blanks();
    const std::size_t start = at_;
    auto word = parse_word();
    if (!word) return std::unexpected(word.error());
    if (!word->is_there) return refuse("a here-document has no delimiter");
    const std::string_view source = text_.substr(start, at_ - start);
    if (source.contains('$') || source.contains('`') || source.contains('\n'))
      return refuse("the delimiter of a here-document is not read");
    document.is_literal = source.find_first_of("'\"\\") != source.npos;
    document.delimiter = word->value.text;
    pending_.push_back(std::move(document));
    return true;
  }

  Result<void> parse_here_document(const HereDocument& document) {
    std::string body;
    for (;;) {
      if (at_ >= text_.size()) return refuse("a here-document has no end");
      const auto end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, text_.size());
      if (document.strips_tabs)
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line == document.delimiter) break;
      (body += line) += '\n';
    }
    if (document.is_literal) return {};
    if (body.contains("\\\n")) return refuse("a here-document continues lines");
    ShellParser inner(body, script_, depth_);
    return inner.parse_expansions_of_text();
  }

  // Text in which only $ and ` mean something.
  Result<void> parse_expansions_of_text() {
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

  Result<ReadWord> parse_word() {
    ReadWord word;
    const std::size_t start = at_;
    while (at_ < text_.size()) {
      const char c = peek();
      if ((c == '<' || c == '>') && peek(1) == '(') {
        at_ += 2;
        if (auto done = parse_nested(); !done) return std::unexpected(done.error());
        word.value.is_known = false;
        continue;
      }
      if (is_meta(c)) break;
      if (auto done = parse_word_part(word, start); !done) return std::unexpected(done.error());
    }
    word.is_there = at_ > start;
    return word;
  }

  Result<void> parse_word_part(ReadWord& word, std::size_t start) {
    const char c = peek();
    switch (c) {
      case '\\':
        ++at_;
        if (at_ >= text_.size()) return refuse("a backslash stands at the end");
        if (peek() != '\n') word.value.text += peek();
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
      case '[':
      case '{':
        // "{}" alone means itself, and so does what find(1) is told.
        if (c != '{' || !looking_at("{}")) word.value.is_known = false;
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

  Result<void> parse_single_quoted(ShellWord& word) {
    const auto end = text_.find('\'', at_ + 1);
    if (end == text_.npos) return refuse("a quote is not closed");
    word.text += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return {};
  }

  Result<void> parse_double_quoted(ShellWord& word) {
    for (++at_; at_ < text_.size();) {
      const char c = peek();
      if (c == '"') {
        ++at_;
        return {};
      }
      if (c == '\\') {
        const char next = peek(1);
        at_ += 2;
        if (next == '\n') continue;
        if (next != '$' && next != '`' && next != '"' && next != '\\') word.text += '\\';
        word.text += next;
      } else if (c == '$' || c == '`') {
        const bool may_be_quote = peek(1) == '\'' || peek(1) == '"';
        if (may_be_quote) {
          word.text += c;
          ++at_;
        } else if (auto done = parse_expansion(word); !done) {
          return done;
        }
      } else {
        word.text += c;
        ++at_;
      }
    }
    return refuse("a quote is not closed");
  }

  Result<void> parse_nested() {
    ShellParser inner(text_.substr(at_), script_, depth_ + 1);
    auto end = inner.parse_parenthesised();
    if (!end) return std::unexpected(end.error());
    if (!pending_.empty() && text_.substr(at_, *end).contains('\n'))
      return refuse("a here-document begins before a substitution of several lines");
    at_ += *end;
    return {};
  }

  Result<void> parse_expansion(ShellWord& word) {
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
    if (is_name_start(peek())) {
      word.is_known = false;
      while (is_name_part(peek())) ++at_;
    } else if (is_digit(peek()) || std::string_view("@*#?-$!").contains(peek())) {
      if (peek() != '\0') word.is_known = false, ++at_;
    } else {
      word.text += '$';
    }
    return {};
  }

  // Numbers only: the value of a variable is evaluated too, and may hold a command.
  Result<void> parse_arithmetic(ShellWord& word) {
    word.is_known = false;
    const auto end = text_.find("))", at_);
    if (end == text_.npos) return refuse("arithmetic is not closed");
    const std::string_view inside = text_.substr(at_ + 2, end - at_ - 2);
    if (inside.find_first_not_of("0123456789 +-*/%()<>=!&|^~?:,") != inside.npos)
      return refuse("arithmetic with more than numbers is not read");
    at_ = end + 2;
    while (peek() == ')') ++at_;
    return {};
  }

  // ${name}, ${#name}, ${name:-word} and the like. Subscripts and @ operators can run commands.
  Result<void> parse_braced_variable(ShellWord& word) {
    word.is_known = false;
    ++at_;
    take("#");
    const std::size_t start = at_;
    while (is_name_part(peek())) ++at_;
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

  Result<void> parse_rest_of_brace() {
    if (++depth_ > kDeepest) return refuse("it is nested too deeply");
    ShellWord ignored;
    while (at_ < text_.size() && peek() != '}') {
      Result<void> done;
      if (peek() == '\\')
        at_ += 2;
      else if (peek() == '\'')
        return refuse("quotes in ${{ are not read");
      else if (peek() == '"')
        done = parse_double_quoted(ignored);
      else if (peek() == '$' || peek() == '`')
        done = parse_expansion(ignored);
      else
        ++at_;
      if (!done) return done;
    }
    --depth_;
    if (!take("}")) return refuse("'${{' is not closed");
    return {};
  }

  Result<void> parse_backquoted(ShellWord& word) {
    word.is_known = false;
    std::string inside;
    for (++at_; at_ < text_.size(); ++at_) {
      if (peek() == '`') {
        ++at_;
        if (!pending_.empty() && inside.contains('\n'))
          return refuse("a here-document begins before a substitution of several lines");
        ShellParser inner(inside, script_, depth_ + 1);
        return inner.parse_all();
      }
      if (peek() == '\\') return refuse("a backslash between backquotes is not read");
      inside += peek();
    }
    return refuse("a backquote is not closed");
  }

  std::string_view text_;
  ShellScript& script_;
  int depth_;
  std::size_t at_ = 0;
  bool had_redirection_ = false;
  std::deque<HereDocument> pending_;
};

}  // namespace

Result<ShellScript> parse_shell_script(std::string_view text) {
  if (text.size() > kMostBytes) return fail(Errc::InvalidRequest, "it is too long");
  if (!is_valid_utf8(text)) return fail(Errc::InvalidRequest, "it is not UTF-8");
  const auto is_control = [](char c) {
    return (c >= 0 && c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
  };
  if (std::ranges::any_of(text, is_control))
    return fail(Errc::InvalidRequest, "it has control characters");
  ShellScript script;
  if (auto done = ShellParser(text, script, 0).parse_all(); !done)
    return std::unexpected(done.error());
  if (script.commands.empty()) return fail(Errc::InvalidRequest, "there is no command");
  return script;
}

std::string write_shell_words(const std::vector<ShellWord>& words) {
  constexpr std::string_view kPlain = "._-/=:,+@%";
  std::string line;
  for (const ShellWord& word : words) {
    if (!line.empty()) line += ' ';
    const bool is_plain = !word.text.empty() && std::ranges::all_of(word.text, [&](char c) {
      return is_name_part(c) || kPlain.contains(c) || static_cast<unsigned char>(c) >= 0x80;
    });
    if (is_plain || !word.is_known) {
      line += word.text;
      continue;
    }
    line += '\'';
    for (const char c : word.text) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace toolgate
