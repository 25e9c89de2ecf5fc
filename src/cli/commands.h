// The list of commands. A new one is one file here and one line in commands.cpp.
#pragma once

namespace toolgate {

// Parses the command line and runs what it names. 0: done, 1: failed, 2: used wrongly.
int run_command_line(int count, char** arguments);

}  // namespace toolgate
