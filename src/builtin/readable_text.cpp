#include "builtin/readable_text.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "builtin/html_tree.h"
#include "builtin/page_content.h"
#include "builtin/trimmed.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostTitleBytes = 300;
constexpr std::size_t kMostDescriptionBytes = 1'000;
// Text is shorter than its HTML, but for pages that are made to be a burden.
constexpr std::size_t kTextPerHtml = 4;
constexpr std::size_t kLeastMostBytes = 1 << 20;

std::string one_line(std::string_view text, std::size_t most) {
  std::string out;
  for (const char c : trimmed(text)) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    if (!is_space)
      out += c;
    else if (!out.ends_with(' '))
      out += ' ';
  }
  if (out.size() <= most) return out;
  return std::string(first_characters(out, most)) + "…";
}

// What the head of a page says.
class PageHead {
 public:
  explicit PageHead(const GumboNode& root) {
    for (const GumboNode* child : elements_of(root))
      if (is_element(*child, GUMBO_TAG_HEAD))
        for (const GumboNode* each : elements_of(*child)) read(*each);
  }

  std::string title;
  std::string description;
  std::string base;

 private:
  static std::vector<const GumboNode*> elements_of(const GumboNode& element) {
    std::vector<const GumboNode*> found;
    const GumboVector& children = element.v.element.children;
    for (unsigned int i = 0; i < children.length; ++i) {
      const auto* child = static_cast<const GumboNode*>(children.data[i]);
      if (is_element(*child)) found.push_back(child);
    }
    return found;
  }

  void read(const GumboNode& element) {
    if (is_element(element, GUMBO_TAG_TITLE) && element.v.element.children.length > 0 &&
        title.empty()) {
      const auto* text = static_cast<const GumboNode*>(element.v.element.children.data[0]);
      if (text->type == GUMBO_NODE_TEXT) title = one_line(text->v.text.text, kMostTitleBytes);
    } else if (is_element(element, GUMBO_TAG_META)) {
      read_meta(element);
    } else if (is_element(element, GUMBO_TAG_BASE) && base.empty()) {
      if (const char* reference = attribute_of(element, "href")) base = reference;
    }
  }

  void read_meta(const GumboNode& meta) {
    const char* name = attribute_of(meta, "name");
    if (!name) name = attribute_of(meta, "property");
    const char* content = attribute_of(meta, "content");
    if (!name || !content) return;
    if (equal_ignoring_case(name, "description"))
      description = one_line(content, kMostDescriptionBytes);
    else if (equal_ignoring_case(name, "og:description") && description.empty())
      description = one_line(content, kMostDescriptionBytes);
    else if (equal_ignoring_case(name, "og:title") && title.empty())
      title = one_line(content, kMostTitleBytes);
  }
};

HttpUrl base_of(const PageHead& head, const HttpUrl& url) {
  if (head.base.empty()) return url;
  const std::string target = link_target(url, head.base);
  auto base = parse_http_url(std::string_view(target).substr(0, target.find('#')));
  return base ? std::move(*base) : url;
}

int markdown_heading(std::string_view line) {
  const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
  const bool is_heading = marks >= 1 && marks <= 6 && marks < line.size() && line[marks] == ' ';
  return is_heading ? static_cast<int>(marks) : 0;
}

}  // namespace

Result<ReadablePage> read_html(std::string html, const HttpUrl& url) {
  const std::size_t most_bytes = kTextPerHtml * html.size() + kLeastMostBytes;
  auto tree = HtmlTree::parse(std::move(html));
  if (!tree) return std::unexpected(std::move(tree.error()));
  PageHead head(tree->root());
  ReadablePage page{.title = std::move(head.title), .description = std::move(head.description)};
  const PageContent content(tree->root());
  page.blocks = make_blocks(content, base_of(head, url), most_bytes);
  return page;
}

ReadablePage read_plain_text(std::string_view text) {
  ReadablePage page;
  bool is_after_gap = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trimmed(line).empty()) {
      is_after_gap = true;
      continue;
    }
    const int heading = markdown_heading(line);
    page.blocks.push_back(
        {.text = std::string(line), .heading = heading, .follows_line = !is_after_gap});
    is_after_gap = false;
  }
  return page;
}

void append_block(std::string& text, const ReadableBlock& block) {
  if (!text.empty()) text += block.follows_line ? "\n" : "\n\n";
  text += block.text;
}

std::string write_blocks(const std::vector<ReadableBlock>& blocks) {
  std::string text;
  for (const ReadableBlock& block : blocks) append_block(text, block);
  return text;
}

}  // namespace toolgate
