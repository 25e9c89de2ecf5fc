// The body for the upstream: the client's bytes with a few edits. Reading is chat_reader's.
#include "wire/openai_chat.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "wire/chat_reader.h"

namespace toolgate {

Result<ChatRequest> parse_chat_request(std::string_view body, const ChatLimits& limits) {
  return ChatReader(body, limits).read();
}

namespace {

// A stretch of the body and what stands in its place.
struct Edit {
  std::string_view old;
  std::string text;
};

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

bool drops_tools(const ChatRequest& request) {
  if (request.tool_mode == ToolMode::None) return true;
  const auto tools = std::ranges::find(request.members, "tools", &ChatMember::key);
  // OpenAI refuses an empty list.
  return tools != request.members.end() && request.tools.empty() && tools->value != "null";
}

bool is_dropped(const ChatMember& member, bool drop_tools) {
  if (std::ranges::find(kOwnChatFields, member.key) != kOwnChatFields.end()) return true;
  return drop_tools && (member.key == "tools" || member.key == "tool_choice" ||
                        member.key == "parallel_tool_calls");
}

bool narrows_tools(const ChatRequest& request) {
  return request.tool_mode == ToolMode::Named && request.tools.size() > 1;
}

std::string quote_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// What stands in place of a member's value, if something does.
std::optional<std::string> changed_value(const ChatRequest& request, const ChatMember& member,
                                         std::string_view upstream_model) {
  if (member.key == "model" && (request.model != upstream_model || member.value == "null"))
    return quote_json(upstream_model);
  if (member.key != "tools" || !narrows_tools(request)) return std::nullopt;
  const auto named = std::ranges::find(request.tools, request.tool_choice_name, &ChatTool::name);
  if (named == request.tools.end()) return std::nullopt;
  return "[" + (named->shaped ? *named->shaped : std::string(named->raw)) + "]";
}

void add_shaped_tools(const ChatRequest& request, std::vector<Edit>& edits) {
  for (const ChatTool& tool : request.tools)
    if (tool.shaped) edits.push_back({tool.raw, *tool.shaped});
}

// In the order of the body. A dropped member goes with the comma behind it, or, when nothing that
// is kept follows, with the comma before it. `messages` is always kept.
std::vector<Edit> make_edits(const ChatRequest& request, std::string_view upstream_model) {
  const auto& members = request.members;
  const bool drop_tools = drops_tools(request);
  std::vector<Edit> edits;
  if (std::ranges::find(members, "model", &ChatMember::key) == members.end())
    edits.push_back(
        {members.front().raw.substr(0, 0), "\"model\":" + quote_json(upstream_model) + ","});

  std::size_t kept = members.size();  // how many are left without the dropped ones at the end
  while (kept > 0 && is_dropped(members[kept - 1], drop_tools)) --kept;
  for (std::size_t i = 0; i < kept; ++i) {
    if (is_dropped(members[i], drop_tools))
      edits.push_back({between(members[i].raw.begin(), members[i + 1].raw.begin()), {}});
    else if (auto text = changed_value(request, members[i], upstream_model))
      edits.push_back({members[i].value, std::move(*text)});
    else if (members[i].key == "tools")
      add_shaped_tools(request, edits);
  }
  if (kept < members.size())
    edits.push_back({between(members[kept - 1].raw.end(), members.back().raw.end()), {}});
  return edits;
}

void append_slice(UpstreamBody& body, std::string_view slice) {
  if (slice.empty()) return;
  body.slices.push_back(slice);
  body.size += slice.size();
}

}  // namespace

UpstreamBody make_upstream_body(const ChatRequest& request, std::string_view upstream_model) {
  UpstreamBody body;
  const char* from = request.body.begin();
  for (auto& edit : make_edits(request, upstream_model)) {
    append_slice(body, between(from, edit.old.begin()));
    from = edit.old.end();
    if (edit.text.empty()) continue;
    body.owned.push_back(std::make_unique<std::string>(std::move(edit.text)));
    append_slice(body, *body.owned.back());
  }
  append_slice(body, between(from, request.body.end()));
  return body;
}

}  // namespace toolgate
