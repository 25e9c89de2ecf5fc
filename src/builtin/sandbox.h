// The sandbox that commands and language servers run in, made by bubblewrap: the workspace can be
// written by commands, the rest of the file system only read, our folders and people's secrets are
// not there, and there is no network unless the settings allow it. terminals.h starts commands with
// it, sandboxed_reader.h makes those of servers and git; docs/builtin.md says what it keeps in and
// what it does not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/workspace.h"

namespace toolgate {

struct SandboxSettings {
  bool enabled = true;                // toolgate.sandbox.enabled
  bool network = false;               // toolgate.sandbox.network
  std::vector<std::string> writable;  // toolgate.sandbox.writable: absolute, besides the workspace
  std::vector<std::string> hidden;    // toolgate.sandbox.hidden: absolute, besides the usual ones
  std::uint64_t memory_bytes = 0;     // toolgate.sandbox.memoryBytes; 0: half of the machine's
  std::uint64_t processes = 512;      // toolgate.sandbox.processes
  bool operator==(const SandboxSettings&) const = default;
};

// Files and folders with secrets that no command needs; `~/` is the home folder.
const std::vector<std::string>& usual_secrets();

struct SandboxRequest {
  const SandboxSettings& settings;
  const Workspace& workspace;
  std::string home;
  std::string folder;       // the program begins there
  int seccomp = -1;         // the filter's descriptor in the process that becomes bubblewrap
  bool only_reads = false;  // the workspace too: all that can be written is gone afterwards
  // Of what stays to be run even below /tmp and the like, where everything else is left out.
  std::string search_path = {};            // as in PATH
  std::vector<std::string> programs = {};  // absolute, with what is installed beside them
};

struct SandboxPlan {
  std::vector<std::string> arguments;  // for bubblewrap, up to the program, which comes behind them
  // Folders that are missing, and must be there while it runs: see placeholder_folders.h.
  std::vector<std::string> placeholders;
};

// Looks at the file system: what is not there cannot be hidden.
SandboxPlan make_sandbox_plan(const SandboxRequest& request);

// What stands before a program in the sandbox, and limits it: counted per sandbox, so it must be
// said inside.
std::vector<std::string> limiting_shell(std::uint64_t processes);

// A folder of the sandbox that servers may fill; not always there.
inline constexpr std::string_view kSandboxCache = "/tmp/.cache";

// Why nothing can be sandboxed on this machine, in words; empty: they can. Runs bubblewrap
// once, so it blocks for some milliseconds; later calls have the answer of the first.
const std::string& sandbox_fault();
std::string find_bubblewrap();  // its path; empty: not installed

}  // namespace toolgate
