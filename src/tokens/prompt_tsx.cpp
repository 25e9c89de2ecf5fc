#include "tokens/prompt_tsx.h"

#include <optional>

#include "tokens/prompt_tsx_tree.h"

namespace toolgate {
namespace {

// False where the tree is broken so that VS Code's own flattener would throw.
bool append_flat(const JsonNode& node, std::size_t depth, std::string& out) {
  if (depth > kMaxPromptTsxDepth) return true;
  if (prompt_tsx_number(node, "type") == kPromptTsxText) {
    if (prompt_tsx_flag(node, "lineBreakBefore")) out += '\n';
    if (const JsonNode* text = node.find("text"); text && text->is(JsonNode::Kind::String))
      out += text->text;
    return true;
  }
  const auto kind = prompt_tsx_number(node, "ctor");
  if (kind == kPromptTsxImage) out += kPromptTsxImageText;
  if (kind != kPromptTsxMessage && kind != kPromptTsxOther) return true;
  const JsonNode* children = node.find("children");
  if (children == nullptr || !children->is(JsonNode::Kind::Array)) return false;
  for (const JsonNode* child = children->first; child != nullptr; child = child->next) {
    if (child->is(JsonNode::Kind::Null)) return false;
    if (!append_flat(*child, depth + 1, out)) return false;
  }
  return true;
}

std::optional<std::string> flat_text(const JsonNode& value) {
  const JsonNode* root = value.find("node");
  if (root == nullptr || !root->is(JsonNode::Kind::Object)) return std::nullopt;
  if (!prompt_tsx_number(*root, "type") && !prompt_tsx_number(*root, "ctor")) return std::nullopt;
  std::string text;
  if (!append_flat(*root, 0, text)) return std::nullopt;
  return text;
}

}  // namespace

std::string flatten_prompt_tsx(const JsonNode& value) {
  if (auto text = flat_text(value)) return *std::move(text);
  return write_json(value);
}

std::string render_prompt_tsx(const JsonNode& value) {
  if (!flat_text(value)) return write_json(value);
  return PromptTsxTree(*value.find("node")).text();
}

PromptTsxText render_prompt_tsx(const JsonNode& value, std::size_t budget, const CountText& count) {
  if (!flat_text(value)) {
    std::string text = write_json(value);
    const std::size_t tokens = count(text);
    return {std::move(text), tokens, 0};
  }
  PromptTsxTree tree(*value.find("node"));
  PromptTsxText rendered{tree.text(), 0, 0};
  rendered.tokens = count(rendered.text);
  while (rendered.tokens > budget) {
    // Counting the whole text after each removal would take too long. A quarter more than what the
    // removed texts cost is taken off, so that too little is removed rather than too much.
    auto estimate = static_cast<double>(rendered.tokens);
    bool removed = false;
    do {
      const auto cost = tree.remove_lowest(count);
      if (!cost) break;
      removed = true;
      estimate -= static_cast<double>(*cost) * 1.25;
    } while (estimate > static_cast<double>(budget));
    if (!removed) break;
    rendered.text = tree.text();
    rendered.tokens = count(rendered.text);
  }
  rendered.dropped = tree.dropped();
  return rendered;
}

}  // namespace toolgate
