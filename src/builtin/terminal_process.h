// Starts a command on a terminal of its own, under the supervisor and in the sandbox where the
// request says so. terminals.cpp watches what was started.
#pragma once

#include <string>
#include <sys/types.h>

#include "base/descriptor.h"
#include "builtin/terminals.h"

namespace toolgate {

inline constexpr unsigned short kTerminalRows = 40;

struct SpawnedTerminal {
  pid_t supervisor = 0;
  Descriptor process;  // readable once the supervisor has ended
  Descriptor master;
  Descriptor control;
};

// `program` is ours, which becomes the supervisor.
Result<SpawnedTerminal> spawn_terminal(const std::string& program, const TerminalRequest& request);

}  // namespace toolgate
