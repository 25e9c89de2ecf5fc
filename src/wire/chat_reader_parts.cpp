// Messages, tools and tool_choice: the members of a chat request with rules of their own.
// chat_reader.cpp calls.
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "wire/chat_reader.h"

namespace toolgate {
namespace {

constexpr std::array<std::string_view, 6> kRoles{"system",    "developer", "user",
                                                 "assistant", "tool",      "function"};

constexpr std::array<std::string_view, 4> kMessageKeys{"role", "content", "tool_calls",
                                                       "tool_call_id"};
constexpr std::array<std::string_view, 3> kCallKeys{"id", "type", "function"};
constexpr std::array<std::string_view, 1> kNameKey{"name"};
constexpr std::array<std::string_view, 1> kTypeKey{"type"};
constexpr std::array<std::string_view, 2> kToolKeys{"type", "function"};
constexpr std::array<std::string_view, 3> kFunctionKeys{"name", "description", "parameters"};

// Requests have a message for about that many bytes; a list that grows moves all it holds.
constexpr std::size_t kBytesPerMessage = 512;
constexpr std::size_t kMostExpectedMessages = 1'000;

}  // namespace

Result<> ChatReader::read_messages() {
  if (reader_.kind() != Kind::Array) return wrong_kind("messages", "an array");
  request_.messages.reserve(std::min(body_.size() / kBytesPerMessage + 1, kMostExpectedMessages));
  reader_.enter();
  const std::size_t begin = reader_.offset();
  const auto beginning = take_known_messages();
  while (reader_.next_element()) {
    if (request_.messages.size() == limits_.max_messages)
      return refuse("messages", "at most {} messages are allowed", limits_.max_messages);
    if (auto done = read_message(); !done) return done;
  }
  if (reader_.failed()) return broken();
  keep_messages(begin, beginning);
  return {};
}

KnownMessages::Beginning ChatReader::take_known_messages() {
  if (!known_) return {};
  const std::size_t begin = reader_.offset();
  const auto beginning = known_->messages.find(caller_, body_.substr(begin));
  if (beginning.size == 0 || beginning.messages.size() > limits_.max_messages) return {};
  const char* const first = body_.data() + begin;
  for (const auto& message : beginning.messages)
    request_.messages.push_back({message.role, {first + message.begin, first + message.end}});
  call_ids_.reserve(beginning.call_ids.size());
  for (const auto& id : beginning.call_ids) call_ids_.emplace_back(first + id.begin, id.size);
  reader_.next_element();
  reader_.pass(beginning.size);
  return beginning;
}

// An id that is written with escapes does not stand in the body; such conversations are rare.
void ChatReader::keep_messages(std::size_t begin, const KnownMessages::Beginning& beginning) {
  if (!known_ || request_.messages.empty() || !kept_.empty()) return;
  const std::string_view last = request_.messages.back().raw;
  const char* const first = body_.data() + begin;
  known_->messages.keep(caller_, beginning, {first, last.data() + last.size()}, request_.messages,
                        call_ids_);
}

Result<> ChatReader::read_message() {
  const auto number = request_.messages.size();
  const auto field = [&](std::string_view name) {
    return fmt::format("messages[{}].{}", number, name);
  };
  if (reader_.kind() != Kind::Object)
    return wrong_kind(fmt::format("messages[{}]", number), "an object");
  const std::size_t begin = reader_.offset();
  std::uint32_t seen = 0;
  std::optional<Role> role;
  std::string_view tool_call_id;
  message_calls_.clear();

  reader_.enter();
  for (std::size_t key = 0; reader_.next_member<kMessageKeys>(key);) {
    if (key == kMessageKeys.size()) {
      if (!reader_.skip()) return broken();
      continue;
    }
    if (!once(seen, static_cast<unsigned>(key))) return twice(field(kMessageKeys[key]));
    switch (key) {
      case 0: {
        auto read = read_role();
        if (!read) return std::unexpected(read.error());
        role = *read;
        break;
      }
      case 1:
        if (auto done = read_content(); !done) return done;
        break;
      case 2:
        if (auto done = read_tool_calls(); !done) return done;
        break;
      default:
        if (reader_.kind() == Kind::String)
          tool_call_id = keep(reader_.read_string());
        else if (!take_null())
          return wrong_kind(field("tool_call_id"), "a string");
    }
  }
  if (reader_.failed()) return broken();

  if (!role)
    return refuse(field("role"), "the field is required; it is one of {}", fmt::join(kRoles, ", "));
  if (*role == Role::Tool) {
    if (tool_call_id.empty())
      return refuse(field("tool_call_id"),
                    "a message with role 'tool' must say which call it answers");
    if (auto done = check_tool_call_id(tool_call_id); !done) return done;
  }
  if (*role == Role::Assistant)
    call_ids_.insert(call_ids_.end(), message_calls_.begin(), message_calls_.end());
  request_.messages.emplace_back(*role, body_.substr(begin, reader_.end_offset() - begin));
  return {};
}

Result<Role> ChatReader::read_role() {
  const auto field = [&] { return fmt::format("messages[{}].role", request_.messages.size()); };
  if (reader_.kind() != Kind::String) return wrong_kind(field(), "a string");
  const std::size_t begin = reader_.offset();
  const std::size_t role = reader_.read_string_among<kRoles>();
  if (reader_.failed()) return broken();
  if (role == kRoles.size())
    return refuse(field(), "must be one of {}, not {}", fmt::join(kRoles, ", "),
                  quoted_briefly(body_.substr(begin + 1, reader_.end_offset() - begin - 2)));
  return static_cast<Role>(role);
}

Result<> ChatReader::read_content() {
  if (reader_.kind() == Kind::String || reader_.kind() == Kind::Null) return skip();
  if (reader_.kind() != Kind::Array)
    return wrong_kind(fmt::format("messages[{}].content", request_.messages.size()),
                      "a string, an array or null");
  reader_.enter();
  for (std::size_t part = 0; reader_.next_element(); ++part)
    if (auto done = read_part(part); !done) return done;
  if (reader_.failed()) return broken();
  return {};
}

Result<> ChatReader::read_part(std::size_t part) {
  const auto field = [&](std::string_view rest) {
    return fmt::format("messages[{}].content[{}]{}", request_.messages.size(), part, rest);
  };
  if (reader_.kind() != Kind::Object) return wrong_kind(field(""), "an object");
  std::uint32_t seen = 0;
  reader_.enter();
  for (std::size_t key = 0; reader_.next_member<kTypeKey>(key);) {
    if (key == 0) {
      if (!once(seen, 0)) return twice(field(".type"));
      if (reader_.kind() != Kind::String) return wrong_kind(field(".type"), "a string");
    }
    if (!reader_.skip()) return broken();
  }
  if (reader_.failed()) return broken();
  if (!seen) return refuse(field(".type"), "the field is required and must be a string");
  return {};
}

Result<> ChatReader::read_tool_calls() {
  if (take_null()) return {};
  if (reader_.kind() != Kind::Array)
    return wrong_kind(fmt::format("messages[{}].tool_calls", request_.messages.size()), "an array");
  reader_.enter();
  while (reader_.next_element())
    if (auto done = read_tool_call(); !done) return done;
  if (reader_.failed()) return broken();
  return {};
}

Result<> ChatReader::read_tool_call() {
  const auto field = [&](std::string_view rest) {
    return fmt::format("messages[{}].tool_calls[{}]{}", request_.messages.size(),
                       message_calls_.size(), rest);
  };
  if (reader_.kind() != Kind::Object) return wrong_kind(field(""), "an object");
  std::string_view id;
  std::string_view type = "function";
  bool has_name = false;
  std::uint32_t seen = 0;
  reader_.enter();
  for (std::size_t key = 0; reader_.next_member<kCallKeys>(key);) {
    if (key < kCallKeys.size() && !once(seen, static_cast<unsigned>(key)))
      return twice(field("." + std::string(kCallKeys[key])));
    if (key == 0) {
      if (reader_.kind() != Kind::String) return wrong_kind(field(".id"), "a string");
      id = keep(reader_.read_string());
    } else if (key == 1) {
      if (reader_.kind() != Kind::String) return wrong_kind(field(".type"), "a string");
      type = keep(reader_.read_string());
    } else if (key == 2 && reader_.kind() == Kind::Object) {
      reader_.enter();
      for (std::size_t name = 0; reader_.next_member<kNameKey>(name);) {
        if (name == 0 && !once(seen, kCallKeys.size())) return twice(field(".function.name"));
        if (name == 0) has_name = reader_.kind() == Kind::String;
        if (!reader_.skip()) return broken();
      }
    } else if (!reader_.skip()) {
      return broken();
    }
  }
  if (reader_.failed()) return broken();

  if (id.empty()) return refuse(field(".id"), "the field is required and must not be empty");
  if (type != "function" && type != "custom")
    return refuse(field(".type"), "must be \"function\" or \"custom\", not {}",
                  quoted_briefly(type));
  if (type == "function" && !has_name)
    return refuse(field(".function.name"), "the field is required and must be a string");
  message_calls_.push_back(id);
  return {};
}

// Results mostly answer one of the latest calls; a set of all is made only for those that do not.
bool ChatReader::knows_call(std::string_view id) {
  constexpr std::size_t kLatest = 32;
  const std::size_t latest = std::min(call_ids_.size(), kLatest);
  const auto end = call_ids_.rbegin() + static_cast<std::ptrdiff_t>(latest);
  if (std::find(call_ids_.rbegin(), end, id) != end) return true;
  if (latest == call_ids_.size()) return false;
  for (; indexed_calls_ < call_ids_.size(); ++indexed_calls_)
    call_index_.insert(call_ids_[indexed_calls_]);
  return call_index_.contains(id);
}

Result<> ChatReader::check_tool_call_id(std::string_view id) {
  constexpr std::size_t kShown = 5;
  if (knows_call(id)) return {};
  auto field = fmt::format("messages[{}].tool_call_id", request_.messages.size());
  if (call_ids_.empty())
    return refuse(std::move(field), "{} refers to no earlier tool call; there was none",
                  quoted_briefly(id));
  std::string known;
  const std::size_t first = call_ids_.size() - std::min(call_ids_.size(), kShown);
  for (std::size_t i = first; i < call_ids_.size(); ++i)
    known += (i > first ? ", " : "") + quoted_briefly(call_ids_[i]);
  return refuse(std::move(field), "{} refers to no earlier tool call; {}known ids: {}",
                quoted_briefly(id), first ? "last " : "", known);
}

Result<> ChatReader::read_tools() {
  if (take_null()) return {};
  if (reader_.kind() != Kind::Array) return wrong_kind("tools", "an array");
  if (take_known_tools()) return {};
  const std::size_t begin = reader_.offset();
  std::size_t count = 0;
  reader_.enter();
  for (; reader_.next_element(); ++count) {
    if (auto done = count < limits_.max_tools ? read_tool() : skip(); !done) return done;
  }
  if (reader_.failed()) return broken();
  if (count > limits_.max_tools)
    return refuse("tools", "{} tools were given, at most {} are allowed (toolgate.limits.tools)",
                  count, limits_.max_tools);
  if (known_)
    known_->tools.add(caller_, body_.substr(begin, reader_.end_offset() - begin), request_.tools);
  return {};
}

bool ChatReader::take_known_tools() {
  if (!known_) return false;
  const std::size_t begin = reader_.offset();
  const auto* list = known_->tools.find(caller_, body_.substr(begin));
  if (!list || list->tools.size() > limits_.max_tools) return false;
  request_.tools.reserve(list->tools.size());
  for (const auto& tool : list->tools)
    request_.tools.push_back({tool.name, body_.substr(begin + tool.begin, tool.size), nullptr});
  reader_.pass(list->text.size());
  return true;
}

Result<> ChatReader::read_tool() {
  const auto field = [&](std::string_view rest) {
    return fmt::format("tools[{}]{}", request_.tools.size(), rest);
  };
  if (reader_.kind() != Kind::Object) return wrong_kind(field(""), "an object");
  const std::size_t begin = reader_.offset();
  std::uint32_t seen = 0;
  ChatTool tool;
  std::string_view type;
  bool has_function = false;

  reader_.enter();
  for (std::size_t key = 0; reader_.next_member<kToolKeys>(key);) {
    if (key == 0) {
      if (!once(seen, 0)) return twice(field(".type"));
      if (reader_.kind() != Kind::String) return wrong_kind(field(".type"), "\"function\"");
      type = keep(reader_.read_string());
    } else if (key == 1) {
      if (!once(seen, 1)) return twice(field(".function"));
      if (reader_.kind() != Kind::Object) return wrong_kind(field(".function"), "an object");
      has_function = true;
      if (auto done = read_function(tool); !done) return done;
    } else if (!reader_.skip()) {
      return broken();
    }
  }
  if (reader_.failed()) return broken();

  if (!(seen & 1)) return refuse(field(".type"), "the field is required and must be \"function\"");
  if (type != "function")
    return refuse(field(".type"), "must be \"function\", not {}", quoted_briefly(type));
  if (!has_function) return refuse(field(".function"), "the field is required, an object");
  if (auto done = check_tool_name(tool.name); !done) return done;
  tool.raw = body_.substr(begin, reader_.end_offset() - begin);
  request_.tools.push_back(std::move(tool));
  return {};
}

Result<> ChatReader::read_function(ChatTool& tool) {
  const auto field = [&](std::string_view name) {
    return fmt::format("tools[{}].function.{}", request_.tools.size(), name);
  };
  std::uint32_t seen = 0;
  reader_.enter();
  for (std::size_t key = 0; reader_.next_member<kFunctionKeys>(key);) {
    if (key < kFunctionKeys.size() && !once(seen, static_cast<unsigned>(key)))
      return twice(field(kFunctionKeys[key]));
    if (key == 0) {
      if (reader_.kind() != Kind::String) return wrong_kind(field("name"), "a string");
      tool.name = reader_.read_string();
      continue;
    }
    if (key == 2) {
      if (reader_.kind() != Kind::Object && reader_.kind() != Kind::Null)
        return wrong_kind(field("parameters"), "an object (JSON Schema)");
    } else if (key == 1) {
      if (reader_.kind() != Kind::String && reader_.kind() != Kind::Null)
        return wrong_kind(field("description"), "a string");
    }
    if (!reader_.skip()) return broken();
  }
  if (reader_.failed()) return broken();
  return {};
}

Result<> ChatReader::check_tool_name(const std::string& name) {
  const auto number = request_.tools.size();
  const auto field = [&] { return fmt::format("tools[{}].function.name", number); };
  if (name.empty()) return refuse(field(), "the field is required and must not be empty");
  if (!is_tool_name(name))
    return refuse(field(), "{} is no valid name: 1 to 64 letters, digits, '_' and '-' are allowed",
                  quoted_briefly(name));
  const auto same = std::ranges::find(request_.tools, name, &ChatTool::name);
  if (same != request_.tools.end())
    return refuse(field(), "tools[{}] and tools[{}] are both called '{}'",
                  same - request_.tools.begin(), number, name);
  return {};
}

Result<> ChatReader::read_tool_choice() {
  if (take_null()) return {};
  if (reader_.kind() == Kind::Object) return read_tool_choice_object();
  if (reader_.kind() != Kind::String)
    return wrong_kind("tool_choice", "\"none\", \"auto\", \"required\" or an object");
  const std::string_view text = reader_.read_string();
  if (reader_.failed()) return broken();
  if (text == "none")
    request_.tool_mode = ToolMode::None;
  else if (text == "auto")
    request_.tool_mode = ToolMode::Auto;
  else if (text == "required")
    request_.tool_mode = ToolMode::Required;
  else
    return refuse("tool_choice", "must be \"none\", \"auto\", \"required\" or an object, not {}",
                  quoted_briefly(text));
  return {};
}

Result<> ChatReader::read_tool_choice_object() {
  std::uint32_t seen = 0;
  std::string type;
  std::optional<std::string> name;
  reader_.enter();
  while (reader_.next_member()) {
    const std::string_view key = reader_.key();
    if (key == "type") {
      if (!once(seen, 0)) return twice("tool_choice.type");
      auto read = read_string("tool_choice.type");
      if (!read) return std::unexpected(read.error());
      type = std::move(*read);
    } else if (key == "function") {
      if (!once(seen, 1)) return twice("tool_choice.function");
      auto read = read_choice_function();
      if (!read) return std::unexpected(read.error());
      name = std::move(*read);
    } else if (!reader_.skip()) {
      return broken();
    }
  }
  if (reader_.failed()) return broken();

  if (type == "allowed_tools") {
    request_.tool_mode = ToolMode::Subset;
    return {};
  }
  if (type != "function")
    return refuse("tool_choice.type", "must be \"function\" or \"allowed_tools\", not {}",
                  quoted_briefly(type));
  if (!name || name->empty())
    return refuse("tool_choice.function.name", "the field is required and must not be empty");
  request_.tool_mode = ToolMode::Named;
  request_.tool_choice_name = std::move(*name);
  return {};
}

Result<std::string> ChatReader::read_choice_function() {
  if (reader_.kind() != Kind::Object) return wrong_kind("tool_choice.function", "an object");
  std::uint32_t seen = 0;
  std::string name;
  reader_.enter();
  while (reader_.next_member()) {
    if (reader_.key() != "name") {
      if (!reader_.skip()) return broken();
      continue;
    }
    if (!once(seen, 0)) return twice("tool_choice.function.name");
    auto read = read_string("tool_choice.function.name");
    if (!read) return read;
    name = std::move(*read);
  }
  if (reader_.failed()) return broken();
  return name;
}

}  // namespace toolgate
