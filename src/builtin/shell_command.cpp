#include "builtin/shell_command.h"

#include <algorithm>
#include <array>
#include <deque>

#include "base/utf8.h"
#include "builtin/shell_words.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostBytes = 64 << 10;
constexpr std::size_t kMostDigits = 4;  // of a descriptor: bash takes longer ones for words

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

class ShellParser final : public ShellWordReader {
 public:
  ShellParser(std::string_view text, ShellScript& script, int depth, Place place)
      : ShellWordReader(text, depth, place), script_(script) {}

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
  Result<std::size_t> parse_inside(std::string_view text, Ending ending) override {
    ShellParser inner(text, script_, depth_ + 1, Place::Substitution);
    if (ending == Ending::Parenthesis) return inner.parse_parenthesised();
    if (auto done = inner.parse_all(); !done) return std::unexpected(done.error());
    return text.size();
  }
  bool awaits_document() const override { return !pending_.empty(); }

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
    while (end < text_.size() && !is_shell_meta(text_[end])) ++end;
    const std::string_view next = text_.substr(end, 2);
    if (next == "<(" || next == ">(") return {};  // the word goes on
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
    for (;;) {
      skip_blanks();
      if (take_bare("!")) continue;
      if (!take_bare("time")) break;
      skip_blanks();
      if (peek() == '-') return refuse("options of 'time' are not read");
    }
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
    if (name.empty() || !is_shell_name_start(name[0]) ||
        !std::ranges::all_of(name, is_shell_name_part))
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
    bool is_redirected = false;
    for (;;) {
      skip_blanks();
      auto redirected = parse_redirection();
      if (!redirected) return std::unexpected(redirected.error());
      is_redirected |= *redirected;
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
    if (command.words.empty() && command.assignments.empty() && !is_redirected)
      return refuse("there is no command at '{}'", std::string(text_.substr(at_, 10)));
    script_.commands.push_back(std::move(command));
    return {};
  }

  // NAME=value or NAME+=value. Arrays are not read: their subscripts are evaluated.
  Result<bool> parse_assignment(ShellCommand& command) {
    std::size_t end = at_;
    if (!is_shell_name_start(peek())) return false;
    while (end < text_.size() && is_shell_name_part(text_[end])) ++end;
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
    while (start < text_.size() && is_shell_digit(text_[start])) ++start;
    if (start >= text_.size() || (text_[start] != '<' && text_[start] != '>')) {
      if (!looking_at("&>")) return false;
      start = at_;
    }
    const bool is_process = start == at_ && (looking_at("<(") || looking_at(">("));
    if (is_process) return false;
    if (start - at_ > kMostDigits) return refuse("a redirection's number is too long");
    at_ = start;
    if (take("<<<")) return parse_target({});
    if (looking_at("<<")) return parse_here_operator();
    for (const std::string_view operation : {"&>>", "&>", ">>", ">|", "<>", ">&", "<&", ">", "<"})
      if (take(operation)) return parse_target(operation);
    return refuse("a redirection is not read");
  }

  // An empty operation is a here-string: its word is read by the program.
  Result<bool> parse_target(std::string_view operation) {
    skip_blanks();
    if (operation.ends_with('&') && take("-")) {
      // It closes, and what follows is the next word, as in "find . >& --delete".
      if (at_ < text_.size() && !is_shell_meta(peek())) return refuse("a redirection is not read");
      return true;
    }
    auto word = parse_word();
    if (!word) return std::unexpected(word.error());
    if (!word->is_there) return refuse("a redirection leads nowhere");
    const bool is_copy =
        operation.ends_with('&') && word->value.is_known && is_descriptor(word->value.text);
    if (!operation.empty() && !is_copy)
      script_.redirections.push_back({word->value, operation.contains('>')});
    return true;
  }

  // 1 or 1-: what ">&" copies or moves. All else is the name of a file.
  static bool is_descriptor(std::string_view text) {
    if (text.ends_with('-')) text.remove_suffix(1);
    return !text.empty() && text.size() <= kMostDigits && std::ranges::all_of(text, is_shell_digit);
  }

  Result<bool> parse_here_operator() {
    if (place_ == Place::Substitution)
      return refuse("a here-document in a substitution is not read");
    at_ += 2;
    HereDocument document;
    document.strips_tabs = take("-");
    while (is_shell_blank(peek())) ++at_;
    const char quote = peek() == '\'' || peek() == '"' ? peek() : '\0';
    document.is_literal = quote != '\0';
    if (document.is_literal) ++at_;
    while (is_shell_name_part(peek())) document.delimiter += text_[at_++];
    if (document.is_literal && (peek() != quote || document.delimiter.empty()))
      return refuse("the delimiter of a here-document is not read");
    if (document.is_literal) ++at_;
    if (document.delimiter.empty() || (at_ < text_.size() && !is_shell_meta(peek())) ||
        looking_at("<(") || looking_at(">("))
      return refuse("the delimiter of a here-document is not read");
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
    ShellParser inner(body, script_, depth_, Place::Substitution);
    return inner.parse_expansions_of_text();
  }

  ShellScript& script_;
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
  if (auto done = ShellParser(text, script, 0, ShellParser::Place::Line).parse_all(); !done)
    return std::unexpected(done.error());
  if (script.commands.empty()) return fail(Errc::InvalidRequest, "there is no command");
  return script;
}

std::string write_shell_words(const std::vector<ShellWord>& words) {
  constexpr std::string_view kPlain = "._-/=:,+@%";
  std::string line;
  for (const ShellWord& word : words) {
    if (!line.empty()) line += ' ';
    const bool is_bracket = word.text == "[" || word.text == "]";
    const bool is_plain = !word.text.empty() && std::ranges::all_of(word.text, [&](char c) {
      return is_shell_name_part(c) || kPlain.contains(c) || static_cast<unsigned char>(c) >= 0x80;
    });
    if (is_plain || is_bracket || !word.is_known) {
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
