// See json_tree.h. The parser is in json_tree_parse.cpp.
#include "base/json_tree.h"

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "base/json_number.h"

namespace toolgate {

namespace {

using Kind = JsonNode::Kind;

// Beyond this many members, objects are compared in sorted order.
constexpr std::uint32_t kManyMembers = 16;

void link(JsonNode& container, JsonNode* child) {
  child->next = nullptr;
  (container.last == nullptr ? container.first : container.last->next) = child;
  container.last = child;
  ++container.size;
}

std::vector<const JsonNode*> sorted_members(const JsonNode& object) {
  std::vector<const JsonNode*> members;
  members.reserve(object.size);
  for (const JsonNode* member = object.first; member; member = member->next) {
    members.push_back(member);
  }
  std::ranges::sort(members, {}, &JsonNode::key);
  return members;
}

bool equal_objects(const JsonNode& a, const JsonNode& b) {
  if (a.size <= kManyMembers) {
    for (const JsonNode* member = a.first; member; member = member->next) {
      const JsonNode* other = b.find(member->key);
      if (other == nullptr || !equal(*member, *other)) return false;
    }
    return true;
  }
  const auto left = sorted_members(a);
  const auto right = sorted_members(b);
  return std::ranges::equal(left, right, [](const JsonNode* x, const JsonNode* y) {
    return x->key == y->key && equal(*x, *y);
  });
}

bool equal_arrays(const JsonNode& a, const JsonNode& b) {
  const JsonNode* other = b.first;
  for (const JsonNode* item = a.first; item; item = item->next, other = other->next) {
    if (!equal(*item, *other)) return false;
  }
  return true;
}

std::uint64_t mix(std::uint64_t hash) {
  hash ^= hash >> 32U;
  hash *= 0xD6E8FEB86659FD93U;
  return hash ^ hash >> 32U;
}

}  // namespace

const JsonNode* JsonNode::find(std::string_view name) const {
  if (kind != Kind::Object) return nullptr;
  for (const JsonNode* member = first; member; member = member->next) {
    if (member->key == name) return member;
  }
  return nullptr;
}

JsonNode* JsonNode::find(std::string_view name) {
  return const_cast<JsonNode*>(std::as_const(*this).find(name));
}

JsonNode* JsonTree::make(Kind kind) {
  auto* node = arena_.make<JsonNode>();
  node->kind = kind;
  return node;
}

JsonNode* JsonTree::make_string(std::string_view text) {
  JsonNode* node = make(Kind::String);
  node->text = keep(text);
  return node;
}

JsonNode* JsonTree::make_number(std::string_view text) {
  JsonNode* node = make(Kind::Number);
  node->text = keep(text);
  return node;
}

JsonNode* JsonTree::make_bool(bool truth) {
  JsonNode* node = make(Kind::Bool);
  node->truth = truth;
  return node;
}

JsonNode* JsonTree::clone(const JsonNode& node) {
  JsonNode* copy = make(node.kind);
  copy->truth = node.truth;
  copy->offset = node.offset;
  copy->key = keep(node.key);
  copy->text = keep(node.text);
  for (const JsonNode* child = node.first; child; child = child->next) link(*copy, clone(*child));
  return copy;
}

std::string_view JsonTree::keep(std::string_view text) {
  return arena_.keep(text);
}

void JsonTree::append(JsonNode& array, JsonNode* value) {
  value->key = {};
  link(array, value);
}

void JsonTree::set(JsonNode& object, std::string_view name, JsonNode* value) {
  if (JsonNode* present = object.find(name)) {
    replace(*present, *value);
    return;
  }
  value->key = keep(name);
  link(object, value);
}

bool JsonTree::remove(JsonNode& object, std::string_view name) {
  JsonNode* before = nullptr;
  for (JsonNode* member = object.first; member; before = member, member = member->next) {
    if (member->key != name) continue;
    (before == nullptr ? object.first : before->next) = member->next;
    if (object.last == member) object.last = before;
    --object.size;
    return true;
  }
  return false;
}

void JsonTree::replace(JsonNode& node, const JsonNode& value) {
  node.kind = value.kind;
  node.truth = value.truth;
  node.size = value.size;
  node.text = value.text;
  node.first = value.first;
  node.last = value.last;
}

void JsonTree::clear() {
  arena_.clear();
}

void append_json(std::string& out, const JsonNode& node) {
  switch (node.kind) {
    case Kind::Null:
      out += "null";
      return;
    case Kind::Bool:
      out += node.truth ? "true" : "false";
      return;
    case Kind::Number:
      out += node.text;
      return;
    case Kind::String:
      append_json_string(out, node.text);
      return;
    case Kind::Array:
    case Kind::Object:
      break;
  }
  const bool object = node.is(Kind::Object);
  out += object ? '{' : '[';
  for (const JsonNode* child = node.first; child; child = child->next) {
    if (child != node.first) out += ',';
    if (object) {
      append_json_string(out, child->key);
      out += ':';
    }
    append_json(out, *child);
  }
  out += object ? '}' : ']';
}

std::string write_json(const JsonNode& node) {
  std::string out;
  append_json(out, node);
  return out;
}

bool equal(const JsonNode& a, const JsonNode& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::Null:
      return true;
    case Kind::Bool:
      return a.truth == b.truth;
    case Kind::Number:
      return a.text == b.text || compare(JsonNumber(a.text), JsonNumber(b.text)) == 0;
    case Kind::String:
      return a.text == b.text;
    case Kind::Array:
      return a.size == b.size && equal_arrays(a, b);
    case Kind::Object:
      return a.size == b.size && equal_objects(a, b);
  }
  return false;
}

std::uint64_t hash_value(const JsonNode& node) {
  const std::uint64_t seed = hash_seed();
  std::uint64_t hash = mix(seed ^ (static_cast<std::uint64_t>(node.kind) + 1));
  switch (node.kind) {
    case Kind::Null:
      break;
    case Kind::Bool:
      hash += node.truth ? 1 : 0;
      break;
    case Kind::Number:
      hash ^= hash_number(node.text);
      break;
    case Kind::String:
      hash ^= hash_text(node.text, seed);
      break;
    case Kind::Array:
      for (const JsonNode* item = node.first; item; item = item->next) {
        hash = mix(hash * (seed | 1U) + hash_value(*item));
      }
      break;
    case Kind::Object:  // in any order
      for (const JsonNode* member = node.first; member; member = member->next) {
        hash += mix(hash_text(member->key, seed) ^ hash_value(*member) * 3);
      }
      break;
  }
  return mix(hash);
}

}  // namespace toolgate
