// A tool: what is said about it (ToolData) and what runs it (Tool). Both are registered with a
// Registry (registry.h), together or one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "toolgate/cancel.h"
#include "toolgate/error.h"
#include "toolgate/task.h"

namespace toolgate {

// Where a tool or a tool set comes from.
struct ToolSource {
  enum class Kind : std::uint8_t {
    Internal,   // built in
    Extension,  // `id` is the extension's id
    Mcp,        // `id` is the collection, `server` the definition
    User,       // a tool-set file; `id` is its path
    Http,       // registered through the API; `id` is its URL
    External,   // describes calls made elsewhere; such a tool cannot be registered
  };

  Kind kind = Kind::Internal;
  std::string id;
  std::string server;
  std::string label;         // what people see; by default a word for the kind
  std::string instructions;  // of an MCP server

  // Equal for what comes from the same place: "internal", "extension:pub.name", "mcp:a:b".
  std::string key() const;
};

// The word of a kind in catalogues and rules: "internal", "extension", "mcp", …
std::string_view name_of(ToolSource::Kind kind);

// A model that asks for tools, or a selector of such models. Empty fields of a selector match
// everything.
struct ModelFacts {
  std::string vendor = {};
  std::string family = {};
  std::string version = {};
  std::string id = {};
};

// What is said about a tool. Only `id` must be there; a model also needs `model_description`, and
// `input_schema` unless the tool takes anything.
struct ToolData {
  std::string id = {};              // unique: what a model calls; letters, digits, '_' and '-'
  std::string reference_name = {};  // what people write after '#'; may be empty
  std::vector<std::string> legacy_full_names = {};
  std::string display_name = {};
  std::string user_description = {};
  std::string model_description = {};  // tells a model what the tool does and when to call it
  std::string input_schema = {};       // a JSON Schema as text; empty: none
  std::vector<std::string> tags = {};
  std::string icon = {};
  ToolSource source = {};
  std::string when = {};                // a clause over context keys; empty: always
  std::vector<ModelFacts> models = {};  // for which it is; empty: for all
  std::optional<bool> can_be_referenced_in_prompt = {};
  std::optional<bool> runs_in_workspace = {};
  // What stands behind the tool, in any form that changes when that does: approvals of one
  // implementation do not hold for another.
  std::string implementation = {};
  bool always_display_input_output = false;
  bool can_request_pre_approval = false;
  bool can_request_post_approval = false;
  // It changes nothing: calls of it may run beside each other, and short ones are written down
  // when they have ended. Whoever says so must know: a crash may leave no trace of one.
  bool is_read_only = false;
  // Found by its id and through its sets, but in no list: for the one who registered it.
  bool is_private = false;

  // What '#' and lists go by: the reference name, else the display name.
  const std::string& name_for_people() const {
    return reference_name.empty() ? display_name : reference_name;
  }
};

// What a model is told about a tool.
struct ToolDefinition {
  std::string name = {};
  std::string description = {};
  std::string input_schema = {};  // JSON text; empty: none
};

// What people are told before a call runs, and asked.
struct PreparedCall {
  std::string invocation_message = {};
  std::string past_tense_message = {};
  std::string confirmation_title = {};  // empty: the tool does not ask
  std::string confirmation_message = {};
  bool message_is_markdown = false;
  std::string disclaimer = {};
  // Whether an approval of this call may be remembered; nothing: as the settings say.
  std::optional<bool> allow_auto_confirm = {};
  // Offers to remember exactly these arguments, in these words. Empty: does not.
  std::string approve_combination = {};
  // What a remembered approval counts for, where that is neither the whole tool nor exactly these
  // arguments: calls of this tool with the same text here. Only its hash is kept.
  std::string approval_key = {};
  std::string not_needed_reason = {};     // why the tool does not ask, if it says so
  bool confirm_results = false;           // a person sees the result before the model does
  std::vector<std::string> buttons = {};  // other ways to say yes; the tool is told which it was
  std::string presentation = {};          // "hidden", "hiddenAfterComplete" or nothing
  // What the call would fetch and which files it would change: chat.tools.urls.autoApprove and
  // chat.tools.edits.autoApprove decide about them.
  std::vector<std::string> urls = {};
  std::vector<std::string> edited_files = {};
  // JSON. {"kind":"input","rawInput":{…}} shows the input, and what a person makes of it is what
  // the tool gets.
  std::string tool_specific_data = {};
};

struct ToolProgress {
  std::optional<double> increment = {};  // in hundredths of the whole
  std::string message = {};
};

// What a running call may ask of the one who runs it. Lives as long as the call.
class CallServices {
 public:
  virtual ~CallServices() = default;

