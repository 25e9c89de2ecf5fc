#include "tools/references.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "schema/pattern.h"

namespace toolgate {
namespace {

using Kind = ReferencePart::Kind;

constexpr std::string_view kFullNamePrefix = "tool:";
// What ends a sentence or a bracket is not part of a full name behind which it stands.
constexpr std::string_view kClosing = ".,;:!?)]}>'\"`*";
constexpr std::size_t kMostClosing = 8;

constexpr char32_t kIllFormed = 0xFFFD;

struct Character {
  char32_t code = kIllFormed;
  std::size_t bytes = 1;

  std::size_t units() const { return code > 0xFFFF ? 2 : 1; }
};

Character read_ill_formed(std::string_view text) {
  for (std::size_t bytes = 3; bytes > 1; --bytes)
    if (text.size() >= bytes && incomplete_utf8_tail(text.substr(0, bytes)) == bytes)
      return {.bytes = bytes};
  return {};
}

// The first character of a text that is not empty.
Character read_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (text.size() < bytes || !is_valid_utf8(text.substr(0, bytes))) return read_ill_formed(text);
  char32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {code, bytes};
}

// As \s and trim() of JavaScript have it.
bool is_white_space(char32_t code) {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
  return code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000 || code == 0xFEFF;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_word(char c) {
  return is_ascii_letter_or_digit(c) || c == '_';
}

bool is_variable_character(char c) {
  return is_word(c) || c == '-';
}

bool is_agent_character(char c) {
  return is_word(c) || c == '-' || c == '.';
}

bool is_letter(std::string_view character) {
  static const auto letter = Pattern::make("^\\p{L}$");
  return letter && (*letter)->match(character) == Pattern::Outcome::Match;
}

std::size_t white_space_at_front(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = read_character(text.substr(at));
    if (!is_white_space(character.code)) break;
    at += character.bytes;
  }
  return at;
}

// Whether a name may end behind its first `end` bytes: at the end, before white space, or where a
// word of ASCII letters, digits and '_' begins or ends.
bool is_end_of_name(std::string_view text, std::size_t end) {
  if (end == text.size() || is_white_space(read_character(text.substr(end)).code)) return true;
  return is_word(text[end - 1]) != is_word(text[end]);
}

// The longest beginning of the `longest` first bytes that may be a name; 0: none.
std::size_t name_length(std::string_view text, std::size_t longest) {
  while (longest > 0 && !is_end_of_name(text, longest)) --longest;
  return longest;
}

std::size_t run_length(std::string_view text, bool (*belongs)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, belongs) - text.begin());
}

// Letters of any script, digits, and what else commands are made of.
std::size_t command_run_length(std::string_view text, std::string_view others) {
  std::size_t at = 0;
  while (at < text.size() && at <= kLongestName) {
    const Character character = read_character(text.substr(at));
    const bool belongs =
        character.code < 0x80
            ? is_ascii_letter_or_digit(text[at]) || others.contains(text[at])
            : character.code != kIllFormed && is_letter(text.substr(at, character.bytes));
    if (!belongs) break;
    at += character.bytes;
  }
  return at;
}

