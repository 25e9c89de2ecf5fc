// Reads the last user message and what followed it, and decides by fixed rules.
#include "models/demo_script.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <unordered_map>

#include "base/ascii.h"
#include "base/json.h"
#include "wire/chat_message.h"

namespace toolgate {
namespace {

constexpr std::size_t kLongestResult = 2000;  // characters

struct ToolAnswer {
  std::string name;
  std::string text;
};

struct Turn {
  std::string user_text;
  std::vector<ToolAnswer> answers;  // since that text
};

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The name behind '#': plain, in quotes, or full, as `tool:set/name` or `set/name`. `at` moves
// behind it.
std::string_view referenced_name(std::string_view text, std::size_t& at) {
  constexpr std::string_view kPrefix = "tool:";
  if (text.starts_with(kPrefix)) {
    text.remove_prefix(kPrefix.size());
    at += kPrefix.size();
  }
  if (text.starts_with('"')) {
    const std::size_t end = text.find_first_of("\"\n", 1);
    if (end == text.npos || text[end] != '"') return {};
    at += end + 1;
    return text.substr(1, end - 1);
  }
  std::size_t size = 0;
  while (size < text.size() &&
         (is_name_character(text[size]) || text[size] == '.' || (text[size] == '/' && size > 0)))
    ++size;
  while (size > 0 && !is_name_character(text[size - 1])) --size;
  at += size;
  return text.substr(0, size);
}

// "C#" and "page#top" are no references.
bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || is_space(text[at - 1]) || std::string_view("([{\"'`,;:").contains(text[at - 1]);
}

// The object that begins with the text, or all of the text when it has no end.
std::string_view leading_object(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return text.substr(0, i + 1);
    }
  }
  return text;
}

using CallNames = std::unordered_map<std::string, std::string>;  // by id

std::string_view text_of_message(const ChatRequest& request, std::size_t number) {
  const auto replaced =
      std::ranges::find(request.replaced_messages, number, &ChatRequest::ReplacedMessage::number);
  return replaced == request.replaced_messages.end() ? request.messages[number].raw
                                                     : std::string_view(replaced->text);
}

Result<Turn> read_turn(const ChatRequest& request) {
  std::size_t first = request.messages.size();
  while (first > 0 && request.messages[first - 1].role != Role::User) --first;
  if (first > 0) --first;

  Turn turn;
  CallNames names;
  for (std::size_t i = first; i < request.messages.size(); ++i) {
    auto message = parse_json(text_of_message(request, i));
    if (!message)
      return fail_at(fmt::format("messages[{}]", i), Errc::InvalidJson, "messages[{}]: {}", i,
                     message.error().message);
    const Role role = request.messages[i].role;
    if (role == Role::User) turn.user_text = message_text(*message);
    if (role == Role::Assistant)
      for (auto& call : calls_in(*message)) names[std::move(call.id)] = std::move(call.name);
    if (role == Role::Tool) {
      const auto name = names.find(std::string(id_of_answer(*message)));
      turn.answers.push_back(
          {name == names.end() ? "an earlier call" : name->second, message_text(*message)});
    }
  }
  return turn;
}

std::string shorten(const std::string& text) {
  std::size_t characters = 0;
  std::size_t end = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (characters == kLongestResult) end = i;
    ++characters;
  }
  if (end == text.size()) return text;
  return fmt::format("{}… (cut, {} characters in all)", std::string_view(text).substr(0, end),
                     characters);
}

std::string tell_answers(const Turn& turn) {
  std::string out;
  for (const auto& answer : turn.answers)
    out += fmt::format("{}{} answered: {}", out.empty() ? "" : "\n\n", answer.name,
                       shorten(answer.text));
  return out;
}

struct Offered {
  std::string_view name;
  std::string_view reference_name;  // may be empty
};

std::vector<Offered> offered_tools(const ChatRequest& request) {
  std::vector<Offered> offered;
  for (const auto& tool : request.tools) offered.push_back({tool.name, {}});
  if (request.added)
    for (const auto& tool : request.added->tools)
      offered.push_back({tool.name, tool.reference_name});
  return offered;
}

std::string tell_offer(const ChatRequest& request) {
  constexpr std::size_t kMost = 40;
  const auto offered = offered_tools(request);
  if (offered.empty()) return "This request offers no tools.";
  std::string names;
  for (std::size_t i = 0; i < std::min(offered.size(), kMost); ++i) {
    const Offered& tool = offered[i];
    names += names.empty() ? "#" : ", #";
    names += tool.reference_name.empty() ? tool.name : tool.reference_name;
  }
  if (offered.size() > kMost) names += fmt::format(" and {} more", offered.size() - kMost);
  return "Offered are: " + names + ".";
}

std::string introduce(const ChatRequest& request) {
  return "I am Toolgate's demo model, a script and no intelligence. Write # and the name of a "
         "tool, "
         "with its arguments as JSON behind it, and I call it, like #readFile "
         "{\"filePath\":\"README.md\"}. Several of them are called at once, and I answer with what "
         "comes back. " +
         tell_offer(request);
}

