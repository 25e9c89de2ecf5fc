// What messages, tools, images and documents of a request cost in tokens: an estimate, because
// how a model's server lays them out is not public. The gateway fills in missing usage with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json_tree.h"
#include "tokens/encoding.h"

namespace toolgate {

enum class CostRules : std::uint8_t {
  Complete,  // everything in a tool that the model reads, property names and numbers too
  Classic,   // VS Code's: inside a tool's parameters only string values cost something
};

// `messages` is an array of chat messages in OpenAI's form, or one; anything else costs nothing.
std::size_t messages_cost(const JsonNode& messages, Encoding encoding);

// One message without the cost of the list around it.
std::size_t message_cost(const JsonNode& message, Encoding encoding);

// `tools` is an array of OpenAI tools ({type, function}) or of bare functions, or one of them.
std::size_t tools_cost(const JsonNode& tools, Encoding encoding,
                       CostRules rules = CostRules::Complete);

struct ImageSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool operator==(const ImageSize&) const = default;
};

// From the header of a PNG, GIF, JPEG or WebP file; nothing for other bytes and for sizes of zero.
std::optional<ImageSize> image_size(std::string_view bytes);

std::size_t image_cost(ImageSize size, std::string_view detail);

// An image in a `data:` URL by its size, as a square one if its header cannot be read; any other
// URL as text.
std::size_t image_url_cost(std::string_view url, std::string_view detail, Encoding encoding);

// `bytes` is the size of the document itself, not of its base64.
std::size_t document_cost(std::size_t bytes);

// What remains for an agent's prompt when its tools are paid.
std::size_t agent_budget(std::size_t prompt_limit, std::size_t tools_cost);

}  // namespace toolgate
