// Reads a JSON text in place, once, front to back, without building values. wire/openai_chat uses
// it for request bodies, where all but a few members are only passed over. simdjson finds the
// tokens (vectorised, with the UTF-8 check); the grammar is checked here, because simdjson's own
// on-demand skipping lets `[}` and `1 2` pass and does not tell where a value ends.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

class JsonReader {
 public:
  enum class Kind { Object, Array, String, Number, Bool, Null, Bad };

  // `text` must outlive the reader. No byte behind its end is read.
  JsonReader(std::string_view text, std::size_t max_depth);
  ~JsonReader();
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  // Once something is wrong everything below answers false or empty. Escapes are checked only in
  // strings that are read, not in those passed over.
  bool failed() const { return fault_ != nullptr; }
  const char* fault() const { return fault_; }
  // The byte the fault is at, or kUnknown when only the whole text is known to be wrong.
  static constexpr std::size_t kUnknown = SIZE_MAX;
  std::size_t fault_offset() const { return fault_offset_; }

  Kind kind() const;  // of the value that stands next
  // Where the next token begins.
  std::size_t offset() const { return at_ < count_ ? tokens_[at_] : text_.size(); }
  // Where the value just passed ended.
  std::size_t end_offset() const { return at_ > 0 ? scalar_end(at_ - 1) : 0; }

  // After kind() said so: while (next_member()) { read or skip the value }. The call that answers
  // false has passed the closing bracket.
  void enter();
  bool next_member();
  bool next_element();
  std::size_t key_offset() const { return key_offset_; }
  std::string_view key();  // unescaped; until the next call
  // Which of `names` the key is; their number when none, also when it is malformed.
  std::size_t key_among(std::span<const std::string_view> names) {
    return among(key_raw_, key_buffer_, names);
  }

  bool skip();                     // any value, checked
  std::string_view read_string();  // unescaped; until the next read
  // Passes a string and tells which of `names` it is, like key_among().
  std::size_t read_string_among(std::span<const std::string_view> names);
  std::string_view read_token();  // number, true, false or null as written
  bool at_end();                  // fails when more than white space follows

 private:
  struct Index;
  static std::unique_ptr<Index>& spare_index();  // of this thread

  char token() const { return at_ < count_ ? text_[tokens_[at_]] : '\0'; }
  std::size_t scalar_end(std::size_t token_number) const;
  std::string_view scalar() const {
    return text_.substr(tokens_[at_], scalar_end(at_) - tokens_[at_]);
  }
  bool pass_key();
  bool step();
  void leave() {
    open_.pop_back();
    ++at_;
  }
  std::size_t among(std::string_view raw, std::string& buffer,
                    std::span<const std::string_view> names);
  std::size_t escaped_among(std::string_view raw, std::string& buffer,
                            std::span<const std::string_view> names);
  bool unescape(std::string_view raw, std::string& buffer, std::string_view& out);
  bool fail_here(const char* reason);

  std::string_view text_;
  std::unique_ptr<Index> index_;
  const std::uint32_t* tokens_ =
      nullptr;  // offsets of brackets, ':', ',' and beginnings of scalars
  std::size_t count_ = 0;
  std::size_t at_ = 0;
  std::size_t max_depth_;
  std::vector<char> open_;  // the brackets that are open
  std::size_t key_offset_ = 0;
  std::string_view key_raw_;
  std::string key_buffer_;
  std::string string_buffer_;
  const char* fault_ = nullptr;
  std::size_t fault_offset_ = kUnknown;
};

// Here, so that the loops over a request's thousands of tokens are compiled as one piece.

// Between a scalar and the token after it there is only white space, or junk that spoils the
// scalar.
inline std::size_t JsonReader::scalar_end(std::size_t token_number) const {
  std::size_t end = token_number + 1 < count_ ? tokens_[token_number + 1] : text_.size();
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (is_space(text_[end - 1])) --end;
  return end;
}

inline JsonReader::Kind JsonReader::kind() const {
  switch (const char c = token()) {
    case '{':
      return Kind::Object;
    case '[':
      return Kind::Array;
    case '"':
      return Kind::String;
    case 't':
    case 'f':
      return Kind::Bool;
    case 'n':
      return Kind::Null;
    default:
      return c == '-' || (c >= '0' && c <= '9') ? Kind::Number : Kind::Bad;
  }
}

inline bool JsonReader::next_member() {
  if (failed()) return false;
  if (token() == '}') {
    leave();
    return false;
  }
  if (text_[tokens_[at_ - 1]] != '{') {
    if (token() != ',') return fail_here("',' or '}' is missing");
    ++at_;
  }
  if (token() != '"') return fail_here("a member's name in quotes is missing");
  key_offset_ = tokens_[at_];
  key_raw_ = scalar();
  ++at_;
  if (token() != ':') return fail_here("':' is missing");
  ++at_;
  return true;
}

inline bool JsonReader::next_element() {
  if (failed()) return false;
  if (token() == ']') {
    leave();
    return false;
  }
  if (text_[tokens_[at_ - 1]] != '[') {
    if (token() != ',') return fail_here("',' or ']' is missing");
    ++at_;
  }
  return true;
}

inline std::size_t JsonReader::among(std::string_view raw, std::string& buffer,
                                     std::span<const std::string_view> names) {
  const std::string_view inside = raw.substr(1, raw.size() - 2);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (inside == names[i]) return i;
  if (inside.find('\\') == inside.npos) return names.size();
  return escaped_among(raw, buffer, names);
}

inline std::size_t JsonReader::read_string_among(std::span<const std::string_view> names) {
  const std::size_t number = among(scalar(), string_buffer_, names);
  if (!failed()) ++at_;
  return number;
}

}  // namespace toolgate
