#include "cli/sample_input.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "base/json_tree.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMostDepth = 16;
constexpr std::size_t kLongestText = 1'000;
constexpr std::size_t kMostItems = 4;

std::size_t size_of(const JsonNode& schema, std::string_view keyword) {
  std::size_t size = 0;
  if (const JsonNode* value = schema.find(keyword))
    std::from_chars(value->text.begin(), value->text.end(), size);
  return size;
}

std::string_view type_of(const JsonNode& schema) {
  const JsonNode* type = schema.find("type");
  if (type && type->is(Kind::Array)) type = type->first;
  if (type && type->is(Kind::String)) return type->text;
  return schema.find("properties") ? "object" : "null";
}

void append_sample(std::string& out, const JsonNode& schema, SampleKind kind, std::size_t depth);

void append_object(std::string& out, const JsonNode& schema, SampleKind kind, std::size_t depth) {
  const JsonNode* required = schema.find("required");
  const JsonNode* properties = schema.find("properties");
  out += '{';
  for (const JsonNode* name = required ? required->first : nullptr; name; name = name->next) {
    const JsonNode* property = properties ? properties->find(name->text) : nullptr;
    if (out.back() != '{') out += ',';
    append_json_string(out, name->text);
    out += ':';
    if (property)
      append_sample(out, *property, kind, depth + 1);
    else
      out += "null";
  }
  out += '}';
}

void append_array(std::string& out, const JsonNode& schema, SampleKind kind, std::size_t depth) {
  const JsonNode* items = schema.find("items");
  const bool is_list = items && items->is(Kind::Object);
  const std::size_t least = std::max<std::size_t>(size_of(schema, "minItems"),
                                                  is_list && kind == SampleKind::Example ? 1 : 0);
  out += '[';
  for (std::size_t i = 0; i < std::min(least, kMostItems); ++i) {
    if (i > 0) out += ',';
    if (is_list)
      append_sample(out, *items, kind, depth + 1);
    else
      out += "null";
  }
  out += ']';
}

void append_text(std::string& out, const JsonNode& schema, SampleKind kind) {
  const std::size_t least = size_of(schema, "minLength");
  if (least <= 1 && kind == SampleKind::Example)
    append_json_string(out, "…");
  else
    append_json_string(out, std::string(std::min(least, kLongestText), 'x'));
}

void append_sample(std::string& out, const JsonNode& schema, SampleKind kind, std::size_t depth) {
  for (const std::string_view keyword : {"default", "const"})
    if (const JsonNode* value = schema.find(keyword)) {
      append_json(out, *value);
      return;
    }
  if (const JsonNode* choices = schema.find("enum"); choices && choices->first) {
    append_json(out, *choices->first);
    return;
  }
  const std::string_view type = type_of(schema);
  if (depth >= kMostDepth || type == "null")
    out += "null";
  else if (type == "object")
    append_object(out, schema, kind, depth);
  else if (type == "array")
    append_array(out, schema, kind, depth);
  else if (type == "boolean")
    out += "false";
  else if (const JsonNode* least = schema.find("minimum"); type != "string" && least)
    append_json(out, *least);
  else if (type == "string")
    append_text(out, schema, kind);
  else
    out += '0';
}

}  // namespace

std::string sample_input(std::string_view schema, SampleKind kind) {
  JsonTree tree;
  const auto root = tree.parse(schema);
  if (!root || !(*root)->is(Kind::Object)) return "{}";
  std::string out;
  append_object(out, **root, kind, 0);
  return out;
}

}  // namespace toolgate
