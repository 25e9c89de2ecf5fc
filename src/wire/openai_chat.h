// A chat-completions request: what the gateway decides on is parsed, the rest stays the client's
// bytes. gateway/endpoints/chat parses, agent and models read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace toolgate {

enum class Role { System, Developer, User, Assistant, Tool, Function };

struct ChatMessage {
  Role role;
  std::string_view raw;  // the whole JSON object in the body
};

struct ChatTool {
  std::string name;
  std::string_view raw;
  std::shared_ptr<const std::string> shaped;  // what the upstream gets instead, if anything
};

// Tools that the gateway offers beside the client's, as the upstream gets them. Made once and
// shared by the requests that offer the same.
struct AddedTools {
  struct Entry {
    std::string name;
    std::string reference_name;  // what people call it; may be empty
    std::size_t begin = 0;       // where it stands in `text`
    std::size_t size = 0;
  };
  std::vector<Entry> tools;
  std::string text;  // the tools as JSON, with commas between them

  const Entry* find(std::string_view name) const;
  std::string_view json(const Entry& tool) const {
    return std::string_view(text).substr(tool.begin, tool.size);
  }
};

enum class ToolMode {
  Unset,  // no tool_choice
  None,   // tools are not passed on
  Auto,
  Required,
  Named,   // tools are narrowed to tool_choice_name
  Subset,  // OpenAI's allowed_tools, passed on as it is
};

// One member of the top-level object, key and value as they stand in the body.
struct ChatMember {
  std::string key;       // unescaped
  std::string_view raw;  // from the key's quote to the end of the value
  std::string_view value;
};

struct ChatRequest {
  std::string_view body;
  std::string model;  // empty: none was named
  bool stream = false;
  bool include_usage = false;
  std::size_t choices = 1;  // n
  std::vector<ChatMessage> messages;
  std::vector<ChatTool> tools;
  ToolMode tool_mode = ToolMode::Unset;
  std::string tool_choice_name;
  bool drops_tool_choice = false;  // it was obeyed in an earlier round
  bool names_results = false;      // the history has handles of long results, which can be read
  std::vector<ChatMember> members;

  // Toolgate's own fields (contract: docs/api.md). They never reach the upstream.
  bool use_registered_tools = false;  // use_vscode_tools
  bool auto_execute = false;          // tool_execution: "auto"
  std::size_t max_tool_rounds = 10;   // 0: as many as the model wants
  // When a person must be asked about a call.
  enum class Confirmation { Wait, Deny, Return } confirmation = Confirmation::Wait;
  bool include_tool_events = false;  // of stream_options
  std::string session_id;
  std::optional<std::vector<std::string>> include_tools;
  std::optional<std::vector<std::string>> exclude_tools;

  std::shared_ptr<const AddedTools> added;  // null: none
  struct ReplacedMessage {
    std::size_t number = 0;
    std::string text;
  };
  std::vector<ReplacedMessage> replaced_messages;  // in order: what the upstream gets instead
};

struct KnownParts;

struct ChatLimits {
  std::size_t max_tools = 128;
  std::size_t max_messages = 100'000;
  std::size_t max_depth = 256;
};

// Checks the rules of the request and reads it, all but the choice of a tool. Everything in the
// result that is a view points into `body`, which must stay alive and unmoved.
// What `known` has of it from the same caller is not read again; those who share one have one
// max_depth.
Result<ChatRequest> parse_chat_request(std::string_view body, const ChatLimits& limits = {},
                                       KnownParts* known = nullptr, std::string_view caller = {});

// Whether the tool that must be called is offered; once tools were added.
Result<void> check_tool_choice(const ChatRequest& request);

// The body for the upstream, as slices of the client's bytes and a few of our own.
struct UpstreamBody {
  std::vector<std::string_view> slices;
  std::vector<std::unique_ptr<std::string>> owned;  // what slices of ours point into, or `added`
  std::size_t size = 0;
};
UpstreamBody make_upstream_body(const ChatRequest& request, std::string_view upstream_model);

}  // namespace toolgate
