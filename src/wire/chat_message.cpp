#include "wire/chat_message.h"

namespace toolgate {
namespace {

std::string string_of(const json::value* value) {
  if (!value || !value->is_string()) return {};
  return std::string(value->get_string());
}

}  // namespace

std::string message_text(const json::value& message) {
  const auto* content = find(message, "content");
  if (!content || !content->is_array()) return string_of(content);
  std::string out;
  for (const auto& part : content->get_array()) {
    if (string_of(find(part, "type")) != "text") continue;
    if (!out.empty()) out += '\n';
    out += string_of(find(part, "text"));
  }
  return out;
}

std::vector<MessageCall> calls_in(const json::value& message) {
  std::vector<MessageCall> result;
  const auto* calls = find(message, "tool_calls");
  if (!calls || !calls->is_array()) return result;
  for (const auto& call : calls->get_array())
    if (const auto* function = find(call, "function"))
      result.push_back({string_of(find(call, "id")), string_of(find(*function, "name"))});
  return result;
}

std::string_view id_of_answer(const json::value& message) {
  const auto* id = find(message, "tool_call_id");
  return id && id->is_string() ? std::string_view(id->get_string()) : std::string_view();
}

}  // namespace toolgate
