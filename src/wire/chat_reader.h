// The checks behind parse_chat_request, one object per request: wire/chat_reader.cpp reads the
// top-level members, chat_reader_parts.cpp what is in messages, tools and tool_choice.
#pragma once

#include <array>
#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "wire/json_reader.h"
#include "wire/known_parts.h"
#include "wire/openai_chat.h"

namespace toolgate {

// Toolgate's own members: checked here, never passed upstream.
inline constexpr std::array<std::string_view, 11> kOwnChatFields{
    "use_vscode_tools", "tool_execution", "max_tool_rounds", "include_tools",
    "includeTools",     "toolsInclude",   "exclude_tools",   "excludeTools",
    "toolsExclude",     "confirmation",   "session_id"};

// Three spellings of the include list, then three of the exclude list.
inline constexpr std::size_t kFirstIncludeField = 3;

class ChatReader {
 public:
  ChatReader(std::string_view body, const ChatLimits& limits, KnownParts* known,
             std::string_view caller);
  Result<ChatRequest> read();

 private:
  using Kind = JsonReader::Kind;
  using Read = Result<> (ChatReader::*)();
  struct Field {
    std::string_view name;
    Read read;
  };
  static const std::array<Field, 21> kFields;

  Result<> read_member();
  Result<> check_whole();

  Result<> read_messages();
  KnownMessages::Beginning take_known_messages();
  void keep_messages(std::size_t begin, const KnownMessages::Beginning& beginning);
  Result<> read_message();
  Result<Role> read_role();
  Result<> read_content();
  Result<> read_part(std::size_t part);
  Result<> read_tool_calls();
  Result<> read_tool_call();
  bool knows_call(std::string_view id);
  Result<> check_tool_call_id(std::string_view id);

  Result<> read_tools();
  bool take_known_tools();
  Result<> read_tool();
  Result<> read_function(ChatTool& tool);
  Result<> check_tool_name(const std::string& name);

  Result<> read_tool_choice();
  Result<> read_tool_choice_object();
  Result<std::string> read_choice_function();

  Result<> read_model();
  Result<> read_stream();
  Result<> read_stream_options();
  Result<> read_positive();
  Result<> read_choices();
  Result<> read_any();
  Result<> read_use_vscode_tools();
  Result<> read_tool_execution();
  Result<> read_max_tool_rounds();
  Result<> read_name_list();
  Result<> read_confirmation();
  Result<> read_session_id();

  // `field` names the value that stands next.
  Result<bool> read_bool(const std::string& field);
  Result<std::string> read_string(const std::string& field);
  // Leaves `value` alone where it is null.
  Result<> read_integer(const std::string& field, std::int64_t least, std::int64_t& value);
  // A text the reader has read, for longer than until the next one.
  std::string_view keep(std::string_view text);
  bool take_null();
  std::unexpected<Error> wrong_kind(const std::string& field, std::string_view wanted);
  std::unexpected<Error> twice(const std::string& field);
  std::unexpected<Error> broken() const;
  Result<> skip();

  std::string_view body_;
  const ChatLimits& limits_;
  KnownParts* known_;  // may be null
  std::string_view caller_;
  JsonReader reader_;
  ChatRequest request_;
  std::string key_;  // of the top-level member being read
  std::uint32_t seen_ = 0;
  std::vector<std::string_view> message_calls_;  // ids of the message being read
  std::vector<std::string_view> call_ids_;       // of assistant messages, in order
  std::unordered_set<std::string_view> call_index_;
  std::size_t indexed_calls_ = 0;        // how many of call_ids_ are in call_index_
  std::forward_list<std::string> kept_;  // texts that do not stand in the body
};

// An InvalidRequest whose message begins with the field it is about.
template <class... Args>
[[nodiscard]] std::unexpected<Error> refuse(std::string field, fmt::format_string<Args...> text,
                                            Args&&... args) {
  auto message = field + ": " + fmt::format(text, std::forward<Args>(args)...);
  return std::unexpected(Error{Errc::InvalidRequest, std::move(message), std::move(field)});
}

// Marks a key as seen; false when it was before.
inline bool once(std::uint32_t& seen, unsigned bit) {
  const std::uint32_t mask = std::uint32_t{1} << bit;
  if (seen & mask) return false;
  seen |= mask;
  return true;
}

// Text of a client's for one of our messages: short, and on one line.
std::string quoted_briefly(std::string_view text);

}  // namespace toolgate
