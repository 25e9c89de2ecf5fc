// Command lines: whatever stands there, the parser ends; a word that is known reads back as itself;
// and a line with a command that must be asked about is never approved.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "builtin/command_rules.h"
#include "builtin/shell_command.h"
#include "fuzz/require.h"

namespace {

using namespace toolgate;

void check_round_trip(const ShellCommand& command) {
  std::vector<ShellWord> words{{.text = "x", .is_known = true}};
  for (const ShellWord& word : command.words)
    if (word.is_known) words.push_back(word);
  const auto again = parse_shell_script(write_shell_words(words));
  if (!again) return;  // a line break in quotes is too long together
  require(again->commands.size() == 1, "one command is one command");
  const auto& read = again->commands[0].words;
  require(read.size() == words.size(), "as many words");
  for (std::size_t i = 0; i < words.size(); ++i)
    require(read[i].text == words[i].text && read[i].is_known, "each word is the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const auto script = parse_shell_script(line);
  const CommandPlaces places{
      .folder = "/w", .edits = {}, .places = {.workspaces = {"/w"}, .home = "/h"}};
  const bool is_approved = judge_command_line({line}, default_command_rules(), places).is_approved;
  if (!script) {
    require(!is_approved, "what cannot be read is asked about");
    return 0;
  }
  for (const ShellCommand& command : script->commands) {
    check_round_trip(command);
    if (!command.words.empty() && (command.words[0].text == "rm" || !command.words[0].is_known))
      require(!is_approved, "what must be asked about is not approved");
    const bool deletes =
        std::ranges::find(command.words, "-delete", &ShellWord::text) != command.words.end();
    if (deletes && command.words[0].text == "find")
      require(!is_approved, "an option that writes is not approved");
  }
  return 0;
}
