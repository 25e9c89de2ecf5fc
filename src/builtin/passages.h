// The parts of a page that are about a question, where the whole page is too long. Pure;
// fetch_webpage.cpp calls it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "builtin/html_blocks.h"

namespace toolgate {

struct Passages {
  std::string text;
  std::size_t all_bytes = 0;  // of the whole page
  bool is_shortened = false;
};

// At most about `most_bytes`. Passages are ranked by the words of `query` that they and the
// headings above them have, rare words counting more; the beginning is always there. They come in
// the page's order, and "[…]" stands where something is left out.
Passages choose_passages(const std::vector<ReadableBlock>& blocks, std::string_view query,
                         std::size_t most_bytes);

}  // namespace toolgate
