// The tree behind prompt_tsx.h: pieces and their leaves, and which of them goes first when there
// is too little room. The rules are those of the prompt-tsx library, version 0.4.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "tokens/prompt_tsx.h"

namespace toolgate {

// Numbers of the JSON form: `type` of a node, then `ctor` of a piece.
inline constexpr double kPromptTsxPiece = 1;
inline constexpr double kPromptTsxText = 2;
inline constexpr double kPromptTsxOpaque = 3;
inline constexpr double kPromptTsxMessage = 1;
inline constexpr double kPromptTsxOther = 2;
inline constexpr double kPromptTsxImage = 3;
inline constexpr double kPromptTsxDocument = 4;

inline constexpr std::string_view kPromptTsxImageText = "<image>";
inline constexpr std::size_t kMaxPromptTsxDepth = 256;

std::optional<double> prompt_tsx_number(const JsonNode& node, std::string_view key);
bool prompt_tsx_flag(const JsonNode& node, std::string_view key);

// Refers to the texts of the JSON tree.
class PromptTsxTree {
 public:
  explicit PromptTsxTree(const JsonNode& root);

  std::string text() const;

  // Leaves out what has the lowest priority, together with what is kept with it or is nothing
  // without it. Returns what it cost at most; nothing when everything is gone.
  std::optional<std::size_t> remove_lowest(const CountText& count);

  std::size_t dropped() const;  // leaves

 private:
  enum class Kind { Piece, Text, Image, Silent };
  enum class LineBreak { Never, Always, UnlessAfterText };

  struct Node {
    Kind kind = Kind::Piece;
    LineBreak line_break = LineBreak::Never;
    double priority = 0;
    std::size_t number = 0;  // in the order of the JSON
    unsigned flags = 0;
    std::string_view text;
    std::string_view keep_with;  // the id's JSON text; empty for none
    Node* parent = nullptr;
    std::vector<Node*> children;
  };

  struct Lowest {
    Node* node = nullptr;
    std::optional<double> nested;
  };

  Node* build(const JsonNode& json, Node* parent, std::size_t index, std::size_t depth);
  Node* build_piece(const JsonNode& json, Node& node, std::size_t depth);
  void choose_alternative(Node& node) const;
  void append_text(const Node& node, bool after_text, std::string& out) const;

  void remove_lowest_in(Node& piece);
  void remove_lowest_leaf(Node& piece);
  void find_lowest(const Node& piece, Lowest& lowest) const;
  void remove(Node* node);
  void remove_kept_with(const Node& gone);
  std::optional<std::size_t> silence_lowest(const CountText& count);
  static void collect_leaves(Node& node, std::vector<Node*>& leaves);
  void collect_keep_ids(const Node& node, std::set<std::string_view>& ids) const;
  void collect_kept(Node& node, const std::set<std::string_view>& ids, std::vector<Node*>& kept);
  static bool is_empty(const Node& node);
  static std::size_t cost_of(const Node& node, const CountText& count);

  std::deque<Node> nodes_;
  Node* top_;  // holds the root, so that the root can go as well
  std::vector<Node*> removed_;
  std::set<std::string_view> going_;         // keep ids whose pieces are being removed
  std::size_t leaf_count_ = 0;               // at the beginning
  std::optional<std::vector<Node*>> order_;  // of a huge tree: its leaves, the first to go last
};

}  // namespace toolgate
