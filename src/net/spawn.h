// What starting a program takes: pipes, the new process, and its group. net/child_process and
// net/child_pipes use it.
#pragma once

#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "net/child_process.h"

namespace toolgate {

// Of an error number.
std::string system_message(int error);

// Out of the way of 0, 1 and 2, which are ours when we were started without some of them.
bool move_above_standard(Descriptor& descriptor);

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Result<Pipe> make_pipe();

// Not a standard descriptor either. At its beginning, to be read.
Result<Descriptor> make_memory_file(std::string_view text);

// A program that was started, as the first of its process group. Its id, which is the group's too,
// belongs to nobody else until it is reaped: only until then may the group be signalled.
class ProcessGroup {
 public:
  explicit ProcessGroup(pid_t leader) : leader_(leader) {}
  ProcessGroup(ProcessGroup&& other) noexcept : leader_(std::exchange(other.leader_, 0)) {}
  ProcessGroup& operator=(ProcessGroup&&) = delete;
  // Kills the group if the program was not reaped.
  ~ProcessGroup();

  void signal(int number) const { ::kill(-leader_, number); }
  // A descriptor that is readable once the program has ended.
  Result<Descriptor> watch() const;
  // Waits for the program itself, and only once.
  Result<siginfo_t> reap();

 private:
  bool wait(siginfo_t& info);

  pid_t leader_;
};

// Whether it can be handed to a program at all.
Result<void> check_command(const ChildCommand& command);

// Starts a program in a session of its own with these three as its standard descriptors, what is
// attached to the command, and no others. Waits until the new process has become the program, so
// never on a loop's thread. The error names the program.
Result<ProcessGroup> spawn_detached(const ChildCommand& command, const Descriptor& input,
                                    const Descriptor& output, const Descriptor& error);

}  // namespace toolgate
