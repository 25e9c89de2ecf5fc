#include "builtin/page_content.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "builtin/html_tree.h"
#include "builtin/trimmed.h"

namespace toolgate {
namespace {

constexpr std::array kInvisible{
    GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE,    GUMBO_TAG_NOSCRIPT, GUMBO_TAG_TEMPLATE, GUMBO_TAG_IFRAME,
    GUMBO_TAG_OBJECT, GUMBO_TAG_EMBED,    GUMBO_TAG_CANVAS,   GUMBO_TAG_SVG,      GUMBO_TAG_AUDIO,
    GUMBO_TAG_VIDEO,  GUMBO_TAG_BUTTON,   GUMBO_TAG_SELECT,   GUMBO_TAG_TEXTAREA, GUMBO_TAG_INPUT,
    GUMBO_TAG_HEAD,   GUMBO_TAG_DATALIST, GUMBO_TAG_NOFRAMES,
};

constexpr std::array<std::string_view, 7> kDecorativeRoles{
    "navigation", "banner", "contentinfo", "complementary", "search", "menu", "dialog"};

// Some text, in bytes, below which a part is not taken for the content of a page.
constexpr std::uint32_t kSomeText = 140;

bool has_tag(const GumboNode& node, std::span<const GumboTag> tags) {
  return std::ranges::find(tags, node.v.element.tag) != tags.end();
}

std::string_view text_attribute(const GumboNode& element, const char* name) {
  const char* value = attribute_of(element, name);
  return value ? trimmed(value) : std::string_view();
}

// "display : none" is "display:none".
std::string compact(std::string_view style) {
  std::string out;
  for (const char c : style)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f') out += ascii_lower(c);
  return out;
}

// A declaration that is all of `wanted`: "opacity:0", not the beginning of "opacity:0.5".
bool declares(std::string_view style, std::string_view wanted) {
  for (std::size_t at = 0; (at = style.find(wanted, at)) != style.npos; ++at) {
    const std::string_view rest = style.substr(at + wanted.size());
    const bool begins = at == 0 || style[at - 1] == ';';
    if (begins && (rest.empty() || rest[0] == ';' || rest[0] == '!')) return true;
  }
  return false;
}

bool is_hidden_by_style(const GumboNode& element) {
  const char* style = attribute_of(element, "style");
  if (!style) return false;
  const std::string declared = compact(style);
  return std::ranges::any_of(
      std::array{"display:none", "visibility:hidden", "opacity:0", "font-size:0", "font-size:0px"},
      [&](std::string_view wanted) { return declares(declared, wanted); });
}

bool has_role(const GumboNode& element, std::string_view role) {
  return equal_ignoring_case(text_attribute(element, "role"), role);
}

const GumboVector& children_of(const GumboNode& element) {
  return element.v.element.children;
}

std::uint32_t count_letters(std::string_view text) {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      text, [](char c) { return c != ' ' && c != '\n' && c != '\t' && c != '\r'; }));
}

bool is_inside(const GumboNode& node, std::span<const GumboTag> tags) {
  int steps = 100;  // a page can be nested as deep as its author likes
  for (const GumboNode* at = node.parent; at && is_element(*at) && --steps > 0; at = at->parent)
    if (has_tag(*at, tags)) return true;
  return false;
}

}  // namespace

bool is_element(const GumboNode& node) {
  return node.type == GUMBO_NODE_ELEMENT;
}

bool is_element(const GumboNode& node, GumboTag tag) {
  return is_element(node) && node.v.element.tag == tag;
}

bool is_invisible(const GumboNode& element) {
  if (has_tag(element, kInvisible)) return true;
  if (element.v.element.attributes.length == 0) return false;
  if (attribute_of(element, "hidden") || is_hidden_by_style(element)) return true;
  return equal_ignoring_case(text_attribute(element, "aria-hidden"), "true");
}

PageContent::PageContent(const GumboNode& root) : start_(&root) {
  weigh(root);
  start_ = &choose(root);
  if (!is_element(*start_, GUMBO_TAG_BODY)) return;
  // A page that is one list of links is read as such.
  const Weight whole = weight_of(*start_);
  leaves_link_lists_out_ = whole.text - whole.linked >= std::max(kSomeText, whole.text / 4);
}

