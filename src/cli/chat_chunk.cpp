#include "cli/chat_chunk.h"

#include "cli/json_document.h"
#include "wire/openai_error.h"

namespace toolgate {
namespace {

using Kind = JsonNode::Kind;

ChatCall read_call(const JsonNode& node) {
  ChatCall call{.id = text_of(node, "id"),
                .name = text_of(node, "name"),
                .state = text_of(node, "state"),
                .arguments = json_of(node, "arguments"),
                .error = text_of(node, "error"),
                .started_at = number_of(node, "started_at"),
                .ended_at = number_of(node, "ended_at")};
  if (const JsonNode* decision = node.find("decision")) {
    call.decision_kind = text_of(*decision, "kind");
    call.decided_by = text_of(*decision, "by");
  }
  return call;
}

ChatReport read_report(const JsonNode& node) {
  ChatReport report{.rounds = number_of(node, "rounds"), .json = write_json(node)};
  if (const JsonNode* calls = node.find("invocations")) report.calls = calls->size;
  if (const JsonNode* warnings = node.find("warnings"))
    for (const JsonNode* one = warnings->first; one; one = one->next)
      if (one->is(Kind::String)) report.warnings.emplace_back(one->text);
  return report;
}

void read_choice(const JsonNode& choice, ChatChunk& chunk) {
  chunk.finish_reason = text_of(choice, "finish_reason");
  const JsonNode* delta = choice.find("delta");
  if (!delta) return;
  chunk.text = text_of(*delta, "content");
  chunk.refusal = text_of(*delta, "refusal");
  const JsonNode* calls = delta->find("tool_calls");
  for (const JsonNode* one = calls ? calls->first : nullptr; one; one = one->next)
    if (const JsonNode* function = one->find("function"))
      if (std::string name = text_of(*function, "name"); !name.empty())
        chunk.client_calls.push_back(std::move(name));
}

}  // namespace

Result<ChatChunk> read_chat_chunk(std::string_view data) {
  ChatChunk chunk;
  if (data == "[DONE]") {
    chunk.is_done = true;
    return chunk;
  }
  const auto document = JsonDocument::parse(std::string(data));
  if (!document) return std::unexpected(document.error());
  const JsonNode& root = document->root();
  if (root.find("error")) {
    const ErrorBody error = read_upstream_error(500, data);
    chunk.failure = ChatFailure{error.message, error.code.value_or("")};
    return chunk;
  }
  chunk.id = text_of(root, "id");
  chunk.created = number_of(root, "created");
  chunk.model = text_of(root, "model");
  if (const JsonNode* choices = root.find("choices"); choices && choices->first)
    read_choice(*choices->first, chunk);
  if (const JsonNode* usage = root.find("usage"); usage && usage->is(Kind::Object)) {
    chunk.usage = write_json(*usage);
    chunk.tokens = number_of(*usage, "total_tokens");
  }
  if (const JsonNode* ours = root.find("toolgate")) {
    if (const JsonNode* call = ours->find("invocation"))
      chunk.call = read_call(*call);
    else
      chunk.report = read_report(*ours);
  }
  return chunk;
}

}  // namespace toolgate
