// Reads command lines, each a JSON string on a line of standard input, and writes for each a line
// of
// {"approved", "reason", "commands", "redirections"}, or {"refused"}: what shell.test.mjs compares
// with bash. The first argument is the workspace.
#include <iostream>
#include <string>

#include "base/json.h"
#include "builtin/command_rules.h"
#include "builtin/shell_command.h"

namespace {

using namespace toolgate;

json::value write_word(const ShellWord& word) {
  return json::object{{"text", word.text}, {"known", word.is_known}};
}

json::object look_at(std::string_view line, const CommandPlaces& places) {
  const CommandVerdict verdict = judge_command_line({line}, default_command_rules(), places);
  json::object answer{{"approved", verdict.is_approved}, {"reason", verdict.reason}};
  const auto script = parse_shell_script(line);
  if (!script) {
    answer["refused"] = script.error().message;
    return answer;
  }
  json::array commands;
  for (const ShellCommand& command : script->commands) {
    json::array words;
    for (const ShellWord& word : command.words) words.push_back(write_word(word));
    commands.push_back(std::move(words));
  }
  json::array redirections;
  for (const ShellRedirection& redirection : script->redirections) {
    json::object written = write_word(redirection.target).get_object();
    written["writes"] = redirection.writes;
    redirections.push_back(std::move(written));
  }
  answer["commands"] = std::move(commands);
  answer["redirections"] = std::move(redirections);
  return answer;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string folder = count > 1 ? arguments[1] : "/workspace";
  const CommandPlaces places{.folder = folder,
                             .edits = default_edit_rules(),
                             .places = {.workspaces = {folder}, .home = "/home/nobody"}};
  for (std::string line; std::getline(std::cin, line);) {
    const auto text = parse_json(line);
    if (!text || !text->is_string()) return 1;
    std::cout << write_json(json::value(look_at(text->get_string(), places))) << '\n';
  }
}
