// Reads the last user message and what followed it, and decides by fixed rules.
#include "models/demo_script.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <unordered_map>

#include "base/json.h"

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

std::string string_of(const json::value* value) {
  if (!value || !value->is_string()) return {};
  return std::string(value->get_string());
}

// A string, or the text parts of a list, each on its own line.
std::string content_text(const json::value& message) {
  const auto* content = find(message, "content");
  if (!content || !content->is_array()) return string_of(content);
  std::string out;
  for (const auto& part : content->get_array()) {
    if (string_of(find(part, "type")) != "text") continue;
    if (!out.empty()) out += '\n';
    out += string_of(find(part, "text"));
  }
  return out;
}

using CallNames = std::unordered_map<std::string, std::string>;  // by id

void note_calls(const json::value& message, CallNames& names) {
  const auto* calls = find(message, "tool_calls");
  if (!calls || !calls->is_array()) return;
  for (const auto& call : calls->get_array()) {
    if (const auto* function = find(call, "function"))
      names[string_of(find(call, "id"))] = string_of(find(*function, "name"));
  }
}

Result<Turn> read_turn(const ChatRequest& request) {
  std::size_t first = request.messages.size();
  while (first > 0 && request.messages[first - 1].role != Role::User) --first;
  if (first > 0) --first;

  Turn turn;
  CallNames names;
  for (std::size_t i = first; i < request.messages.size(); ++i) {
    auto message = parse_json(request.messages[i].raw);
    if (!message)
      return fail_at(fmt::format("messages[{}]", i), Errc::InvalidJson, "messages[{}]: {}", i,
                     message.error().message);
    const Role role = request.messages[i].role;
    if (role == Role::User) turn.user_text = content_text(*message);
    if (role == Role::Assistant) note_calls(*message, names);
    if (role == Role::Tool) {
      const auto name = names.find(string_of(find(*message, "tool_call_id")));
      turn.answers.push_back(
          {name == names.end() ? "an earlier call" : name->second, content_text(*message)});
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

std::string tell_offer(const ChatRequest& request) {
  if (request.tools.empty()) return "This request offers no tools.";
  std::string names;
  for (const auto& tool : request.tools) names += (names.empty() ? "#" : ", #") + tool.name;
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

const ChatTool* find_tool(const ChatRequest& request, std::string_view name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (const auto& tool : request.tools)
    if (tool.name == name) return &tool;
  for (const auto& tool : request.tools)
    if (std::ranges::equal(tool.name, name, {}, lower, lower)) return &tool;
  return nullptr;
}

const ChatMember* find_member(const ChatRequest& request, std::string_view key) {
  const auto found = std::ranges::find(request.members, key, &ChatMember::key);
  return found == request.members.end() ? nullptr : &*found;
}

DemoReply call_tools(const ChatRequest& request, const std::vector<DemoReference>& references) {
  DemoReply reply;
  for (const auto& reference : references) {
    const auto* tool = find_tool(request, reference.name);
    if (!tool) {
      reply.text += fmt::format("{}No tool called '{}' is offered.", reply.text.empty() ? "" : " ",
                                reference.name);
    } else if (!reference.fault.empty()) {
      return {fmt::format("The arguments of #{} are no JSON: {}", reference.name, reference.fault)};
    } else if (request.tool_mode != ToolMode::Named || tool->name == request.tool_choice_name) {
      reply.calls.push_back({tool->name, reference.arguments});
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
  if (reply.calls.empty() && reply.text.empty() && must_call && !request.tools.empty()) {
    const bool named = request.tool_mode == ToolMode::Named;
    reply.calls.push_back({named ? request.tool_choice_name : request.tools.front().name, "{}"});
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
    while (at < text.size() && is_name_character(text[at])) ++at;
    if (at == begin) continue;
    DemoReference reference{std::string(text.substr(begin, at - begin)), "{}", {}};
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
