// The input is a page. What is made of it is valid UTF-8 without the page's scripts, its blocks are
// not empty, and what is chosen of them is no longer than it may be.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "builtin/passages.h"
#include "builtin/readable_text.h"
#include "builtin/text_encoding.h"
#include "fuzz/require.h"

using namespace toolgate;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const DecodedText decoded = decode_text(bytes, charset_in_page(bytes));
  require(is_valid_utf8(decoded.text), "what is decoded is valid");
  const HttpUrl url = parse_http_url("https://site.example/docs/page.html").value();
  const auto page = read_html(decoded.text, url);
  if (!page) return 0;
  require(is_valid_utf8(page->title) && is_valid_utf8(page->description), "the head is valid");
  for (const ReadableBlock& block : page->blocks) {
    require(!block.text.empty(), "a block has text");
    require(block.heading >= 0 && block.heading <= 6, "there are six levels of headings");
    require(is_valid_utf8(block.text), "a block is valid");
  }
  const std::string whole = write_blocks(page->blocks);
  const std::size_t most = 40 + size % 400;
  const Passages chosen = choose_passages(page->blocks, "what is this page about", most);
  require(chosen.is_shortened || chosen.text == whole, "a short page is whole");
  require(chosen.text.size() <= most + 20, "no more than was asked for");
  require(is_valid_utf8(chosen.text), "what is chosen is valid");
  const ReadablePage plain = read_plain_text(decoded.text);
  require(is_valid_utf8(write_blocks(plain.blocks)), "plain text stays valid");
  return 0;
}
