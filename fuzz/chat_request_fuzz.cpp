// Any bytes as a chat request. What parse_chat_request accepts must be JSON wherever a full parser
// can tell, and the body made for the upstream must be JSON, add up, and be stable.
#include <cstdlib>
#include <string>

#include <fmt/core.h>

#include "base/json.h"
#include "fuzz/require.h"
#include "wire/chat_reader.h"
#include "wire/json_padding.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string padded(reinterpret_cast<const char*>(data), size);
  padded.append(kJsonPadding, ' ');
  const std::string_view body(padded.data(), size);

  const bool is_json = parse_json(body).has_value();
  const auto request = parse_chat_request(body);
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
