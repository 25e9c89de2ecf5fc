// Options that make programs which read and print write or run something, and builtins of the
// shell that evaluate their arguments. Word by word, as the programs see them. Pure;
// command_rules.h asks it.
#pragma once

#include <span>
#include <string_view>

#include "builtin/shell_command.h"

namespace toolgate {

// A refusing rule among the default ones: its key, and whether it holds for a command.
struct OptionCheck {
  std::string_view key;  // "find options"
  bool (*holds)(std::span<const ShellWord> words);
};
std::span<const OptionCheck> writing_option_checks();

// printf -v, test, unset and others take the name of a variable, whose subscript bash evaluates
// and runs the commands in; let evaluates whatever it gets. Whatever the rules say, that is asked.
bool evaluates_arguments(std::span<const ShellWord> words);

}  // namespace toolgate
