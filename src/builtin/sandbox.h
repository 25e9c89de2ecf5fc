// The sandbox that commands run in, made by bubblewrap: the workspace can be written, the rest of
// the file system only read, our folders and people's secrets are not there, and there is no
// network unless the settings allow it. terminals.h starts commands with it; docs/builtin.md says
// what it keeps in and what it does not.
#pragma once

#include <string>
#include <vector>

#include "builtin/workspace.h"

namespace toolgate {

struct SandboxSettings {
  bool enabled = true;                // toolgate.sandbox.enabled
  bool network = false;               // toolgate.sandbox.network
  std::vector<std::string> writable;  // toolgate.sandbox.writable: absolute, besides the workspace
  std::vector<std::string> hidden;    // toolgate.sandbox.hidden: absolute, besides the usual ones
};

// Files and folders with secrets that no command needs; `~/` is the home folder.
const std::vector<std::string>& usual_secrets();

// Arguments for bubblewrap up to the command, which comes behind them. Looks at the file system:
// what is not there cannot be hidden. The command begins in `folder`; `seccomp` is the descriptor
// of the filter in the process that becomes bubblewrap.
std::vector<std::string> make_sandbox_arguments(const SandboxSettings& settings,
                                                const Workspace& workspace, const std::string& home,
                                                const std::string& folder, int seccomp);

// Why commands cannot be sandboxed on this machine, in words; empty: they can. Runs bubblewrap
// once, so it blocks for some milliseconds; later calls have the answer of the first.
const std::string& sandbox_fault();
std::string find_bubblewrap();  // its path; empty: not installed

}  // namespace toolgate