bool PageContent::is_left_out(const GumboNode& element) const {
  return is_invisible(element) || is_decoration(element) || is_list_of_links(element);
}

bool PageContent::is_decoration(const GumboNode& element) const {
  constexpr std::array kContent{GUMBO_TAG_MAIN, GUMBO_TAG_ARTICLE};
  const GumboTag tag = element.v.element.tag;
  if (tag == GUMBO_TAG_NAV || tag == GUMBO_TAG_ASIDE) return true;
  if (tag == GUMBO_TAG_FOOTER) return !is_inside(element, std::array{GUMBO_TAG_BLOCKQUOTE});
  if (tag == GUMBO_TAG_HEADER) return !is_inside(element, kContent);
  if (tag == GUMBO_TAG_BODY || tag == GUMBO_TAG_HTML) return false;
  return std::ranges::any_of(kDecorativeRoles,
                             [&](std::string_view role) { return has_role(element, role); });
}

bool PageContent::is_list_of_links(const GumboNode& element) const {
  constexpr std::array kBoxes{GUMBO_TAG_UL, GUMBO_TAG_OL, GUMBO_TAG_DIV, GUMBO_TAG_SECTION};
  constexpr std::uint32_t kSeveral = 4;
  if (!leaves_link_lists_out_ || !has_tag(element, kBoxes)) return false;
  const Weight weight = weight_of(element);
  return weight.links >= kSeveral && weight.linked * 10ull >= weight.text * 9ull;
}

// Elements come before their children in `order`, so that the sums go up in one pass backwards.
void PageContent::weigh(const GumboNode& root) {
  std::vector<const GumboNode*> order{&root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const GumboNode& element = *order[i];
    Weight own;
    const GumboVector& children = children_of(element);
    for (unsigned int c = 0; c < children.length; ++c) {
      const auto& child = *static_cast<const GumboNode*>(children.data[c]);
      if (child.type == GUMBO_NODE_TEXT)
        own.text += count_letters(child.v.text.text);
      else if (is_element(child) && !is_invisible(child) && !is_decoration(child))
        order.push_back(&child);
    }
    if (own.text > 0) weights_[&element].text += own.text;
  }
  for (std::size_t i = order.size(); i-- > 1;) {
    const auto found = weights_.find(order[i]);
    if (found == weights_.end()) continue;
    Weight& own = found->second;
    if (is_element(*order[i], GUMBO_TAG_A)) own.linked = own.text, own.links = 1;
    const Weight below = own;
    Weight& parent = weights_[order[i]->parent];
    parent.text += below.text;
    parent.linked += below.linked;
    parent.links += below.links;
  }
}

PageContent::Weight PageContent::weight_of(const GumboNode& node) const {
  const auto found = weights_.find(&node);
  return found == weights_.end() ? Weight() : found->second;
}

const GumboNode& PageContent::choose(const GumboNode& root) const {
  const GumboNode* body = &root;
  const GumboNode* main = nullptr;
  const GumboNode* article = nullptr;
  std::uint32_t most_main = 0;
  std::uint32_t most_article = 0;
  std::uint32_t articles = 0;
  for (const auto& [node, weight] : weights_) {
    if (is_element(*node, GUMBO_TAG_BODY)) body = node;
    if ((is_element(*node, GUMBO_TAG_MAIN) || has_role(*node, "main")) && weight.text > most_main)
      main = node, most_main = weight.text;
    if (!is_element(*node, GUMBO_TAG_ARTICLE)) continue;
    articles += weight.text;
    if (weight.text > most_article) article = node, most_article = weight.text;
  }
  const std::uint32_t whole = weight_of(*body).text;
  if (main && most_main >= std::min(kSomeText, whole / 4)) return *main;
  // One of several articles is a page's only if the others are teasers.
  if (article && most_article >= whole / 4 && most_article * 10ull >= articles * 7ull)
    return *article;
  return *body;
}

}  // namespace toolgate
