// How commands print for people: colour where a terminal takes it, JSON with line breaks, and a
// place in a text with a caret below it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/json_tree.h"

namespace toolgate {

enum class Paint { Plain, Bold, Dim, Red, Green, Yellow, Cyan };

class Terminal {
 public:
  // Colour when `file` is a terminal and NO_COLOR is not set.
  explicit Terminal(std::FILE* file);

  bool colour() const { return colour_; }
  std::string paint(Paint paint, std::string_view text) const;
  // Control characters of the text are shown, never sent to the terminal.
  void print(std::string_view text) const;

 private:
  std::FILE* file_;
  bool colour_;
};

// The text with every control character but line breaks written as \x1b and the like.
std::string visible(std::string_view text);

// Two spaces per level; short arrays and objects of scalars stay on one line.
std::string pretty_json(const JsonNode& node);

// The line that holds `offset`, cut to a readable width, and a caret line below it.
std::string point_into(std::string_view text, std::size_t offset, const Terminal& terminal);

// 1234567 as 1,234,567.
std::string with_commas(std::size_t number);

}  // namespace toolgate
