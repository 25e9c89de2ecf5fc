// Boost.JSON with its faults mended: the JSON values of this project. simdjson is used where only
// parts of a big document are read (wire/).
#pragma once

#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include "base/error.h"

namespace toolgate {

namespace json = boost::json;

inline constexpr std::size_t kMaxJsonDepth = 256;

// Strict JSON in valid UTF-8. The error names line and column.
Result<json::value> parse_json(std::string_view text);

// As above, but text that is not valid UTF-8 is let through; whoever reads the strings mends them.
Result<json::value> parse_json_any_utf8(std::string_view text);

// JSON with comments and trailing commas, for files that people write.
Result<json::value> parse_jsonc(std::string_view text);

// Compact text. Numbers are written the shortest way that reads back the same (Boost.JSON 1.81
// writes 0.7 as 7E-1). Control characters are escaped; other text stands as UTF-8.
std::string write_json(const json::value& value);
void append_json(std::string& out, const json::value& value);

// Appends `text` as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

// The member if `value` is an object that has it, else null.
const json::value* find(const json::value& value, std::string_view key);

// 1-based line and column (in code points) of a byte offset.
struct TextPosition {
  std::size_t line = 1;
  std::size_t column = 1;
};
TextPosition text_position(std::string_view text, std::size_t offset);

}  // namespace toolgate
