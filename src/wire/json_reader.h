// Reads a JSON text in place, once, front to back, without building values. wire/openai_chat uses
// it for request bodies, where all but a few members are only passed over. Not simdjson's
// on-demand reader, which lets `[}` and `1 2` pass and does not tell where a value ends; an index
// of all tokens, its other way, costs more than this whole walk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_scan.h"

namespace toolgate {

class JsonReader {
 public:
  enum class Kind { Object, Array, String, Number, Bool, Null, Bad };

  // `text` must outlive the reader. No byte behind its end is read.
  JsonReader(std::string_view text, std::size_t max_depth);
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  // Once something is wrong everything below answers false or empty. Escapes are checked only in
  // strings that are read, not in those passed over.
  bool failed() const { return fault_ != nullptr; }
  const char* fault() const { return fault_; }
  std::size_t fault_offset() const { return fault_offset_; }

  Kind kind() const;  // of the value that stands next
  // Where the next token begins.
  std::size_t offset() const { return static_cast<std::size_t>(at_ - text_.data()); }
  // Where the value just passed ended.
  std::size_t end_offset() const { return static_cast<std::size_t>(value_end_ - text_.data()); }

  // After kind() said so: while (next_member()) { read or skip the value }. The call that answers
  // false has passed the closing bracket.
  void enter();
  bool next_member();
  bool next_element();
  std::size_t key_offset() const { return static_cast<std::size_t>(key_begin_ - text_.data()); }
  std::string_view key();  // unescaped; until the next call
  // Tells as well which of kNames the key is: its place among them, or their number when it is
  // none.
  template <const auto& kNames>
  bool next_member(std::size_t& key);

  bool skip();  // any value, checked
  // The value that stands next, which is known to be well-formed and to have `size` bytes.
  void pass(std::size_t size) { pass_value(at_ + size); }
  std::string_view read_string();  // unescaped; until the next read
  // Passes a string and tells which of kNames it is, like next_member().
  template <const auto& kNames>
  std::size_t read_string_among();
  std::string_view read_token();  // number, true, false or null as written
  bool at_end();                  // fails when more than white space follows

 private:
  // Two pointers and no view: written and read one by one, they stay in the processor's store
  // buffer, where a view copied as one piece would wait for it.
  struct String {
    const char* begin = nullptr;  // between the quotes
    const char* end = nullptr;
    bool escaped = false;

    std::string_view inside() const { return {begin, end}; }
  };

  char token() const { return at_ != end_ ? *at_ : '\0'; }
  // Each gives the place behind what it names, or null after a fault.
  const char* behind_space(const char* at) const;
  const char* behind_string(const char* at, String& string);
  const char* behind_key(const char* at, String& key);
  const char* behind_colon(const char* at);
  const char* behind_scalar(const char* at);
  const char* behind_word(const char* at, std::string_view word);
  const char* behind_number(const char* at);
  const char* next_key();  // where it begins; null at the end of the object and after a fault
  void pass_value(const char* behind);
  bool pass_string(String& string);
  bool pass_scalar();
  bool skip_nested();
  void leave();
  template <const auto& kNames>
  std::size_t name_at(const char* at) const;
  template <const auto& kNames>
  std::size_t among(const String& string, std::string& buffer);
  bool unescape(const String& string, std::string& buffer, std::string_view& out);
  const char* fail_at(const char* at, const char* reason);  // null
  const char* fail_string(const char* at, StringFault fault);

