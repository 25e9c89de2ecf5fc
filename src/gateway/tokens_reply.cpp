#include "gateway/tokens_reply.h"

#include "base/json_tree.h"
#include "tokens/costs.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

const JsonNode* given(const JsonNode& request, std::string_view name) {
  const JsonNode* member = request.find(name);
  return member != nullptr && !member->is(Kind::Null) ? member : nullptr;
}

bool is_list_of_objects(const JsonNode& list) {
  if (!list.is(Kind::Array)) return false;
  for (const JsonNode* item = list.first; item; item = item->next)
    if (!item->is(Kind::Object)) return false;
  return true;
}

Result<Encoding> read_encoding(const JsonNode& request, const Snapshot& snapshot) {
  if (const JsonNode* name = given(request, "encoding")) {
    const auto encoding = name->is(Kind::String) ? encoding_named(name->text) : std::nullopt;
    if (!encoding)
      return fail_at("encoding", Errc::InvalidRequest,
                     "encoding: must be \"o200k_base\" or \"cl100k_base\"");
    return *encoding;
  }
  const JsonNode* id = given(request, "model");
  if (!id) return Encoding::O200kBase;
  if (!id->is(Kind::String))
    return fail_at("model", Errc::InvalidRequest, "model: must be a string");
  const ChatProvider* model = snapshot.find_model(id->text);
  if (!model) return std::unexpected(unknown_model(snapshot, id->text));
  return model->info().encoding;
}

Result<CostRules> read_rules(const JsonNode& request) {
  const JsonNode* rules = given(request, "rules");
  if (!rules || (rules->is(Kind::String) && rules->text == "complete")) return CostRules::Complete;
  if (rules->is(Kind::String) && rules->text == "classic") return CostRules::Classic;
  return fail_at("rules", Errc::InvalidRequest, "rules: must be \"complete\" or \"classic\"");
}

Result<std::size_t> count(const JsonNode& request, Encoding encoding) {
  const JsonNode* text = given(request, "text");
  const JsonNode* messages = given(request, "messages");
  const JsonNode* tools = given(request, "tools");
  if (!text && !messages && !tools)
    return fail(Errc::InvalidRequest, "give what is to be counted: text, messages or tools");
  if (text && !text->is(Kind::String))
    return fail_at("text", Errc::InvalidRequest, "text: must be a string");
  for (const auto& [name, list] : {std::pair("messages", messages), std::pair("tools", tools)})
    if (list && !is_list_of_objects(*list))
      return fail_at(name, Errc::InvalidRequest, "{}: must be an array of objects", name);
  const auto rules = read_rules(request);
  if (!rules) return std::unexpected(rules.error());
  std::size_t tokens = 0;
  if (text) tokens += count_tokens(encoding, text->text);
  if (messages) tokens += messages_cost(*messages, encoding);
  if (tools) tokens += tools_cost(*tools, encoding, *rules);
  return tokens;
}

}  // namespace

std::string write_token_count(std::size_t tokens, Encoding encoding) {
  return fmt::format(R"({{"tokens":{},"encoding":"{}"}})", tokens, encoding_name(encoding));
}

Result<std::string> answer_tokens(std::string_view body, const Snapshot& snapshot) {
  JsonTree tree;
  const auto request = tree.parse(body);
  if (!request)
    return fail(Errc::InvalidJson, "the request body cannot be read: {}", request.error().message);
  if (!(*request)->is(Kind::Object))
    return fail(Errc::InvalidRequest, "the request body must be a JSON object");
  const auto encoding = read_encoding(**request, snapshot);
  if (!encoding) return std::unexpected(encoding.error());
  const auto tokens = count(**request, *encoding);
  if (!tokens) return std::unexpected(tokens.error());
  return write_token_count(*tokens, *encoding);
}

}  // namespace toolgate
