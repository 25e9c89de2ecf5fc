// A page as the tree that a browser would make of it: the parser is Gumbo, which follows the HTML
// standard. (libxml2 reads HTML 4, and Debian 12 has no lexbor.) readable_text.cpp calls it.
#pragma once

#include <chrono>
#include <gumbo.h>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

// A few bytes can make a parser that keeps to the standard write many copies of an element, or look
// through all open ones at every tag.
struct HtmlLimits {
  std::size_t memory = 192 << 20;
  std::chrono::milliseconds processor_time{3'000};
};

class HtmlTree {
 public:
  // `html` is valid UTF-8. The error is a reason to be put behind the name of the page.
  static Result<HtmlTree> parse(std::string html, HtmlLimits limits = {});

  HtmlTree(HtmlTree&&) noexcept;
  HtmlTree& operator=(HtmlTree&&) noexcept;
  ~HtmlTree();

  const GumboNode& root() const { return *root_; }  // the element <html>

 private:
  class Memory;

  HtmlTree(std::unique_ptr<std::string> html, std::unique_ptr<Memory> memory,
           const GumboNode* root);

  std::unique_ptr<std::string> html_;  // the tree points into it
  std::unique_ptr<Memory> memory_;
  const GumboNode* root_;
};

// The value of an attribute; null: the element has none of that name.
const char* attribute_of(const GumboNode& element, const char* name);

}  // namespace toolgate
