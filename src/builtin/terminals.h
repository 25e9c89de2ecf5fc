// The commands that tools run: each with a terminal of its own, in the sandbox where there is one,
// watched by a supervisor process. One object keeps them, on a thread of its own; tools call it
// from their loops. When it goes, every command has ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "builtin/sandbox.h"
#include "builtin/workspace.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"

namespace toolgate {

// Who asks: terminals of one caller are nobody else's.
struct TerminalOwner {
  std::string caller = {};
  std::string session = {};
};

struct TerminalRequest {
  std::string command = {};                   // a line for the shell, or
  std::vector<std::string> program = {};      // a program and its arguments
  std::string title = {};                     // of a task; empty: of none
  std::string root = {};                      // the workspace's folder that a task is of
  std::string folder = {};                    // absolute; empty: the workspace
  std::vector<std::string> environment = {};  // NAME=value, besides the usual
  std::chrono::milliseconds time_limit{0};    // 0: none
  TerminalOwner owner = {};
  std::shared_ptr<const Workspace> workspace;
  SandboxSettings sandbox = {};
  bool is_sandboxed = true;
};

// One terminal, as it is at a moment.
struct TerminalView {
  std::string id = {};
  std::string command = {};  // for people: the line, or the program with its arguments
  std::string title = {};
  std::string folder = {};
  bool is_running = true;
  bool is_sandboxed = true;
  int exit_code = 0;          // once it has ended by itself
  int signal = 0;             // that ended it; 0: none
  std::string ended_by = {};  // why it was ended: "it was cancelled", "it had more than …"
  std::string failure = {};   // why it could not be started
  std::string output = {};    // valid UTF-8, without escape sequences; beginning and end
  std::uint64_t left_out = 0;
  std::string last_lines = {};
  std::chrono::milliseconds duration{0};
};

class Terminals {
 public:
  // `program` is ours, which is started again as supervisor.
  explicit Terminals(std::string program = "/proc/self/exe");
  ~Terminals();
  Terminals(const Terminals&) = delete;
  Terminals& operator=(const Terminals&) = delete;

  using Report = std::function<void(std::string last_lines)>;

  // To its end. `report` is called on the caller's loop while there is more to show. A cancelled
  // one has been ended when this returns.
  Task<Result<TerminalView>> run(TerminalRequest request, Report report, const Cancel& cancel);
  // Goes on by itself; what it did within `first_look` is in the view.
  Task<Result<TerminalView>> start(TerminalRequest request, std::chrono::milliseconds first_look,
                                   const Cancel& cancel);
  Task<Result<TerminalView>> look(std::string id, TerminalOwner owner);
  // What a person would type. The answer shows what came within `first_look`.
  Task<Result<TerminalView>> send(std::string id, TerminalOwner owner, std::string text,
                                  std::chrono::milliseconds first_look, const Cancel& cancel);
  Task<Result<TerminalView>> kill(std::string id, TerminalOwner owner);

  enum class Which { Any, Task, Test };
  // The latest that has been started: of the session, if the caller names one.
  // Of the task `title`, of the folder `root`; empty: of any.
  Task<Result<TerminalView>> latest(TerminalOwner owner, Which which, std::string title = {},
                                    std::string root = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace toolgate
