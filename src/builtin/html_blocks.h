// HTML elements as blocks of Markdown: paragraphs, headings, lists, tables, code.
// readable_text.cpp calls it.
#pragma once

#include <gumbo.h>
#include <string>
#include <vector>

#include "builtin/page_content.h"
#include "net/http_url.h"

namespace toolgate {

struct ReadableBlock {
  std::string text;
  int heading = 0;            // 1 to 6; 0: none
  bool follows_line = false;  // stands right below the block before it, as items of lists do
};

// Where a link leads, absolute. Empty: nowhere that can be fetched, as in-page links, scripts,
// data.
std::string link_target(const HttpUrl& base, std::string_view reference);

// About `most_bytes` of text; what is more is left out, and a last block says so.
std::vector<ReadableBlock> make_blocks(const PageContent& content, const HttpUrl& base,
                                       std::size_t most_bytes);

}  // namespace toolgate
