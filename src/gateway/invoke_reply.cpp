#include "gateway/invoke_reply.h"

#include "base/json.h"

namespace toolgate {

std::string write_outcome(std::string_view tool_id, const InvokeOutcome& outcome) {
  std::string out = "{";
  const auto member = [&out](std::string_view key, std::string_view json) {
    if (out.size() > 1) out += ',';
    append_json_string(out, key);
    out += ':';
    out += json;
  };
  const auto text = [&](std::string_view key, std::string_view value) {
    std::string quoted;
    append_json_string(quoted, value);
    member(key, quoted);
  };
  const InvocationRow* call = outcome.call.get();
  if (call) text("id", call->id);
  text("name", call ? call->tool_id : tool_id);
  text("state", name_of(call ? call->state : InvocationState::Cancelled));
  text("ending", name_of(outcome.ending));
  member("decision", call && !call->decision.empty() ? call->decision : "null");
  if (call && !call->post_decision.empty()) member("post_decision", call->post_decision);
  // The list within {"content":[…]…}.
  if (auto content = parse_json(write_content(outcome.result, true))) {
    member("content", write_json(content->at("content")));
    if (outcome.result.is_error && !outcome.result.content.empty())
      text("error", outcome.result.content.front().text);
  }
  if (!outcome.result.message.empty()) text("message", outcome.result.message);
  if (!outcome.result.metadata.empty()) member("metadata", outcome.result.metadata);
  const std::int64_t duration = call ? call->ended_at - call->created_at : 0;
  member("duration_ms", std::to_string(std::max<std::int64_t>(0, duration)));
  return out + '}';
}

}  // namespace toolgate
