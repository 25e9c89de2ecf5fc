#include "cli/json_document.h"

#include <charconv>

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

const JsonNode* member(const JsonNode& node, std::string_view key, Kind kind) {
  const JsonNode* found = node.find(key);
  return found && found->is(kind) ? found : nullptr;
}

template <class Number>
Number read_number(const JsonNode& node, std::string_view key) {
  Number number = 0;
  if (const JsonNode* found = member(node, key, Kind::Number))
    std::from_chars(found->text.begin(), found->text.end(), number);
  return number;
}

}  // namespace

std::string text_of(const JsonNode& node, std::string_view key) {
  const JsonNode* found = member(node, key, Kind::String);
  return found ? std::string(found->text) : std::string();
}

std::int64_t number_of(const JsonNode& node, std::string_view key) {
  return read_number<std::int64_t>(node, key);
}

double fraction_of(const JsonNode& node, std::string_view key) {
  return read_number<double>(node, key);
}

bool truth_of(const JsonNode& node, std::string_view key) {
  const JsonNode* found = member(node, key, Kind::Bool);
  return found && found->truth;
}

std::string json_of(const JsonNode& node, std::string_view key) {
  const JsonNode* found = node.find(key);
  return found ? write_json(*found) : std::string();
}

}  // namespace toolgate
