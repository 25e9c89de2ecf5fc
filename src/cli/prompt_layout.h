// Where the text of a prompt stands in a window: rows of at most its width, and the cursor among
// them. Pure; prompt.h draws it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

struct PromptLayout {
  std::vector<std::string> rows;  // without the mark, which stands before the first
  std::size_t row = 0;            // of the cursor
  std::size_t column = 0;
};

// Every row leaves `indent` columns for the mark, and the last column free.
PromptLayout lay_out_prompt(std::string_view text, std::size_t cursor, std::size_t indent,
                            std::size_t width);

// Words in columns that fit the width, read downwards, one line per row.
std::string lay_out_words(const std::vector<std::string>& words, std::size_t width);

}  // namespace toolgate
