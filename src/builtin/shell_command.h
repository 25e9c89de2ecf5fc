// A command line as bash would read it, taken apart into the commands it would run: those in
// pipes, lists, groups, loops, substitutions and here-documents too. Pure. What it does not know
// for certain is an error, so that a person is asked; command_rules.h judges what it finds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace toolgate {

struct ShellWord {
  std::string text;      // without quotes
  bool is_known = true;  // false: what it becomes is known only when it runs ($x, *, {a,b}, …)
};

struct ShellRedirection {
  ShellWord target;
  bool writes = false;
};

// One program with its arguments, or assignments alone.
struct ShellCommand {
  std::vector<std::string> assignments;  // names
  std::vector<ShellWord> words;
};

struct ShellScript {
  std::vector<ShellCommand> commands;
  std::vector<ShellRedirection> redirections;  // to and from files
};

// In no particular order. The error says what cannot be read.
Result<ShellScript> parse_shell_script(std::string_view text);

// A command as one line: words with plain characters as they are, others in single quotes.
std::string write_shell_words(const std::vector<ShellWord>& words);

}  // namespace toolgate
