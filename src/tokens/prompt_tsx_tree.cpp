// Every removal looks for the lowest priority among what is left, as the library does; a tree that
// is too big for that is pruned leaf by leaf in one order.
#include "tokens/prompt_tsx_tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <utility>

namespace toolgate {
namespace {

using Json = JsonNode::Kind;

constexpr double kHighest = 9007199254740991;

// Bits of a piece's `flags`.
constexpr unsigned kByLeaf = 1;        // leaves compete without regard to the pieces between
constexpr unsigned kChunk = 2;         // goes as a whole
constexpr unsigned kPassPriority = 4;  // its children compete with its siblings
constexpr unsigned kAlternative = 8;   // two children: the first stands in when the second is empty

// Each removal looks at all competitors. In a bigger tree leaves go by their own priority alone.
constexpr std::size_t kMaxCompetitors = 8192;

double number_or(const JsonNode* node, std::string_view key, double otherwise) {
  if (node == nullptr) return otherwise;
  return prompt_tsx_number(*node, key).value_or(otherwise);
}

// JavaScript's white space.
bool is_blank(std::string_view text) {
  constexpr std::array<std::string_view, 25> kBlanks{
      " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u00A0", "\uFEFF", "\u1680",
      "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
      "\u2009", "\u200A", "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};
  while (!text.empty()) {
    const auto blank = std::ranges::find_if(
        kBlanks, [&](std::string_view each) { return text.starts_with(each); });
    if (blank == kBlanks.end()) return false;
    text.remove_prefix(blank->size());
  }
  return true;
}

}  // namespace

std::optional<double> prompt_tsx_number(const JsonNode& node, std::string_view key) {
  const JsonNode* member = node.find(key);
  if (member == nullptr || !member->is(Json::Number)) return std::nullopt;
  double number = 0;
  const char* end = member->text.data() + member->text.size();
  if (std::from_chars(member->text.data(), end, number).ec != std::errc()) return std::nullopt;
  return number;
}

bool prompt_tsx_flag(const JsonNode& node, std::string_view key) {
  const JsonNode* member = node.find(key);
  if (member == nullptr) return false;
  switch (member->kind) {
    case Json::Null:
      return false;
    case Json::Bool:
      return member->truth;
    case Json::Number:
      return prompt_tsx_number(node, key) != 0;
    case Json::String:
      return !member->text.empty();
    default:
      return true;
  }
}

PromptTsxTree::PromptTsxTree(const JsonNode& root) : top_(&nodes_.emplace_back()) {
  if (Node* node = build(root, top_, 0, 0)) top_->children.push_back(node);
  std::vector<Node*> leaves;
  collect_leaves(*top_, leaves);
  leaf_count_ = leaves.size();
}

PromptTsxTree::Node* PromptTsxTree::build(const JsonNode& json, Node* parent, std::size_t index,
                                          std::size_t depth) {
  const auto type = prompt_tsx_number(json, "type");
  if (depth > kMaxPromptTsxDepth || !json.is(Json::Object)) return nullptr;
  if (type != kPromptTsxText && type != kPromptTsxOpaque && !prompt_tsx_number(json, "ctor"))
    return nullptr;
  Node& node = nodes_.emplace_back();
  node.number = nodes_.size();
  node.parent = parent;
  node.priority = number_or(&json, "priority", kHighest);
  if (type == kPromptTsxText) {
    node.kind = Kind::Text;
    if (const JsonNode* text = json.find("text"); text && text->is(Json::String))
      node.text = text->text;
    node.line_break = prompt_tsx_flag(json, "lineBreakBefore") ? LineBreak::Always
                      : index == 0                             ? LineBreak::UnlessAfterText
                                                               : LineBreak::Never;
    return &node;
  }
  if (type == kPromptTsxOpaque) {
    node.kind = Kind::Silent;
    return &node;
  }
  return build_piece(json, node, depth);
}

PromptTsxTree::Node* PromptTsxTree::build_piece(const JsonNode& json, Node& node,
                                                std::size_t depth) {
  const JsonNode* props = json.find("props");
  const auto kind = prompt_tsx_number(json, "ctor");
  const bool passes = props != nullptr && prompt_tsx_flag(*props, "passPriority");
  const bool leaf = kind == kPromptTsxImage || kind == kPromptTsxDocument;
  node.priority = number_or(props, "priority", passes && !leaf ? 0 : kHighest);
  if (leaf) {
    node.kind = kind == kPromptTsxImage ? Kind::Image : Kind::Silent;
    return &node;
  }
  const double flags = number_or(&json, "flags", 0);
  if (kind != kPromptTsxMessage && flags >= 0 && flags < 16)
    node.flags = static_cast<unsigned>(flags);
  const JsonNode* keep_with = json.find("keepWithId");
  if (keep_with != nullptr && kind == kPromptTsxOther) node.keep_with = keep_with->text;
  const JsonNode* children = json.find("children");
  if (children == nullptr || !children->is(Json::Array)) return &node;
  std::size_t index = 0;
  for (const JsonNode* child = children->first; child != nullptr; child = child->next)
    if (Node* built = build(*child, &node, index++, depth + 1)) node.children.push_back(built);
  choose_alternative(node);
  return &node;
}

void PromptTsxTree::choose_alternative(Node& node) const {
  if ((node.flags & kAlternative) == 0 || node.children.size() != 2) return;
  node.children.erase(node.children.begin() + (is_empty(*node.children[1]) ? 1 : 0));
}

// A message of nothing but blanks is not sent.
std::string PromptTsxTree::text() const {
  std::string out;
  if (is_empty(*top_)) return out;
  append_text(*top_, false, out);
  return out;
}

void PromptTsxTree::append_text(const Node& node, bool after_text, std::string& out) const {
  for (const Node* child : node.children) {
    if (child->kind == Kind::Image) out += kPromptTsxImageText;
    if (child->kind == Kind::Piece) {
      append_text(*child, after_text, out);
      after_text = false;
    }
    if (child->kind != Kind::Text) continue;
    const bool breaks = child->line_break == LineBreak::Always ||
                        (child->line_break == LineBreak::UnlessAfterText && !after_text);
    if (breaks && !out.empty() && out.back() != '\n') out += '\n';
    out += child->text;
    after_text = true;
  }
}

std::optional<std::size_t> PromptTsxTree::remove_lowest(const CountText& count) {
  if (nodes_.size() > kMaxCompetitors) return silence_lowest(count);
  if (top_->children.empty()) return std::nullopt;
  removed_.clear();
  remove_lowest_in(*top_);
  std::size_t cost = 0;
  for (const Node* node : removed_) cost += cost_of(*node, count);
  return cost;
}

void PromptTsxTree::remove_lowest_in(Node& piece) {
  if ((piece.flags & kByLeaf) != 0) return remove_lowest_leaf(piece);
  Lowest lowest;
  find_lowest(piece, lowest);
  Node& node = *lowest.node;
  if (node.kind != Kind::Piece || (node.flags & kChunk) != 0 || node.children.empty())
    remove(&node);
  else
    remove_lowest_in(node);
}

// Of equals the one that holds the lower priority goes, a leaf before a piece, the first before
// the last.
void PromptTsxTree::find_lowest(const Node& piece, Lowest& lowest) const {
  const auto lowest_inside = [](const Node& node) {
    if (node.kind != Kind::Piece) return -1.0;
    double least = kHighest;
    for (const Node* child : node.children) least = std::min(least, child->priority);
    return least;
  };
  for (Node* child : piece.children) {
    if (child->kind == Kind::Piece && (child->flags & kPassPriority) != 0 &&
        !child->children.empty()) {
      find_lowest(*child, lowest);
    } else if (lowest.node == nullptr || child->priority < lowest.node->priority) {
      lowest = {child, std::nullopt};
    } else if (child->priority == lowest.node->priority) {
      if (!lowest.nested) lowest.nested = lowest_inside(*lowest.node);
      if (const double nested = lowest_inside(*child); nested < *lowest.nested)
        lowest = {child, nested};
    }
  }
}

void PromptTsxTree::remove_lowest_leaf(Node& piece) {
  std::vector<Node*> leaves;
  collect_leaves(piece, leaves);
  if (leaves.empty()) return remove(&piece);
  remove(*std::ranges::min_element(leaves, {}, &Node::priority));
}

// Leaves keep their places and say nothing any more, so that a removal takes no time.
std::optional<std::size_t> PromptTsxTree::silence_lowest(const CountText& count) {
  if (!order_) {
    order_.emplace();
    collect_leaves(*top_, *order_);
    std::ranges::sort(*order_, std::greater<>(),
                      [](const Node* leaf) { return std::pair(leaf->priority, leaf->number); });
  }
  if (order_->empty()) return std::nullopt;
  Node& leaf = *order_->back();
  order_->pop_back();
  const std::size_t cost = cost_of(leaf, count);
  leaf.kind = Kind::Silent;
  return cost;
}

std::size_t PromptTsxTree::dropped() const {
  if (order_) return leaf_count_ - order_->size();
  std::vector<Node*> leaves;
  collect_leaves(*top_, leaves);
  return leaf_count_ - leaves.size();
}

void PromptTsxTree::collect_leaves(Node& node, std::vector<Node*>& leaves) {
  if (node.kind != Kind::Piece) leaves.push_back(&node);
  for (Node* child : node.children) collect_leaves(*child, leaves);
}

void PromptTsxTree::remove(Node* node) {
  Node* parent = node->parent;
  if (parent == nullptr) return;
  const auto place = std::ranges::find(parent->children, node);
  if (place == parent->children.end()) return;
  parent->children.erase(place);
  removed_.push_back(node);
  remove_kept_with(*node);
  if (is_empty(*parent)) remove(parent);
}

void PromptTsxTree::remove_kept_with(const Node& gone) {
  std::set<std::string_view> ids;
  collect_keep_ids(gone, ids);
  if (ids.empty()) return;
  going_.insert(ids.begin(), ids.end());
  std::vector<Node*> kept;
  collect_kept(*top_, ids, kept);
  for (Node* node : kept) remove(node);
  for (const std::string_view id : ids) going_.erase(id);
}

void PromptTsxTree::collect_keep_ids(const Node& node, std::set<std::string_view>& ids) const {
  if (!node.keep_with.empty() && !going_.contains(node.keep_with)) ids.insert(node.keep_with);
  for (const Node* child : node.children) collect_keep_ids(*child, ids);
}

void PromptTsxTree::collect_kept(Node& node, const std::set<std::string_view>& ids,
                                 std::vector<Node*>& kept) {
  if (!node.keep_with.empty() && ids.contains(node.keep_with)) kept.push_back(&node);
  for (Node* child : node.children) collect_kept(*child, ids, kept);
}

bool PromptTsxTree::is_empty(const Node& node) {
  if (node.kind == Kind::Text) return is_blank(node.text);
  if (node.kind != Kind::Piece) return false;
  return std::ranges::all_of(node.children, [](const Node* child) { return is_empty(*child); });
}

std::size_t PromptTsxTree::cost_of(const Node& node, const CountText& count) {
  if (node.kind == Kind::Text)
    return count(node.text) + (node.line_break != LineBreak::Never ? 1 : 0);
  if (node.kind == Kind::Image) return count(kPromptTsxImageText);
  std::size_t total = 0;
  for (const Node* child : node.children) total += cost_of(*child, count);
  return total;
}

}  // namespace toolgate