  // In the encoding of the model that asked.
  virtual Task<Result<std::size_t>> count_tokens(std::string text) = 0;
  virtual void report(ToolProgress progress) = 0;
  // Asks a person once more, for instance before a step that cannot be undone. True: go on.
  virtual Task<Result<bool>> confirm(PreparedCall question) = 0;
};

// One call of a tool.
struct ToolCall {
  std::string id = {};  // the model's name for this call
  std::string input =
      {};  // JSON text that the tool's schema allows: CatalogTool::check_input() made it
  std::string request_id = {};
  std::string session_id = {};
  std::string caller = {};                       // whose key the request had; empty: nobody's
  std::optional<std::size_t> token_budget = {};  // how long the result may be, if anyone said
  std::string selected_button = {};              // of PreparedCall::buttons
  CallServices* services = nullptr;              // null: nobody listens
};

struct ToolContent {
  enum class Audience : std::uint8_t { Assistant, User, Extension };

  std::string text = {};
  std::string mime_type = {};  // empty: `text` is text; else its bytes are data of that type
  // `text` is a prompt-tsx tree as JSON: rendered within the token budget before a model sees it.
  bool is_prompt_tsx = false;
  std::vector<Audience> audience = {};  // empty: everyone
  std::string title = {};
};

// What the model is told. A call that could not be made at all is an Error instead.
struct ToolResult {
  std::vector<ToolContent> content = {};
  bool is_error = false;      // the tool ran and says that it failed
  std::string message = {};   // what was done, for people; replaces the past-tense message
  std::string metadata = {};  // JSON of the tool's own; not for the model
  std::string details = {};   // JSON: input and outputs as people may look at them
  std::optional<bool> confirm_results = {};  // false: no person need see this one
};

// A question to a person before a file is edited.
struct EditFilter {
  std::string title = {};
  std::string message = {};
};

// What a tool may know of the conversation when it makes or changes its own input.
struct PromptContext {
  std::string query = {};
  std::string session_id = {};
};

enum class ContextMode : std::uint8_t {
  Partial,  // a short result: the model can call again
  Full,     // one call must bring all
};

// The code of a tool. Only invoke() must be there. A program with several threads may call it on
// all of them, each call on one thread from its beginning to its end.
class Tool {
 public:
  virtual ~Tool() = default;

  // Both arguments live until the task has ended.
  virtual Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) = 0;

  // Before the call is confirmed. Nothing: no message and no question.
  virtual Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call,
                                                            const Cancel& cancel);
  // A question to ask before edits of this resource, if any.
  virtual Task<Result<std::optional<EditFilter>>> filter_edits(const std::string& resource,
                                                               const Cancel& cancel);
  // The input when a person, not a model, chose the tool.
  virtual Task<Result<std::optional<std::string>>> provide_input(const PromptContext& context,
                                                                 const Cancel& cancel);
  // The model's input, completed from the conversation.
  virtual Task<Result<std::string>> resolve_input(std::string input, const PromptContext& context,
                                                  ContextMode mode, const Cancel& cancel);
  // Whether people are shown something while the model still writes the input; then
  // streaming_message() is asked for it with what is there, which may break off anywhere.
  virtual bool wants_partial_input() const { return false; }
  virtual std::string streaming_message(const std::string& partial_input);
  // How this model is told about the tool instead; nothing: as everyone.
  virtual std::optional<ToolDefinition> alternative_definition(const ToolDefinition& usual,
                                                               const ModelFacts& model) const;
};

// A selector matches when all its fields do; a tool is for a model that any of its selectors
// matches. No selectors or no model: it is.
bool is_for_model(const ToolData& tool, const ModelFacts* model);

}  // namespace toolgate
