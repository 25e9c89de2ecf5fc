// Pages as text that people and models read: the title, what the page says about itself, and its
// main content as Markdown. Pure; fetch_webpage.cpp calls it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "builtin/html_blocks.h"
#include "net/http_url.h"

namespace toolgate {

struct ReadablePage {
  std::string title;
  std::string description;
  std::vector<ReadableBlock> blocks;
};

// `html` is valid UTF-8; relative links begin at `url`. The error is a reason to be put behind the
// page's name.
Result<ReadablePage> read_html(std::string html, const HttpUrl& url);

// Text and Markdown: a block per paragraph, so that a part of it can be chosen.
ReadablePage read_plain_text(std::string_view text);

// Blocks under each other, with a line between them where one belongs.
void append_block(std::string& text, const ReadableBlock& block);
std::string write_blocks(const std::vector<ReadableBlock>& blocks);

}  // namespace toolgate
