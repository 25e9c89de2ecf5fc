// Any bytes as a chat request. What parse_chat_request accepts must be JSON wherever a full parser
// can tell, and the body made for the upstream must be JSON, add up, and be stable. With the parts
// of a similar body known, it is read alike.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/json.h"
#include "fuzz/require.h"
#include "wire/chat_reader.h"
#include "wire/json_padding.h"
#include "wire/known_parts.h"
#include "wire/openai_chat.h"

namespace {

using namespace toolgate;

std::string join(const UpstreamBody& body) {
  std::string out;
  for (const auto slice : body.slices) out += slice;
  require(out.size() == body.size, "the slices add up to the size");
  return out;
}

bool within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

// What a full parser may refuse and we pass on: escapes in strings that nobody here reads, and
// numbers out of its range.
bool may_differ(std::string_view body) {
  if (body.find('\\') != body.npos) return true;
  for (std::size_t i = 1; i < body.size(); ++i) {
    const bool exponent = body[i] == 'e' || body[i] == 'E';
    if (exponent && body[i - 1] >= '0' && body[i - 1] <= '9') return true;
  }
  return false;
}

void check_views(const ChatRequest& request) {
  for (const auto& member : request.members) {
    require(within(member.raw, request.body) && within(member.value, member.raw), "member views");
    require(member.raw.starts_with('"') && !member.value.empty(), "member text");
  }
  for (const auto& message : request.messages)
    require(within(message.raw, request.body) && message.raw.starts_with('{') &&
                message.raw.ends_with('}'),
            "message views");
  for (const auto& tool : request.tools)
    require(within(tool.raw, request.body) && tool.raw.starts_with('{') && tool.raw.ends_with('}'),
            "tool views");
}

void check_upstream(const ChatRequest& request, bool is_json) {
  const std::string sent = join(make_upstream_body(request, "m\"1"));
  if (is_json) {
    const auto parsed = parse_json(sent);
    require(parsed && parsed->is_object(), "the upstream's body is JSON");
    require(find(*parsed, "model")->as_string() == "m\"1", "the model is the upstream's");
    for (const auto key : kOwnChatFields)
      require(!parsed->as_object().contains(key), "own fields stay here");
  }
  if (request.use_registered_tools) return;
  const auto again = parse_chat_request(sent);
  require(again.has_value(), "the upstream's body is a chat request");
  require(join(make_upstream_body(*again, "m\"1")) == sent, "a second pass changes nothing");
}

void check_same(const Result<ChatRequest>& one, const Result<ChatRequest>& other) {
  require(one.has_value() == other.has_value(), "known parts do not decide");
  if (!one) {
    require(one.error().message == other.error().message, "the error is the same");
    return;
  }
  const auto same_view = [](std::string_view a, std::string_view b) {
    return a.data() == b.data() && a.size() == b.size();
  };
  require(std::ranges::equal(one->messages, other->messages,
                             [&](const ChatMessage& a, const ChatMessage& b) {
                               return a.role == b.role && same_view(a.raw, b.raw);
                             }),
          "the messages are the same");
  require(std::ranges::equal(one->tools, other->tools,
                             [&](const ChatTool& a, const ChatTool& b) {
                               return a.name == b.name && same_view(a.raw, b.raw);
                             }),
          "the tools are the same");
  require(std::ranges::equal(one->members, other->members, same_view, &ChatMember::raw,
                             &ChatMember::raw),
          "the members are the same");
}

// The body with one of its later bytes changed.
std::string damaged(std::string_view body) {
  constexpr std::string_view kMarks = "}],\"{ x\\";
  const std::size_t mark = std::hash<std::string_view>()(body);
  std::string out(body);
  out[body.size() - 1 - mark % (body.size() / 2 + 1)] = kMarks[mark / 7 % kMarks.size()];
  return out;
}

// The body without its last message.
std::string turn_before(const ChatRequest& request) {
  const std::string_view last = request.messages.back().raw;
  const std::string_view before = request.messages[request.messages.size() - 2].raw;
  const char* const end = before.data() + before.size();
  return std::string(request.body.data(), end)
      .append(last.data() + last.size(), request.body.data() + request.body.size());
}

// With parts of any other body known, those of the body itself among them, it is read alike.
void check_with_known(std::string_view body, const Result<ChatRequest>& request) {
  std::vector<std::string> others{damaged(body), std::string(body)};
  if (request && request->messages.size() > 1) others.push_back(turn_before(*request));
  for (const std::string& other : others) {
    KnownParts known{.messages = KnownMessages({.least_bytes = 1})};
    for (const std::string_view text :
         {std::string_view(other), std::string_view(other), body, std::string_view(other), body})
      check_same(parse_chat_request(text, {}, &known), parse_chat_request(text));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string padded(reinterpret_cast<const char*>(data), size);
  padded.append(kJsonPadding, ' ');
  const std::string_view body(padded.data(), size);

  const bool is_json = parse_json(body).has_value();
  const auto request = parse_chat_request(body);
  if (!body.empty()) check_with_known(body, request);
  if (!request) {
    require(!request.error().message.empty(), "an error has a message");
    require(!is_json || request.error().code != Errc::InvalidJson, "JSON is not called broken");
    return 0;
  }
  require(is_json || may_differ(body), "what is accepted is JSON");
  check_views(*request);
  if (!check_tool_choice(*request)) return 0;  // such a request is not sent
  check_upstream(*request, is_json);
  return 0;
}
