// Where the members of an object and the items of a list stand in a JSON text with comments, so
// that a file of a person can be changed without touching the rest. tools/toolset_file.cpp uses it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

// Byte offsets into the text.
struct JsoncChild {
  std::size_t key = 0;        // of the member's name; of an item its value
  std::size_t value = 0;      // of the value's first byte
  std::size_t value_end = 0;  // behind it
  std::optional<std::size_t> comma;
};

struct JsoncOutline {
  std::size_t open = 0;   // of the bracket
  std::size_t close = 0;  // of the bracket that ends it
  std::vector<JsoncChild> children;
};

// Of the object or list that begins at `offset`, behind white space and comments. `text` is one
// that parse_jsonc() takes; other text gives some outline within it.
JsoncOutline outline_jsonc(std::string_view text, std::size_t offset);

// The first byte at or behind `offset` that is neither white space nor in a comment; the end of the
// text if there is none.
std::size_t skip_jsonc_blank(std::string_view text, std::size_t offset);

bool has_comment(std::string_view text);

// Some editors begin a file with the mark of UTF-8.
std::string_view without_bom(std::string_view text);

// The string that begins at `offset`, unescaped; nothing if there is none.
std::optional<std::string> jsonc_string(std::string_view text, std::size_t offset);

}  // namespace toolgate
