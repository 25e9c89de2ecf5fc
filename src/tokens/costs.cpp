// The sums follow VS Code's chat, whose rules are the only published ones that cover tools.
#include "tokens/costs.h"

#include <array>
#include <cmath>

#include "tokens/base64.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kListCost = 3;
constexpr std::size_t kMessageCost = 3;
constexpr std::size_t kNameCost = 1;
constexpr std::size_t kToolsCost = 16;
constexpr std::size_t kToolCost = 8;

std::string_view text_of(const JsonNode* node) {
  return node != nullptr && node->is(Kind::String) ? node->text : std::string_view();
}

std::string_view text_in(const JsonNode& node, std::string_view key) {
  return text_of(node.find(key));
}

std::size_t scaled(std::size_t tokens, double factor) {
  return static_cast<std::size_t>(std::floor(static_cast<double>(tokens) * factor));
}

// Absent for JavaScript, and so for the classic rules.
bool counts_as_nothing(const JsonNode& node) {
  switch (node.kind) {
    case Kind::Null:
      return true;
    case Kind::Bool:
      return !node.truth;
    case Kind::String:
      return node.text.empty();
    default:
      return false;
  }
}

// Base64 in a data URL or alone.
std::size_t encoded_cost(std::string_view text) {
  const auto url = parse_data_url(text);
  return document_cost(base64_bytes(url ? url->data : text));
}

std::optional<std::size_t> image_part_cost(const JsonNode& part, Encoding encoding) {
  const JsonNode* image = part.find("image_url");
  if (image == nullptr) return std::nullopt;
  if (image->is(Kind::String))
    return image_url_cost(image->text, text_in(part, "detail"), encoding);
  if (!image->is(Kind::Object)) return std::nullopt;
  return image_url_cost(text_in(*image, "url"), text_in(*image, "detail"), encoding);
}

// {"type": "file", "file": {"file_data": …}}, and the same for audio.
std::optional<std::size_t> document_part_cost(const JsonNode& part, std::string_view holder,
                                              std::string_view key) {
  const JsonNode* document = part.find(holder);
  if (document == nullptr) return std::nullopt;
  const std::string_view data = text_in(*document, key);
  if (data.empty()) return std::nullopt;
  return encoded_cost(data);
}

// The parts of a message's content whose cost is not that of their strings.
std::optional<std::size_t> part_cost(const JsonNode& part, Encoding encoding) {
  const std::string_view type = text_in(part, "type");
  if (type == "text") return count_tokens(encoding, text_in(part, "text"));
  if (type == "image_url" || type == "input_image") return image_part_cost(part, encoding);
  if (type == "file") return document_part_cost(part, "file", "file_data");
  if (type == "input_audio") return document_part_cost(part, "input_audio", "data");
  return std::nullopt;
}

std::size_t value_cost(const JsonNode& node, Encoding encoding);

std::size_t children_cost(const JsonNode& node, Encoding encoding) {
  std::size_t total = 0;
  for (const JsonNode* child = node.first; child != nullptr; child = child->next) {
    if (counts_as_nothing(*child)) continue;
    const std::size_t cost = value_cost(*child, encoding);
    const bool member = node.is(Kind::Object);
    total += member && child->key == "tool_calls" ? scaled(cost, 1.5) : cost;
    if (member && child->key == "name") total += kNameCost;
  }
  return total;
}

std::size_t value_cost(const JsonNode& node, Encoding encoding) {
  if (node.is(Kind::String)) return count_tokens(encoding, node.text);
  if (node.is(Kind::Object))
    if (const auto cost = part_cost(node, encoding)) return *cost;
  return children_cost(node, encoding);
}

// Keys, strings, numbers and the words true, false and null.
std::size_t complete_cost(const JsonNode& node, Encoding encoding) {
  switch (node.kind) {
    case Kind::String:
    case Kind::Number:
      return count_tokens(encoding, node.text);
    case Kind::Null:
    case Kind::Bool:
      return 1;
    default:
      break;
  }
  std::size_t total = 0;
  for (const JsonNode* child = node.first; child != nullptr; child = child->next)
    total += count_tokens(encoding, child->key) + complete_cost(*child, encoding);
  return total;
}

std::size_t tool_cost(const JsonNode& tool, Encoding encoding, CostRules rules) {
  const JsonNode* wrapped = tool.find("function");
  const JsonNode& function = wrapped != nullptr && wrapped->is(Kind::Object) ? *wrapped : tool;
  std::size_t total = kToolCost;
  for (const std::string_view key : {"name", "description", "parameters"}) {
    const JsonNode* value = function.find(key);
    if (value == nullptr || counts_as_nothing(*value)) continue;
    total += count_tokens(encoding, key);
    if (value->is(Kind::String))
      total += count_tokens(encoding, value->text);
    else if (rules == CostRules::Complete)
      total += complete_cost(*value, encoding);
    else
      total += children_cost(*value, encoding);
  }
  return total;
}

}  // namespace

std::size_t message_cost(const JsonNode& message, Encoding encoding) {
  return kMessageCost + children_cost(message, encoding);
}

std::size_t messages_cost(const JsonNode& messages, Encoding encoding) {
  if (messages.is(Kind::Object)) return kListCost + message_cost(messages, encoding);
  if (!messages.is(Kind::Array)) return 0;
  std::size_t total = kListCost;
  for (const JsonNode* message = messages.first; message != nullptr; message = message->next)
    total += message_cost(*message, encoding);
  return total;
}

std::size_t tools_cost(const JsonNode& tools, Encoding encoding, CostRules rules) {
  std::size_t total = kToolsCost;
  if (tools.is(Kind::Object)) {
    total += tool_cost(tools, encoding, rules);
  } else {
    if (!tools.is(Kind::Array) || tools.first == nullptr) return 0;
    for (const JsonNode* tool = tools.first; tool != nullptr; tool = tool->next)
      total += tool_cost(*tool, encoding, rules);
  }
  return scaled(total, 1.1);
}

std::size_t document_cost(std::size_t bytes) {
  return bytes / 8 + (bytes % 8 != 0 ? 1 : 0);
}

std::size_t agent_budget(std::size_t prompt_limit, std::size_t tools_cost) {
  if (tools_cost >= prompt_limit) return 0;
  return scaled(prompt_limit - tools_cost, 0.85);
}

}  // namespace toolgate