// The name of the tool that a person calls `name`; empty when none is offered.
std::string_view find_tool(const std::vector<Offered>& offered, std::string_view name) {
  for (const Offered& tool : offered)
    if (tool.name == name || tool.reference_name == name) return tool.name;
  // Of a full name, the part behind the set or extension.
  const std::string_view last = name.substr(name.rfind('/') + 1);
  for (const Offered& tool : offered)
    if (!last.empty() && tool.reference_name == last) return tool.name;
  for (const Offered& tool : offered)
    if (equal_ignoring_case(tool.name, name)) return tool.name;
  return {};
}

const ChatMember* find_member(const ChatRequest& request, std::string_view key) {
  const auto found = std::ranges::find(request.members, key, &ChatMember::key);
  return found == request.members.end() ? nullptr : &*found;
}

DemoReply call_tools(const ChatRequest& request, const std::vector<DemoReference>& references) {
  DemoReply reply;
  const auto offered = offered_tools(request);
  for (const auto& reference : references) {
    const auto tool = find_tool(offered, reference.name);
    if (tool.empty()) {
      reply.text += fmt::format("{}No tool called '{}' is offered.", reply.text.empty() ? "" : " ",
                                reference.name);
    } else if (!reference.fault.empty()) {
      return {fmt::format("The arguments of #{} are no JSON: {}", reference.name, reference.fault)};
    } else if (request.tool_mode != ToolMode::Named || tool == request.tool_choice_name) {
      reply.calls.push_back({std::string(tool), reference.arguments});
    }
  }
  if (!reply.text.empty()) reply.text += " " + tell_offer(request);
  return reply;
}

DemoReply decide(const ChatRequest& request, const Turn& turn) {
  if (!turn.answers.empty()) return {tell_answers(turn)};
  const auto references = find_demo_references(turn.user_text);
  if (request.tool_mode == ToolMode::None && !references.empty())
    return {"I call nothing, because tool_choice is \"none\"."};

  auto reply = call_tools(request, references);
  const bool must_call =
      request.tool_mode == ToolMode::Required || request.tool_mode == ToolMode::Named;
  const auto offered = offered_tools(request);
  if (reply.calls.empty() && reply.text.empty() && must_call && !offered.empty()) {
    const bool named = request.tool_mode == ToolMode::Named;
    reply.calls.push_back(
        {named ? request.tool_choice_name : std::string(offered.front().name), "{}"});
  }
  const auto* parallel = find_member(request, "parallel_tool_calls");
  if (parallel && parallel->value == "false" && reply.calls.size() > 1) reply.calls.resize(1);
  if (reply.calls.empty() && reply.text.empty()) reply.text = introduce(request);
  return reply;
}

std::size_t word_limit(const ChatRequest& request) {
  std::size_t limit = SIZE_MAX;
  for (const char* key : {"max_tokens", "max_completion_tokens"}) {
    const auto* member = find_member(request, key);
    std::size_t value = 0;
    if (!member) continue;
    if (std::from_chars(member->value.begin(), member->value.end(), value).ec == std::errc())
      limit = std::min(limit, value);
  }
  return limit;
}

void cut_text(DemoReply& reply, std::size_t limit) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < reply.text.size(); ++i) {
    const bool begins = !is_space(reply.text[i]) && (i == 0 || is_space(reply.text[i - 1]));
    if (!begins || words++ < limit) continue;
    while (i > 0 && is_space(reply.text[i - 1])) --i;
    reply.text.resize(i);
    reply.cut = true;
    return;
  }
}

}  // namespace

std::vector<DemoReference> find_demo_references(std::string_view text) {
  constexpr std::size_t kMost = 128;
  std::vector<DemoReference> found;
  for (std::size_t at = 0; found.size() < kMost && (at = text.find('#', at)) != text.npos;) {
    const std::size_t begin = ++at;
    if (!begins_word(text, begin - 1)) continue;
    const std::string_view name = referenced_name(text.substr(begin), at);
    if (name.empty()) continue;
    DemoReference reference{std::string(name), "{}", {}};
    std::size_t behind = at;
    while (behind < text.size() && is_space(text[behind])) ++behind;
    if (behind < text.size() && text[behind] == '{') {
      reference.arguments = leading_object(text.substr(behind));
      at = behind + reference.arguments.size();
      if (const auto parsed = parse_json(reference.arguments); !parsed)
        reference.fault = parsed.error().message;
    }
    found.push_back(std::move(reference));
  }
  return found;
}

Result<DemoReply> make_demo_reply(const ChatRequest& request) {
  auto turn = read_turn(request);
  if (!turn) return std::unexpected(turn.error());
  auto reply = decide(request, *turn);
  cut_text(reply, word_limit(request));
  return reply;
}

}  // namespace toolgate
