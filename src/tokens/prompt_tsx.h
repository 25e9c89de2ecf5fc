// Results of tools that were rendered with prompt-tsx arrive as a JSON tree; here it becomes text,
// whole or pruned to a budget. hosts/ and the tool loop call it. Such a value is untrusted: what
// is no such tree becomes its JSON text.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/json_tree.h"

namespace toolgate {

// What people see: every text in order, each line break where it stands, `<image>` for images.
std::string flatten_prompt_tsx(const JsonNode& value);

// How many tokens a text costs.
using CountText = std::function<std::size_t(std::string_view)>;

struct PromptTsxText {
  std::string text;
  std::size_t tokens = 0;   // of the text, as counted
  std::size_t dropped = 0;  // texts and other leaves left out to fit
};

// What a model reads: a line break stands only between two texts, and what has the lowest priority
// is left out until the rest fits into `budget`. A value that is no such tree is never cut.
PromptTsxText render_prompt_tsx(const JsonNode& value, std::size_t budget, const CountText& count);

// The same without a budget.
std::string render_prompt_tsx(const JsonNode& value);

}  // namespace toolgate
