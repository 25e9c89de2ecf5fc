// chat.tools.terminal.autoApprove: which command lines run without a question. A line is taken
// apart (shell_command.h), and each command in it must be allowed; a rule that says no wins over
// one that says yes. Pure, but for where redirections lead. run_in_terminal and run_task ask it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "invoke/edit_approval.h"
#include "schema/pattern.h"

namespace toolgate {

struct ShellWord;

// A key is the beginning of a command ("git status") or /a regular expression/flags.
struct CommandRule {
  using WordCheck = bool (*)(std::span<const ShellWord> words);

  std::string key;
  std::optional<bool> approve = {};             // nothing: as if the rule were not there
  bool matches_whole_line = false;              // instead of each command
  std::shared_ptr<const Pattern> pattern = {};  // of a regular expression
  WordCheck check = nullptr;                    // of ours: looks at the words instead
};
// The error says what is wrong with the key. One that may be a path as well as an expression, such
// as /usr/bin/id, is wrong.
Result<CommandRule> make_command_rule(std::string_view key, std::optional<bool> approve,
                                      bool matches_whole_line);

// What VS Code's list does: reading is allowed, but for options that write or run something.
const std::vector<CommandRule>& default_command_rules();
// `rule` takes the place of one with the same key.
void set_command_rule(std::vector<CommandRule>& rules, CommandRule rule);

struct CommandPlaces {
  std::string folder;           // that the line runs in
  std::vector<EditRule> edits;  // chat.tools.edits.autoApprove, for redirections
  EditPlaces places;
};

// What runs: a line of the shell, or a program with its arguments as such a line.
struct CommandLine {
  std::string_view text;
  std::span<const std::string> variables = {};  // names that its environment has besides the usual
};

struct CommandVerdict {
  bool is_approved = false;
  std::string reason;  // a sentence: which rule, or why a person must be asked
};
CommandVerdict judge_command_line(const CommandLine& line, std::span<const CommandRule> rules,
                                  const CommandPlaces& places);

}  // namespace toolgate
