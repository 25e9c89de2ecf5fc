#include "cli/chat_completion.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "cli/json_document.h"

namespace toolgate {
namespace {

bool begins_ignoring_case(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         equal_ignoring_case(text.substr(0, beginning.size()), beginning);
}

std::string common_beginning(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    const auto differs = std::ranges::mismatch(common, word);
    common.erase(differs.in1, common.end());
  }
  common.resize(common.size() - incomplete_utf8_tail(common));
  return common;
}

Completion choose(std::size_t from, std::string_view typed, std::vector<std::string> words) {
  if (words.empty()) return {};
  if (words.size() == 1) return {.from = from, .text = words.front() + " "};
  const std::string common = common_beginning(words);
  if (common.size() > typed.size()) return {.from = from, .text = common};
  return {.from = from, .choices = std::move(words)};
}

Completion choose_of(const std::vector<std::string>& all, std::size_t from,
                     std::string_view typed) {
  std::vector<std::string> found;
  for (const std::string& word : all)
    if (word.starts_with(typed)) found.push_back(word);
  if (found.empty())
    for (const std::string& word : all)
      if (begins_ignoring_case(word, typed)) found.push_back(word);
  return choose(from, typed, std::move(found));
}

void add_name(std::vector<std::string>& names, const JsonNode& node, std::string_view key) {
  std::string name = text_of(node, key);
  if (!name.empty() && name.find_first_of(" \t\n\"") == name.npos) names.push_back(std::move(name));
}

void add_tool(std::vector<std::string>& names, const JsonNode& tool) {
  const JsonNode* may = tool.find("canBeReferencedInPrompt");
  if (may && !truth_of(tool, "canBeReferencedInPrompt")) return;
  add_name(names, tool, tool.find("toolReferenceName") ? "toolReferenceName" : "name");
  add_name(names, tool, "fullReferenceName");
}

}  // namespace

Completion complete_chat(std::string_view text, std::size_t cursor, const ChatWords& words) {
  const std::string_view before = text.substr(0, cursor);
  const std::size_t white = before.find_last_of(" \t\n");
  const std::size_t from = white == before.npos ? 0 : white + 1;
  const std::string_view word = before.substr(from);
  if (from == 0 && word.starts_with('/')) return choose_of(words.commands, 0, word);
  if (before.starts_with("/model ")) return choose_of(words.models, from, word);
  if (before.starts_with("/approvals ")) return choose_of({"list", "reset", "revoke"}, from, word);
  const std::size_t hash = word.rfind('#');
  if (hash == word.npos) return {};
  if (hash > 0 && !std::string_view("([{\"'`,;:").contains(word[hash - 1])) return {};
  return choose_of(words.references, from + hash + 1, word.substr(hash + 1));
}

std::vector<std::string> read_reference_names(std::string tools, std::string toolsets) {
  std::vector<std::string> names;
  const auto tool_list = JsonDocument::parse(std::move(tools));
  if (const JsonNode* list = tool_list ? tool_list->root().find("data") : nullptr)
    for (const JsonNode* tool = list->first; tool; tool = tool->next) add_tool(names, *tool);
  const auto set_list = JsonDocument::parse(std::move(toolsets));
  if (const JsonNode* list = set_list ? set_list->root().find("data") : nullptr)
    for (const JsonNode* set = list->first; set; set = set->next) {
      const JsonNode* members = set->find("members");
      if (!members || members->size == 0) continue;
      add_name(names, *set, "referenceName");
      add_name(names, *set, "fullReferenceName");
    }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

}  // namespace toolgate
