// Runs a program to its end, without a shell: it gets the arguments, the environment and the input
// that stand here, three standard descriptors, maybe one more, and nothing else of ours. hosts/
// calls it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"

namespace toolgate {

inline constexpr int kAttachedDescriptor = 3;

struct ChildCommand {
  // The program first. Without a '/' it is looked for in our PATH, else relative to `folder`.
  std::vector<std::string> arguments;
  std::string folder;                    // to run in; empty: ours
  std::vector<std::string> environment;  // NAME=value
  std::string input;                     // what it can read, and then the end
  std::string attached = {};             // the same at kAttachedDescriptor; empty: that is closed
  std::size_t output_limit = std::size_t{1} << 20;
  std::size_t error_limit = std::size_t{64} << 10;
  std::chrono::milliseconds time_limit{0};  // 0: none
  std::chrono::milliseconds grace{2'000};   // from SIGTERM to SIGKILL
  // Is shown each piece of the output, on the caller's loop. False: that is enough, and the
  // program's group is ended.
  std::function<bool(std::string_view piece)> wants_more = {};
};

struct ChildOutput {
  std::string text;
  std::uint64_t dropped = 0;  // so many bytes over the limit were read and thrown away
};

struct ChildOutcome {
  int exit_status = 0;
  int signal = 0;            // that ended it; 0: it ended by itself, with `exit_status`
  bool timed_out = false;    // its time was over, and its group was ended
  bool was_enough = false;   // the same, because nothing more was wanted
  bool left_behind = false;  // something it started still has its outputs: the rest is not read
  ChildOutput output;
  ChildOutput error;
};

// Ends when the program has: nothing of it is left to wait for. All it wrote is in the outcome, up
// to the limits. A program that cannot be started is an error that names it. When the time is over
// or the output enough, or with Cancelled when `cancel` is requested, its process group is ended
// first; what has made itself a session of its own lives on. What it leaves running when it ends by
// itself stays.
Task<Result<ChildOutcome>> run_child(ChildCommand command, const Cancel& cancel);

// Of our environment what a program needs to find its way (PATH, HOME, LANG, TMPDIR and the like)
// and the variables of these names, if they are set.
std::vector<std::string> make_child_environment(std::span<const std::string> names = {});

}  // namespace toolgate
