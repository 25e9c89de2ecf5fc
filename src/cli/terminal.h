// How commands print for people: colour where a terminal takes it, text that fits its width, JSON
// with line breaks, and a place in a text with a caret below it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"

namespace toolgate {

enum class Paint { Plain, Bold, Dim, Red, Green, Yellow, Cyan };

class Terminal {
 public:
  // Colour when `file` is a terminal and NO_COLOR is not set.
  explicit Terminal(std::FILE* file);
  // A window of so many columns, whatever `file` is.
  Terminal(std::FILE* file, std::size_t width, bool colour)
      : file_(file), is_terminal_(true), colour_(colour), width_(width) {}

  bool colour() const { return colour_; }
  // Whether a person looks at it: layouts that fit the window are for them, pipes get all.
  bool is_terminal() const { return is_terminal_; }
  // Columns of the window; of what is no terminal, more than any text has.
  std::size_t width() const { return width_; }
  // Lines of the window now.
  std::size_t height() const;
  std::string paint(Paint paint, std::string_view text) const;
  // The text as it is: what strangers wrote is made visible() before.
  void print(std::string_view text) const;
  // A sentence of ours, broken between words where the window ends.
  void say(Paint paint, std::string_view text) const;
  void flush() const { std::fflush(file_); }
  // The window may have another size by now.
  void measure();

 private:
  std::FILE* file_;
  bool is_terminal_;
  bool colour_;
  std::size_t width_;
};

// The text with every control character but line breaks written as \x1b and the like; those that
// turn the direction of writing as \u202e.
std::string visible(std::string_view text);

// The functions below take visible text and count in columns of a terminal.

// A code point: how long it is, and how wide it is drawn.
struct Character {
  std::size_t bytes;
  std::size_t columns;
};
Character character_at(std::string_view text, std::size_t at);
std::size_t columns_of(std::string_view text);
// How many bytes of the text take at most `columns`.
std::size_t bytes_within(std::string_view text, std::size_t columns);
// Line breaks and runs of white space become one space each.
std::string on_one_line(std::string_view text);
// The text, or its beginning with "…" behind it.
std::string cut_to_columns(std::string_view text, std::size_t columns);
// Filled up with spaces behind it.
std::string pad_to_columns(std::string_view text, std::size_t columns);
// Lines of at most `columns`, broken between words where that can be; the text's own line breaks
// stay.
std::vector<std::string> wrap_to_columns(std::string_view text, std::size_t columns);

// Two spaces per level; short arrays and objects of scalars stay on one line.
std::string pretty_json(const JsonNode& node);

// The line that holds `offset`, cut to a readable width, and a caret line below it.
std::string point_into(std::string_view text, std::size_t offset, const Terminal& terminal);

// Paths below the home folder begin with ~ for people.
std::string with_tilde(std::string text);

// 1234567 as 1,234,567.
std::string with_commas(std::size_t number);

// "1 tool", "5,000 tools".
std::string counted(std::size_t number, std::string_view thing);

}  // namespace toolgate
