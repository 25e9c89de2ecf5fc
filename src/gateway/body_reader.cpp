#include "gateway/body_reader.h"

#include <algorithm>
#include <charconv>

#include "base/nearest.h"

namespace toolgate {

Result<BodyReader> BodyReader::parse(std::string body) {
  auto state = std::make_shared<State>();
  state->text = body.empty() ? "{}" : std::move(body);
  auto root = state->tree.parse(state->text);
  if (!root) return fail(Errc::InvalidJson, "the body is not valid JSON: {}", root.error().message);
  if (!(*root)->is(JsonNode::Kind::Object))
    return fail(Errc::InvalidRequest, "the body must be a JSON object");
  state->root = *root;
  return BodyReader(std::move(state));
}

void BodyReader::blame(std::string_view name, std::string_view must_be) const {
  if (state_->fault) return;
  state_->fault =
      Error{Errc::InvalidRequest, fmt::format("{} must be {}", name, must_be), std::string(name)};
}

std::optional<std::string> BodyReader::optional_text(std::string_view name) const {
  const JsonNode* node = state_->root->find(name);
  if (!node || node->is(JsonNode::Kind::Null)) return std::nullopt;
  if (node->is(JsonNode::Kind::String)) return std::string(node->text);
  blame(name, "a string");
  return std::nullopt;
}

std::string BodyReader::text(std::string_view name) const {
  return optional_text(name).value_or("");
}

std::optional<std::string> BodyReader::json(std::string_view name) const {
  const JsonNode* node = state_->root->find(name);
  return node ? std::optional(write_json(*node)) : std::nullopt;
}

std::optional<std::size_t> BodyReader::integer(std::string_view name, std::size_t least,
                                               std::size_t most) const {
  const JsonNode* node = state_->root->find(name);
  if (!node || node->is(JsonNode::Kind::Null)) return std::nullopt;
  std::size_t value = 0;
  const char* end = node->text.data() + node->text.size();
  const auto read = std::from_chars(node->text.data(), end, value);
  if (node->is(JsonNode::Kind::Number) && read.ec == std::errc() && read.ptr == end &&
      value >= least && value <= most)
    return value;
  blame(name, fmt::format("a whole number from {} to {}", least, most));
  return std::nullopt;
}

void BodyReader::only(std::initializer_list<std::string_view> names) const {
  for (const JsonNode* member = state_->root->first; member; member = member->next) {
    if (std::ranges::find(names, member->key) != names.end() || state_->fault) continue;
    Nearest nearest(member->key);
    for (const std::string_view name : names) nearest.consider(name);
    const std::string hint =
        nearest.result().empty() ? "" : fmt::format("; did you mean {}?", nearest.result());
    state_->fault =
        Error{Errc::InvalidRequest, fmt::format("there is no member {} here{}", member->key, hint),
              std::string(member->key)};
  }
}

Task<Result<BodyReader>> read_body_object(RequestContext& context) {
  const auto body = co_await context.exchange.read_body();
  if (!body) co_return std::unexpected(body.error());
  co_return BodyReader::parse(std::string(*body));
}

}  // namespace toolgate
