// The command of a program that only reads the workspace, inside the sandbox: language servers and
// git. A workspace can have them run code of its own (plugins of tsserver, the Python of a virtual
// environment, filters of git), and nobody is asked before they start: they write nowhere but to a
// folder that is gone with them. language_server.cpp and git_command.cpp start programs so.
#pragma once

#include "builtin/sandbox.h"
#include "net/child_process.h"

namespace toolgate {

// The same program with the same paths. Looks at the file system.
ChildCommand make_sandboxed_reader(ChildCommand command, const SandboxSettings& settings,
                                   const Workspace& workspace);

}  // namespace toolgate
