// Which part of a page is what people come for, and which is decoration: pure, on the tree that
// html_tree.h makes. readable_text.cpp and html_blocks.cpp call it.
#pragma once

#include <cstdint>
#include <gumbo.h>
#include <unordered_map>

namespace toolgate {

bool is_element(const GumboNode& node);
bool is_element(const GumboNode& node, GumboTag tag);

// Nothing that a person reads: scripts, styles, forms' fields, and what is hidden.
bool is_invisible(const GumboNode& element);

class PageContent {
 public:
  explicit PageContent(const GumboNode& root);

  // Where to begin: <main>, the one <article>, or <body>.
  const GumboNode& start() const { return *start_; }
  // What is left out below it: what is invisible, navigation, asides, footers, lists of links.
  bool is_left_out(const GumboNode& element) const;

 private:
  struct Weight {
    std::uint32_t text = 0;    // bytes, without spaces
    std::uint32_t linked = 0;  // of these, in links
    std::uint32_t links = 0;
  };

  bool is_decoration(const GumboNode& element) const;
  bool is_list_of_links(const GumboNode& element) const;
  void weigh(const GumboNode& root);
  const GumboNode& choose(const GumboNode& root) const;
  Weight weight_of(const GumboNode& node) const;

  std::unordered_map<const GumboNode*, Weight> weights_;  // of elements with text
  const GumboNode* start_;
  bool leaves_link_lists_out_ = false;
};

}  // namespace toolgate
