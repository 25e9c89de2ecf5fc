// The body for the upstream: the client's bytes with a few edits. Reading is chat_reader's.
#include "wire/openai_chat.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "wire/chat_reader.h"

namespace toolgate {

Result<ChatRequest> parse_chat_request(std::string_view body, const ChatLimits& limits,
                                       KnownParts* known, std::string_view caller) {
  return ChatReader(body, limits, known, caller).read();
}

const AddedTools::Entry* AddedTools::find(std::string_view name) const {
  const auto found = std::ranges::find(tools, name, &Entry::name);
  return found == tools.end() ? nullptr : &*found;
}

namespace {

std::string names_of(const ChatRequest& request) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string_view> names;
  for (const ChatTool& tool : request.tools) names.push_back(tool.name);
  if (request.added)
    for (const auto& tool : request.added->tools) names.push_back(tool.name);
  const std::size_t more = names.size() - std::min(names.size(), kMost);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

// A stretch of the body and what stands in its place: a text of ours, and behind it one that others
// own.
struct Edit {
  std::string_view old;
  std::string text;
  std::string_view shared = {};
  std::string_view end = {};
};

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

bool adds_tools(const ChatRequest& request) {
  return request.added && !request.added->tools.empty() && request.tool_mode != ToolMode::None;
}

bool drops_tools(const ChatRequest& request) {
  if (request.tool_mode == ToolMode::None) return true;
  if (adds_tools(request)) return false;
  const auto tools = std::ranges::find(request.members, "tools", &ChatMember::key);
  // OpenAI refuses an empty list.
  return tools != request.members.end() && request.tools.empty() && tools->value != "null";
}

bool is_dropped(const ChatRequest& request, const ChatMember& member, bool drop_tools) {
  if (std::ranges::find(kOwnChatFields, member.key) != kOwnChatFields.end()) return true;
  if (request.drops_tool_choice && member.key == "tool_choice") return true;
  return drop_tools && (member.key == "tools" || member.key == "tool_choice" ||
                        member.key == "parallel_tool_calls");
}

bool narrows_tools(const ChatRequest& request) {
  const std::size_t count =
      request.tools.size() + (request.added ? request.added->tools.size() : 0);
  return request.tool_mode == ToolMode::Named && count > 1;
}

// The JSON of the tool that must be called; empty when it is not offered.
std::string_view named_tool(const ChatRequest& request) {
  const auto named = std::ranges::find(request.tools, request.tool_choice_name, &ChatTool::name);
  if (named != request.tools.end())
    return named->shaped ? std::string_view(*named->shaped) : named->raw;
  const auto* added = request.added ? request.added->find(request.tool_choice_name) : nullptr;
  return added ? request.added->json(*added) : std::string_view();
}

std::string quote_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// An option of ours among the upstream's.
std::optional<std::string> without_tool_events(std::string_view stream_options) {
  constexpr std::string_view kOption = "include_tool_events";
  if (!stream_options.contains(kOption) && !stream_options.contains('\\')) return std::nullopt;
  auto options = parse_json(stream_options);
  if (!options || !options->is_object() || options->get_object().erase(kOption) == 0)
    return std::nullopt;
  return write_json(*options);
}

// What stands in place of a member's value, if something does.
std::optional<std::string> changed_value(const ChatRequest& request, const ChatMember& member,
                                         std::string_view upstream_model) {
  if (member.key == "model" && (request.model != upstream_model || member.value == "null"))
    return quote_json(upstream_model);
  if (member.key == "stream_options") return without_tool_events(member.value);
  if (member.key != "tools" || !narrows_tools(request)) return std::nullopt;
  return "[" + std::string(named_tool(request)) + "]";
}

// `list` is the value of "tools": the client's tools are replaced where they were shaped, and ours
// follow them.
void edit_tools(const ChatRequest& request, std::string_view list, std::vector<Edit>& edits) {
  for (const ChatTool& tool : request.tools)
    if (tool.shaped) edits.push_back({tool.raw, {}, *tool.shaped});
  if (!adds_tools(request)) return;
  if (request.tools.empty())  // null or an empty list
    edits.push_back({list, "[", request.added->text, "]"});
  else
    edits.push_back({list.substr(list.size() - 1, 0), ",", request.added->text});
}

void replace_messages(const ChatRequest& request, std::vector<Edit>& edits) {
  for (const auto& [number, text] : request.replaced_messages)
    edits.push_back({request.messages[number].raw, {}, text});
}

void insert_members(const ChatRequest& request, std::string_view upstream_model,
                    std::vector<Edit>& edits) {
  const auto& members = request.members;
  const auto lacks = [&](std::string_view key) {
    return std::ranges::find(members, key, &ChatMember::key) == members.end();
  };
  const std::string_view begin = members.front().raw.substr(0, 0);
  if (lacks("model")) edits.push_back({begin, "\"model\":" + quote_json(upstream_model) + ","});
  if (adds_tools(request) && lacks("tools"))
    edits.push_back({begin, "\"tools\":[",
                     narrows_tools(request) ? named_tool(request) : request.added->text, "],"});
}

// In the order of the body. A dropped member goes with the comma behind it, or, when nothing that
// is kept follows, with the comma before it. `messages` is always kept.
std::vector<Edit> make_edits(const ChatRequest& request, std::string_view upstream_model) {
  const auto& members = request.members;
  const bool drop_tools = drops_tools(request);
  std::vector<Edit> edits;
  insert_members(request, upstream_model, edits);

  std::size_t kept = members.size();  // how many are left without the dropped ones at the end
  while (kept > 0 && is_dropped(request, members[kept - 1], drop_tools)) --kept;
  for (std::size_t i = 0; i < kept; ++i) {
    if (is_dropped(request, members[i], drop_tools))
      edits.push_back({between(members[i].raw.begin(), members[i + 1].raw.begin()), {}});
    else if (auto text = changed_value(request, members[i], upstream_model))
      edits.push_back({members[i].value, std::move(*text)});
    else if (members[i].key == "messages")
      replace_messages(request, edits);
    else if (members[i].key == "tools")
      edit_tools(request, members[i].value, edits);
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

Result<void> check_tool_choice(const ChatRequest& request) {
  const bool named = request.tool_mode == ToolMode::Named;
  if (!named && request.tool_mode != ToolMode::Required) return {};
  if (request.tools.empty() && !adds_tools(request))
    return refuse("tool_choice", "a tool must be called, but 'tools' offers none");
  if (named && named_tool(request).empty())
    return refuse("tool_choice.function.name", "no tool is called {}; available: {}",
                  quoted_briefly(request.tool_choice_name), names_of(request));
  return {};
}

UpstreamBody make_upstream_body(const ChatRequest& request, std::string_view upstream_model) {
  UpstreamBody body;
  const char* from = request.body.begin();
  for (auto& edit : make_edits(request, upstream_model)) {
    append_slice(body, between(from, edit.old.begin()));
    from = edit.old.end();
    if (!edit.text.empty()) {
      body.owned.push_back(std::make_unique<std::string>(std::move(edit.text)));
      append_slice(body, *body.owned.back());
    }
    append_slice(body, edit.shared);
    append_slice(body, edit.end);
  }
  append_slice(body, between(from, request.body.end()));
  return body;
}

}  // namespace toolgate