bool has(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

class Parser {
 public:
  Parser(std::string_view text, const ReferenceNames& names, const ReferenceOptions& options)
      : text_(text), names_(names), options_(options) {
    for (const DynamicReference& reference : options.dynamic)
      dynamic_.try_emplace(place_key(reference.line, reference.start_column), &reference);
  }

  std::vector<ReferencePart> parse() {
    bool may_begin = true;
    while (at_.byte < text_.size() && references_ < kMostReferences) {
      const std::size_t before = at_.byte;
      if (may_begin) try_to_begin();
      if (at_.byte == before) {
        advance();
        in_front_ = in_front_ && is_white_space(last_);
      }
      may_begin = is_white_space(last_);
    }
    while (at_.byte < text_.size()) advance();
    if (text_from_.byte < text_.size()) add_text();
    return std::move(parts_);
  }

 private:
  struct Cursor {
    std::size_t byte = 0;
    std::size_t unit = 0;
    ReferencePart::Place place;
  };

  static std::uint64_t place_key(std::size_t line, std::size_t column) {
    return static_cast<std::uint64_t>(line) << 32 | static_cast<std::uint32_t>(column);
  }

  std::string_view rest() const { return text_.substr(at_.byte); }

  void advance() {
    const Character character = read_character(rest());
    at_.byte += character.bytes;
    at_.unit += character.units();
    at_.place.column += character.units();
    if (character.code == '\n') at_.place = {at_.place.line + 1, 1};
    last_ = character.code;
  }

  void try_to_begin() {
    const char mark = text_[at_.byte];
    if (mark == '#' && options_.additions && try_addition()) return;
    if (mark == '#' && try_variable()) return;
    if (mark == '#' && options_.additions && try_full_name(rest().substr(1))) return;
    if (mark == '@' && try_agent()) return;
    if (mark == '/' && try_command()) return;
    if (!dynamic_.empty()) try_dynamic();
  }

  bool try_variable() {
    const std::string_view text = rest().substr(1);
    const std::size_t run = run_length(text, is_variable_character);
    if (run == 0) return false;
    std::size_t name = run;
    std::size_t whole = run;
    if (run < text.size() && text[run] == ':') {
      const std::size_t digits = run_length(text.substr(run + 1), is_digit);
      if (digits > 0 && is_end_of_name(text, run + 1 + digits)) whole = run + 1 + digits;
    }
    if (whole == run) whole = name = name_length(text, run);
    if (name == 0) return false;
    auto target = names_.find(text.substr(0, name));
    if (!target && options_.additions) target = names_.find_id(text.substr(0, name));
    if (!target) return false;
    add_target(*target, text.substr(0, name), whole + 1, name + 1);
    return true;
  }

  // #"My Tool", #tool:"My Tool", #tool:full/name
  bool try_addition() {
    std::string_view text = rest().substr(1);
    const bool prefixed = text.starts_with(kFullNamePrefix);
    if (prefixed) text.remove_prefix(kFullNamePrefix.size());
    if (text.starts_with('"')) return try_quoted(text.substr(1));
    return prefixed && try_full_name(text);
  }

  bool try_quoted(std::string_view text) {
    const std::size_t end = text.substr(0, kLongestName + 1).find_first_of("\"\n");
    if (end == text.npos || end == 0 || text[end] != '"') return false;
    const std::string_view name = text.substr(0, end);
    return try_name(name, name.data() + name.size() + 1);
  }

  bool try_full_name(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && end <= kLongestName) {
      const Character character = read_character(text.substr(end));
      if (is_white_space(character.code)) break;
      end += character.bytes;
    }
    if (end > kLongestName) return false;
    for (std::size_t tries = 0; end > 0 && tries < kMostClosing; ++tries, --end) {
      const std::string_view name = text.substr(0, end);
      if (try_name(name, name.data() + end)) return true;
      if (!kClosing.contains(text[end - 1])) return false;
    }
    return false;
  }

  bool try_name(std::string_view name, const char* end) {
    auto target = names_.find_full(name);
    if (!target) target = names_.find(name);
    if (!target) target = names_.find_id(name);
    if (!target) return false;
    const auto bytes = static_cast<std::size_t>(end - rest().data());
    add_target(*target, name, bytes, bytes);
    return true;
  }

  void add_target(ReferenceTarget target, std::string_view name, std::size_t bytes,
                  std::size_t text_bytes) {
    const bool is_tool = target.kind == ReferenceTarget::Kind::Tool;
    ReferencePart& part = add_part(is_tool ? Kind::Tool : Kind::ToolSet, bytes);
    part.text = part.source.substr(0, text_bytes);
    part.name = name;
    part.index = target.index;
  }

  bool try_agent() {
    if (!in_front_ || !parts_.empty()) return false;
    const std::string_view text = rest().substr(1);
    const std::size_t length = name_length(text, run_length(text, is_agent_character));
    const auto agent =
        std::ranges::find(options_.agents, text.substr(0, length), &ReferenceOptions::Agent::name);
    if (length == 0 || agent == options_.agents.end()) return false;
    agent_ = &*agent;
    add_part(Kind::Agent, length + 1).name = text.substr(0, length);
    return true;
  }

  // In front, or behind an agent that stands there.
  bool try_command() {
    if (!in_front_) return false;
    const std::string_view text = rest().substr(1);
    std::size_t length = command_run_length(text, "_-.:");
    if (length > kLongestName) return false;
    length = name_length(text, length);
    const std::string_view name = text.substr(0, length);
    if (length == 0) return false;
    if (agent_) return has(agent_->commands, name) && add_command(Kind::Subcommand, name);
    if (has(options_.slash_commands, name)) return add_command(Kind::Slash, name);
    if (try_two_words(text, name)) return true;
    return has(options_.prompts, name) && add_command(Kind::Prompt, name);
  }

  // A prompt called "plugin:task" may be written "/plugin task".
  bool try_two_words(std::string_view text, std::string_view first) {
    const std::string_view behind = text.substr(first.size());
    const std::size_t blanks = std::min(behind.find_first_not_of(" \t"), behind.size());
    const std::size_t length = command_run_length(behind.substr(blanks), "_-.");
    if (blanks == 0 || length == 0) return false;
    const std::string name = fmt::format("{}:{}", first, behind.substr(blanks, length));
    const auto prompt = std::ranges::find(options_.prompts, name);
    if (prompt == options_.prompts.end()) return false;
    add_part(Kind::Prompt, 1 + first.size() + blanks + length).name = *prompt;
    return true;
  }

  bool add_command(Kind kind, std::string_view name) {
    add_part(kind, name.size() + 1).name = name;
    return true;
  }

  void try_dynamic() {
    const auto found = dynamic_.find(place_key(at_.place.line, at_.place.column));
    if (found == dynamic_.end()) return;
    const DynamicReference& reference = *found->second;
    const std::string_view text = rest();
    std::size_t bytes = 0;
    std::size_t units = 0;
    while (bytes < text.size() && reference.start_column + units < reference.end_column) {
      const Character character = read_character(text.substr(bytes));
      bytes += character.bytes;
      units += character.units();
    }
    ReferencePart& part = add_part(Kind::Dynamic, bytes);
    part.name = reference.id;
    part.to = {reference.line, reference.start_column + units};
    text_from_.place = part.to;
  }

  // The text before it and the part itself, which the cursor then has passed.
  ReferencePart& add_part(Kind kind, std::size_t bytes) {
    if (at_.byte != 0) add_text();
    ReferencePart part;
    part.kind = kind;
    part.source = part.text = text_.substr(at_.byte, bytes);
    part.start = at_.unit;
    part.from = at_.place;
    const std::size_t end = at_.byte + bytes;
    while (at_.byte < end) advance();
    part.end = at_.unit;
    part.to = at_.place;
    text_from_ = at_;
    in_front_ = in_front_ && kind == Kind::Agent;
    ++references_;
    return parts_.emplace_back(part);
  }

  void add_text() {
    ReferencePart part;
    part.source = part.text = text_.substr(text_from_.byte, at_.byte - text_from_.byte);
    part.start = text_from_.unit;
    part.end = at_.unit;
    part.from = text_from_.place;
    part.to = at_.place;
    parts_.push_back(part);
  }

  std::string_view text_;
  const ReferenceNames& names_;
  const ReferenceOptions& options_;
  std::unordered_map<std::uint64_t, const DynamicReference*> dynamic_;  // by place
  std::vector<ReferencePart> parts_;
  Cursor at_;
  Cursor text_from_;      // where the text begins that is in no part yet
  char32_t last_ = 0;     // that the cursor passed
  bool in_front_ = true;  // there was nothing but white space and an agent
  std::size_t references_ = 0;
  const ReferenceOptions::Agent* agent_ = nullptr;
};

}  // namespace

std::string_view ReferencePart::prompt_text() const {
  return kind == Kind::Agent || kind == Kind::Subcommand ? std::string_view() : text;
}

std::vector<ReferencePart> parse_references(std::string_view text, const ReferenceNames& names,
                                            const ReferenceOptions& options) {
  return Parser(text, names, options).parse();
}

std::string prompt_of(const std::vector<ReferencePart>& parts) {
  std::string prompt;
  for (const ReferencePart& part : parts) prompt += part.prompt_text();
  prompt.erase(0, white_space_at_front(prompt));
  return prompt;
}

}  // namespace toolgate