  std::string_view text_;
  const char* at_;   // the next token, or the end
  const char* end_;  // of the text
  const char* value_end_;
  bool entered_ = false;  // nothing has been read in the container that was entered last
  std::size_t depth_ = 0;
  std::vector<char> open_;  // the brackets that are open, by depth
  const char* key_begin_ = nullptr;
  String key_;
  std::string key_buffer_;
  std::string string_buffer_;
  const char* fault_ = nullptr;
  std::size_t fault_offset_ = 0;
};

// Here, so that the loops over a request's thousands of tokens are compiled as one piece.

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

// The functions below work on a copy of at_: a char that is read might be part of it as far as
// the compiler knows, so it would be stored and loaded again for every byte.

inline const char* JsonReader::behind_space(const char* at) const {
  const auto is_space = [](char c) {
    return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
  };
  while (at != end_ && is_space(*at)) ++at;
  return at;
}

inline const char* JsonReader::behind_string(const char* at, String& string) {
  const StringScan scan = scan_string(at + 1, end_);
  if (scan.fault != StringFault::None) return fail_string(at, scan.fault);
  string.begin = at + 1;
  string.end = scan.end - 1;
  string.escaped = scan.escaped;
  return scan.end;
}

// A member's name, its colon and the space behind; null after a fault.
inline const char* JsonReader::behind_key(const char* at, String& key) {
  if (at == end_ || *at != '"') return fail_at(at, "a member's name in quotes is missing");
  at = behind_string(at, key);
  return at != nullptr ? behind_colon(at) : nullptr;
}

inline const char* JsonReader::behind_colon(const char* at) {
  at = behind_space(at);
  if (at == end_ || *at != ':') return fail_at(at, "':' is missing");
  return behind_space(at + 1);
}

inline void JsonReader::leave() {
  --depth_;
  pass_value(at_ + 1);
  entered_ = false;
}

inline const char* JsonReader::next_key() {
  const char* at = at_;
  if (at != end_ && *at == '}') {
    leave();
    return nullptr;
  }
  if (failed()) return nullptr;
  if (!entered_) {
    if (at == end_ || *at != ',') return fail_at(at, "',' or '}' is missing");
    at = behind_space(at + 1);
  }
  entered_ = false;
  key_begin_ = at;
  return at;
}

inline bool JsonReader::next_member() {
  const char* at = next_key();
  if (at != nullptr) at = behind_key(at, key_);
  if (at == nullptr) return false;
  at_ = at;
  return true;
}

// A name that is guessed right needs no search for its end. The processor then goes on before the
// text has been read, where a search would make it wait.
template <const auto& kNames>
bool JsonReader::next_member(std::size_t& key) {
  const char* at = next_key();
  if (at == nullptr) return false;
  key = name_at<kNames>(at);
  if (key != kNames.size()) {
    key_.begin = at + 1;
    key_.end = key_.begin + kNames[key].size();
    key_.escaped = false;
    at = behind_colon(key_.end + 1);
  } else {
    at = behind_key(at, key_);
    if (at != nullptr) key = among<kNames>(key_, key_buffer_);
  }
  if (at == nullptr || failed()) return false;
  at_ = at;
  return true;
}

inline bool JsonReader::next_element() {
  const char* const at = at_;
  if (at != end_ && *at == ']') {
    leave();
    return false;
  }
  if (failed()) return false;
  if (!entered_) {
    if (at == end_ || *at != ',') return fail_at(at, "',' or ']' is missing") != nullptr;
    at_ = behind_space(at + 1);
  }
  entered_ = false;
  return true;
}

inline void JsonReader::pass_value(const char* behind) {
  value_end_ = behind;
  at_ = behind_space(behind);
}

inline bool JsonReader::pass_string(String& string) {
  const char* const behind = behind_string(at_, string);
  if (behind == nullptr) return false;
  pass_value(behind);
  return true;
}

inline bool JsonReader::skip() {
  String unread;
  return token() == '"' ? pass_string(unread) : skip_nested();
}

// Which of kNames stands at `at`, in quotes and without escapes.
template <const auto& kNames>
std::size_t JsonReader::name_at(const char* at) const {
  const auto left = static_cast<std::size_t>(end_ - at);
  std::size_t number = 0;
  for (; number < kNames.size(); ++number) {
    const std::string_view name = kNames[number];
    if (left >= name.size() + 2 && at[0] == '"' && at[name.size() + 1] == '"' &&
        std::memcmp(at + 1, name.data(), name.size()) == 0)
      break;
  }
  return number;
}

template <const auto& kNames>
std::size_t JsonReader::among(const String& string, std::string& buffer) {
  std::string_view text;
  if (!string.escaped || !unescape(string, buffer, text)) return kNames.size();
  return static_cast<std::size_t>(std::ranges::find(kNames, text) - kNames.begin());
}

template <const auto& kNames>
std::size_t JsonReader::read_string_among() {
  const std::size_t number = name_at<kNames>(at_);
  if (number != kNames.size()) {
    pass_value(at_ + kNames[number].size() + 2);
    return number;
  }
  String string;
  return pass_string(string) ? among<kNames>(string, string_buffer_) : number;
}

}  // namespace toolgate
