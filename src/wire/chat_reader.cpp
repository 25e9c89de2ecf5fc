// The top-level members of a chat request: which are read, and the scalar ones.
// chat_reader_parts.cpp has the rest.
#include "wire/chat_reader.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/json.h"
#include "base/utf8.h"

namespace toolgate {

// The members we decide on; each may stand once, since two readers of a body that has one twice
// could disagree. Everything else is passed over.
const std::array<ChatReader::Field, 21> ChatReader::kFields{{
    {"model", &ChatReader::read_model},
    {"messages", &ChatReader::read_messages},
    {"tools", &ChatReader::read_tools},
    {"tool_choice", &ChatReader::read_tool_choice},
    {"parallel_tool_calls", &ChatReader::read_any},
    {"stream", &ChatReader::read_stream},
    {"stream_options", &ChatReader::read_stream_options},
    {"max_tokens", &ChatReader::read_positive},
    {"max_completion_tokens", &ChatReader::read_positive},
    {"n", &ChatReader::read_choices},
    {"use_vscode_tools", &ChatReader::read_use_vscode_tools},
    {"tool_execution", &ChatReader::read_tool_execution},
    {"max_tool_rounds", &ChatReader::read_max_tool_rounds},
    {"include_tools", &ChatReader::read_name_list},
    {"includeTools", &ChatReader::read_name_list},
    {"toolsInclude", &ChatReader::read_name_list},
    {"exclude_tools", &ChatReader::read_name_list},
    {"excludeTools", &ChatReader::read_name_list},
    {"toolsExclude", &ChatReader::read_name_list},
    {"confirmation", &ChatReader::read_confirmation},
    {"session_id", &ChatReader::read_session_id},
}};

namespace {

constexpr std::size_t kUsualMembers = 16;

std::string_view name_of(JsonReader::Kind kind) {
  switch (kind) {
    case JsonReader::Kind::Object:
      return "an object";
    case JsonReader::Kind::Array:
      return "an array";
    case JsonReader::Kind::String:
      return "a string";
    case JsonReader::Kind::Number:
      return "a number";
    case JsonReader::Kind::Bool:
      return "true or false";
    case JsonReader::Kind::Null:
      return "null";
    case JsonReader::Kind::Bad:
      break;
  }
  return "something else";
}

}  // namespace

std::string quoted_briefly(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string out = "'";
  const std::string_view shown = text.substr(0, kLongest);
  out += shown.substr(0, shown.size() - incomplete_utf8_tail(shown));
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  out += text.size() > kLongest ? "…'" : "'";
  return out;
}

ChatReader::ChatReader(std::string_view body, const ChatLimits& limits, KnownParts* known,
                       std::string_view caller)
    : body_(body),
      limits_(limits),
      known_(known),
      caller_(caller),
      reader_(body, limits.max_depth) {
  request_.body = body;
}

Result<ChatRequest> ChatReader::read() {
  if (reader_.failed()) return broken();
  if (reader_.kind() != Kind::Object) {
    const auto found = reader_.kind();
    if (!reader_.skip() || !reader_.at_end()) return broken();
    return fail(Errc::InvalidRequest, "the request body must be a JSON object, not {}",
                name_of(found));
  }
  request_.members.reserve(kUsualMembers);
  reader_.enter();
  while (reader_.next_member())
    if (auto done = read_member(); !done) return std::unexpected(done.error());
  if (!reader_.at_end()) return broken();
  if (auto done = check_whole(); !done) return std::unexpected(done.error());
  return std::move(request_);
}

Result<> ChatReader::read_member() {
  const std::size_t key_offset = reader_.key_offset();
  const std::size_t value_offset = reader_.offset();
  key_ = reader_.key();
  if (reader_.failed()) return broken();
  const auto field = std::ranges::find(kFields, key_, &Field::name);
  if (field == kFields.end()) {
    if (!reader_.skip()) return broken();
  } else {
    if (!once(seen_, static_cast<unsigned>(field - kFields.begin()))) return twice(key_);
    if (auto done = (this->*field->read)(); !done) return done;
  }
  const std::size_t end = reader_.end_offset();
  request_.members.push_back({std::move(key_), body_.substr(key_offset, end - key_offset),
                              body_.substr(value_offset, end - value_offset)});
  return {};
}

Result<> ChatReader::check_whole() {
  if (request_.messages.empty()) {
    const auto given = std::ranges::find(request_.members, "messages", &ChatMember::key);
    if (given == request_.members.end())
      return refuse("messages", "the field is required and must be an array");
    return refuse("messages", "the array must not be empty");
  }
  const auto has = [&](std::string_view key) {
    return std::ranges::find(request_.members, key, &ChatMember::key) != request_.members.end();
  };
  for (const std::size_t first : {kFirstIncludeField, kFirstIncludeField + 3}) {
    const auto names = std::span(kOwnChatFields).subspan(first, 3);
    if (std::ranges::count_if(names, has) > 1)
      return refuse(std::string(*std::ranges::find_if(names, has)),
                    "give only one of {}, they mean the same", fmt::join(names, ", "));
  }
  return {};
}

Result<> ChatReader::read_any() {
  return skip();
}

Result<> ChatReader::read_model() {
  if (take_null()) return {};
  auto model = read_string("model");
  if (!model) return std::unexpected(model.error());
  request_.model = std::move(*model);
  return {};
}

Result<> ChatReader::read_stream() {
  auto stream = read_bool("stream");
  if (!stream) return std::unexpected(stream.error());
  request_.stream = *stream;
  return {};
}

Result<> ChatReader::read_stream_options() {
  if (take_null()) return {};
  if (reader_.kind() != Kind::Object) return wrong_kind("stream_options", "an object");
  std::uint32_t seen = 0;
  reader_.enter();
  while (reader_.next_member()) {
    const bool usage = reader_.key() == "include_usage";
    if (!usage && reader_.key() != "include_tool_events") {
      if (!reader_.skip()) return broken();
      continue;
    }
    const std::string field = "stream_options." + std::string(reader_.key());
    if (!once(seen, usage ? 1 : 0)) return twice(field);
    auto value = read_bool(field);
    if (!value) return std::unexpected(value.error());
    (usage ? request_.include_usage : request_.include_tool_events) = *value;
  }
  if (reader_.failed()) return broken();
  return {};
}

Result<> ChatReader::read_positive() {
  std::int64_t unused = 0;
  return read_integer(key_, 1, unused);
}

Result<> ChatReader::read_choices() {
  std::int64_t choices = 1;
  if (auto done = read_integer(key_, 1, choices); !done) return done;
  request_.choices = static_cast<std::size_t>(choices);
  return {};
}

Result<> ChatReader::read_max_tool_rounds() {
  auto rounds = static_cast<std::int64_t>(request_.max_tool_rounds);
  if (auto done = read_integer(key_, 0, rounds); !done) return done;
  request_.max_tool_rounds = static_cast<std::size_t>(rounds);
  return {};
}

Result<> ChatReader::read_use_vscode_tools() {
  auto value = read_bool(key_);
  if (!value) return std::unexpected(value.error());
  request_.use_registered_tools = *value;
  return {};
}

Result<> ChatReader::read_tool_execution() {
  if (take_null()) return {};
  auto value = read_string(key_);
  if (!value) return std::unexpected(value.error());
  if (*value != "none" && *value != "auto")
    return refuse(key_, "must be \"none\" or \"auto\", not {}", quoted_briefly(*value));
  request_.auto_execute = *value == "auto";
  return {};
}

Result<> ChatReader::read_confirmation() {
  if (take_null()) return {};
  auto value = read_string(key_);
  if (!value) return std::unexpected(value.error());
  if (*value != "wait" && *value != "deny" && *value != "return")
    return refuse(key_, "must be \"wait\", \"deny\" or \"return\", not {}", quoted_briefly(*value));
  using enum ChatRequest::Confirmation;
  request_.confirmation = *value == "wait" ? Wait : *value == "deny" ? Deny : Return;
  return {};
}

Result<> ChatReader::read_session_id() {
  constexpr std::size_t kLongest = 256;
  if (take_null()) return {};
  auto value = read_string(key_);
  if (!value) return std::unexpected(value.error());
  if (value->size() > kLongest)
    return refuse(key_, "has {} bytes, at most {} are allowed", value->size(), kLongest);
  request_.session_id = std::move(*value);
  return {};
}

Result<> ChatReader::read_name_list() {
  if (take_null()) return {};
  if (reader_.kind() != Kind::Array) return wrong_kind(key_, "an array of strings");
  constexpr std::size_t kMost = 10'000;
  std::vector<std::string> names;
  reader_.enter();
  while (reader_.next_element()) {
    if (names.size() == kMost) return refuse(key_, "at most {} names are allowed", kMost);
    if (reader_.kind() != Kind::String)
      return wrong_kind(fmt::format("{}[{}]", key_, names.size()), "a string");
    names.emplace_back(reader_.read_string());
    if (reader_.failed()) return broken();
  }
  if (reader_.failed()) return broken();
  const auto includes = std::span(kOwnChatFields).subspan(kFirstIncludeField, 3);
  const bool is_include = std::ranges::find(includes, key_) != includes.end();
  (is_include ? request_.include_tools : request_.exclude_tools) = std::move(names);
  return {};
}

Result<bool> ChatReader::read_bool(const std::string& field) {
  if (take_null()) return false;
  if (reader_.kind() != Kind::Bool) return wrong_kind(field, "true or false");
  const bool value = reader_.read_token() == "true";
  if (reader_.failed()) return broken();
  return value;
}

Result<std::string> ChatReader::read_string(const std::string& field) {
  if (reader_.kind() != Kind::String) return wrong_kind(field, "a string");
  std::string text(reader_.read_string());
  if (reader_.failed()) return broken();
  return text;
}

Result<> ChatReader::read_integer(const std::string& field, std::int64_t least,
                                  std::int64_t& value) {
  if (take_null()) return {};
  if (reader_.kind() != Kind::Number) return wrong_kind(field, "an integer");
  const std::string_view text = reader_.read_token();
  if (reader_.failed()) return broken();
  const auto [stop, error] = std::from_chars(text.begin(), text.end(), value);
  if (error != std::errc() || stop != text.end() || value < least)
    return refuse(field, "must be an integer of at least {}, not {}", least, text.substr(0, 40));
  return {};
}

std::string_view ChatReader::keep(std::string_view text) {
  const bool in_body = text.data() >= body_.data() && text.data() < body_.data() + body_.size();
  return text.empty() || in_body ? text : kept_.emplace_front(text);
}

bool ChatReader::take_null() {
  if (reader_.kind() != Kind::Null) return false;
  reader_.skip();
  return true;
}

Result<> ChatReader::skip() {
  if (!reader_.skip()) return broken();
  return {};
}

// A malformed value is broken JSON first and of the wrong kind second.
std::unexpected<Error> ChatReader::wrong_kind(const std::string& field, std::string_view wanted) {
  const auto found = name_of(reader_.kind());
  if (!reader_.skip()) return broken();
  return refuse(field, "must be {}, not {}", wanted, found);
}

std::unexpected<Error> ChatReader::twice(const std::string& field) {
  return refuse(field, "the field is given twice");
}

std::unexpected<Error> ChatReader::broken() const {
  const auto at = text_position(body_, reader_.fault_offset());
  return fail(Errc::InvalidJson, "the request body is not valid JSON: line {}, column {}: {}",
              at.line, at.column, reader_.fault());
}

}  // namespace toolgate
