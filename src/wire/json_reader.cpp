// The walk itself, with a stack of open brackets instead of recursion.
#include "wire/json_reader.h"

#include "base/json.h"

namespace toolgate {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Where the digits that begin at `at` end; null when there is none.
const char* behind_digits(const char* at, const char* end) {
  const char* const begin = at;
  while (at != end && is_digit(*at)) ++at;
  return at != begin ? at : nullptr;
}

bool ends_scalar(char c) {
  return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::size_t max_depth)
    : text_(text), at_(text.data()), end_(at_ + text.size()), value_end_(at_), open_(max_depth) {
  at_ = behind_space(at_);
  if (at_ == end_) fail_at(at_, "the text is empty");
}

const char* JsonReader::fail_at(const char* at, const char* reason) {
  if (!fault_) {
    fault_ = at != end_ || value_end_ == text_.data() ? reason : "the text ends too early";
    fault_offset_ = static_cast<std::size_t>(at - text_.data());
  }
  at_ = end_;
  return nullptr;
}

const char* JsonReader::fail_string(const char* at, StringFault fault) {
  switch (fault) {
    case StringFault::ControlCharacter:
      return fail_at(at, "a string holds a control character that is not escaped");
    case StringFault::InvalidUtf8:
      return fail_at(at, "a string is not valid UTF-8");
    default:
      return fail_at(at, "a string is not closed");
  }
}

void JsonReader::enter() {
  if (depth_ == open_.size()) {
    fail_at(at_, "the text is nested too deeply");
    return;
  }
  open_[depth_++] = *at_;
  pass_value(at_ + 1);
  entered_ = true;
}

const char* JsonReader::behind_word(const char* at, std::string_view word) {
  const std::string_view rest(at, end_);
  const bool ends =
      rest.size() == word.size() || (rest.size() > word.size() && ends_scalar(rest[word.size()]));
  if (!ends || !rest.starts_with(word)) return fail_at(at, "a value is malformed");
  return at + word.size();
}

const char* JsonReader::behind_number(const char* const begin) {
  const char* at = begin;
  if (*at == '-') ++at;
  at = at != end_ && *at == '0' ? at + 1 : behind_digits(at, end_);
  if (at && at != end_ && *at == '.') at = behind_digits(at + 1, end_);
  if (at && at != end_ && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end_ && (*at == '+' || *at == '-')) ++at;
    at = behind_digits(at, end_);
  }
  if (!at || (at != end_ && !ends_scalar(*at))) return fail_at(begin, "a number is malformed");
  return at;
}

const char* JsonReader::behind_scalar(const char* at) {
  String unread;
  const char first = at != end_ ? *at : '\0';
  switch (first) {
    case '"':
      return behind_string(at, unread);
    case 't':
      return behind_word(at, "true");
    case 'f':
      return behind_word(at, "false");
    case 'n':
      return behind_word(at, "null");
    default:
      return first == '-' || is_digit(first) ? behind_number(at)
                                             : fail_at(at, "a value is missing");
  }
}

bool JsonReader::pass_scalar() {
  const char* const behind = behind_scalar(at_);
  if (behind == nullptr) return false;
  pass_value(behind);
  return true;
}

bool JsonReader::skip_nested() {
  if (failed()) return false;
  const std::size_t floor = depth_;
  String unread;
  const char* at = at_;
  while (true) {
    const char first = at != end_ ? *at : '\0';
    if (first == '{' || first == '[') {
      at_ = at;
      enter();
      if (failed()) return false;
      at = at_;
      if (at == end_ || *at != first + 2) {
        if (first == '{') at = behind_key(at, unread);
        if (at == nullptr) return false;
        continue;
      }
    } else {
      at = behind_scalar(at);
      if (at == nullptr) return false;
      value_end_ = at;
      at = behind_space(at);
    }
    // A value has been passed: what closes behind it, and what comes next.
    while (depth_ > floor && at != end_ && *at == open_[depth_ - 1] + 2) {
      --depth_;
      value_end_ = ++at;
      at = behind_space(at);
    }
    at_ = at;
    entered_ = false;
    if (depth_ == floor) return true;
    const bool in_object = open_[depth_ - 1] == '{';
    if (at == end_ || *at != ',')
      return fail_at(at, in_object ? "',' or '}' is missing" : "',' or ']' is missing") != nullptr;
    at = behind_space(at + 1);
    if (in_object) at = behind_key(at, unread);
    if (at == nullptr) return false;
  }
}

std::string_view JsonReader::read_string() {
  if (failed()) return {};
  if (token() != '"') {
    fail_at(at_, "a string is missing");
    return {};
  }
  String string;
  std::string_view out;
  return pass_string(string) && unescape(string, string_buffer_, out) ? out : std::string_view();
}

std::string_view JsonReader::read_token() {
  if (failed()) return {};
  const char* const begin = at_;
  return pass_scalar() ? std::string_view(begin, value_end_) : std::string_view();
}

bool JsonReader::at_end() {
  if (failed()) return false;
  return at_ == end_ || fail_at(at_, "something follows after the end") != nullptr;
}

std::string_view JsonReader::key() {
  std::string_view out;
  return unescape(key_, key_buffer_, out) ? out : std::string_view();
}

bool JsonReader::unescape(const String& string, std::string& buffer, std::string_view& out) {
  out = string.inside();
  if (!string.escaped) return true;
  const auto parsed = parse_json({string.begin - 1, string.end + 1});
  if (!parsed || !parsed->is_string())
    return fail_at(string.begin - 1, "a string holds a wrong escape") != nullptr;
  const auto& text = parsed->get_string();
  buffer.assign(text.data(), text.size());
  out = buffer;
  return true;
}

}  // namespace toolgate
