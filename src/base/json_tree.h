// A JSON text as a tree that keeps what was written: members in order, numbers as their text,
// strings unescaped only where they hold escapes. schema/ checks, repairs and normalises such
// trees and tokens/ counts them; Boost.JSON loses number texts and is several times slower here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/error.h"

namespace toolgate {

struct JsonNode {
  enum class Kind : std::uint8_t { Null, Bool, Number, String, Array, Object };
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  Kind kind = Kind::Null;
  bool truth = false;               // of a Bool
  std::uint32_t size = 0;           // number of children
  std::uint32_t offset = kNowhere;  // of the value's first byte in the text it was read from
  std::string_view key;             // unescaped; of a member
  std::string_view text;            // a String's characters, unescaped; a Number as written
  JsonNode* first = nullptr;        // children, in order
  JsonNode* last = nullptr;
  JsonNode* next = nullptr;  // sibling

  bool is(Kind wanted) const { return kind == wanted; }
  const JsonNode* find(std::string_view name) const;  // null when there is none or no object
  JsonNode* find(std::string_view name);
};

// Owns the nodes and every text that was made; slices of the source text are only referred to,
// so the source must outlive the tree.
class JsonTree {
 public:
  struct Limits {
    std::size_t depth = 256;
    std::size_t bytes = std::size_t{64} << 20;
  };

  JsonTree() = default;
  JsonTree(JsonTree&&) = default;
  JsonTree& operator=(JsonTree&&) = default;

  // Strict JSON in valid UTF-8; an escaped lone surrogate becomes U+FFFD. Of duplicate
  // members the last one counts, at the first one's place. The error names line and column.
  // Several texts may be parsed into one tree.
  Result<JsonNode*> parse(std::string_view text, const Limits& limits);
  Result<JsonNode*> parse(std::string_view text) { return parse(text, Limits{}); }
  // Whether the last text had members of the same name, of which all but the last were dropped.
  bool dropped_members() const { return dropped_members_; }
  // Where the last text that was refused broke, if that is one place.
  std::uint32_t fault_offset() const { return fault_offset_; }

  // New values. Texts are copied into the tree.
  JsonNode* make(JsonNode::Kind kind);
  JsonNode* make_string(std::string_view text);
  JsonNode* make_number(std::string_view text);
  JsonNode* make_bool(bool truth);
  JsonNode* clone(const JsonNode& node);
  std::string_view keep(std::string_view text);

  // Changes in place; order of the other children is kept.
  void append(JsonNode& array, JsonNode* value);
  void set(JsonNode& object, std::string_view name, JsonNode* value);  // replaces or appends
  static bool remove(JsonNode& object, std::string_view name);
  // `node` becomes `value`, keeping its own key, place and offset.
  static void replace(JsonNode& node, const JsonNode& value);

  void clear();  // forgets everything, keeps some memory

 private:
  Arena arena_;
  std::uint32_t fault_offset_ = JsonNode::kNowhere;
  bool dropped_members_ = false;
};

// Compact text; numbers as written.
void append_json(std::string& out, const JsonNode& node);
std::string write_json(const JsonNode& node);

// Equal as JSON Schema sees it: 1 equals 1.0, members in any order.
bool equal(const JsonNode& a, const JsonNode& b);

// Equal values hash alike.
std::uint64_t hash_value(const JsonNode& node);

}  // namespace toolgate
