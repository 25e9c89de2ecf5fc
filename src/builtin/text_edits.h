// Edits of a text as a language server gives them, and the lines that its positions count. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/lsp_values.h"

namespace toolgate {

// A text by lines, which end with \n, \r\n or \r. Refers to it.
class TextLines {
 public:
  explicit TextLines(std::string_view text);

  std::size_t count() const { return begins_.size(); }
  // Without its end; empty for a line that is not there.
  std::string_view line(std::size_t number) const;
  // Nothing: there is no such line. A character behind the end of the line is its end; one inside
  // a character that takes two units is that character's beginning.
  std::optional<std::size_t> offset_of(const LspPosition& position) const;
  // Of a byte in the text.
  LspPosition position_of(std::size_t offset) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
};

// In any order. Edits that overlap, or that are of lines that are not there, refuse all. Those that
// insert at one place stay in their order.
Result<std::string> apply_text_edits(std::string_view text, std::vector<LspTextEdit> edits);

// Where `word` stands by itself, not as a part of a longer name. At most so many.
std::vector<std::size_t> find_word(std::string_view text, std::string_view word, std::size_t most);

}  // namespace toolgate
