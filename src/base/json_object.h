// Writes one JSON object member by member, for texts that are made too often to build a tree first.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace toolgate {

// Keys are ours and need no escapes.
class JsonObjectWriter {
 public:
  explicit JsonObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  JsonObjectWriter(const JsonObjectWriter&) = delete;
  JsonObjectWriter& operator=(const JsonObjectWriter&) = delete;

  void text(std::string_view key, std::string_view value) {
    add_key(key);
    append_json_string(out_, value);
  }
  void json(std::string_view key, std::string_view value) {
    add_key(key);
    out_ += value;
  }
  void number(std::string_view key, std::int64_t value) {
    char digits[20];
    add_key(key);
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void truth(std::string_view key, bool value) { json(key, value ? "true" : "false"); }

  // The same, but nothing where there is nothing to say.
  void text_if_any(std::string_view key, std::string_view value) {
    if (!value.empty()) text(key, value);
  }
  void json_if_any(std::string_view key, std::string_view value) {
    if (!value.empty()) json(key, value);
  }
  void number_if_any(std::string_view key, std::int64_t value) {
    if (value != 0) number(key, value);
  }

  void end() { out_ += '}'; }

 private:
  void add_key(std::string_view key) {
    if (out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += key;
    out_ += "\":";
  }

  std::string& out_;
};

}  // namespace toolgate
