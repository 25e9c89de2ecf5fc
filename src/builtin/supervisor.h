// A process of its own between the gateway and a command: our program, started again. It gives the
// command a terminal and limits, watches how many processes and how much memory it takes, and
// ends only when everything the command started has ended, whatever sessions those made for
// themselves. When the gateway goes, it ends them all. terminals.cpp starts it; main() hands over.
#pragma once

#include <string_view>
#include <sys/types.h>

namespace toolgate {

// The first argument of our program that means: be a supervisor.
inline constexpr std::string_view kSupervise = "supervise-command";

// What it finds open: the terminal as its standard descriptors, and
inline constexpr int kControlDescriptor = 3;  // a seqpacket socket; its end means: end everything
inline constexpr int kFilterDescriptor = 4;   // for the command, maybe

// Before a folder that is to be there while the command runs (placeholder_folders.h).
inline constexpr std::string_view kPlaceholder = "--placeholder";

// `arguments` are supervise-command PROCESSES MEMORY-BYTES [--placeholder FOLDER]… PROGRAM
// ARGUMENT…; the command gets our environment and our folder. Tells the control socket "exit N",
// "signal N", "failed TEXT" or "limit TEXT".
int supervise_command(int count, char** arguments);

// Sends a signal to a process only while `parent`, or we ourselves, is its parent: by the time its
// number is used, another process may have it. False: it was not sent.
bool signal_child(pid_t process, pid_t parent, int signal);

}  // namespace toolgate
