// A program that runs for long and is talked to through its input and output. rpc_peer.h speaks
// through it; a program that is run to its end is child_process.h's. The process must ignore
// SIGPIPE.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include "async/bell.h"
#include "net/child_process.h"
#include "net/spawn.h"
#include "toolgate/task.h"

namespace toolgate {

// On one loop. It must not go while one of its tasks runs; when it goes its process group does.
class ChildPipes {
 public:
  // In a process group of its own. `command.error_limit` is how much of the end of what it says on
  // its standard error is kept; `input` and the other limits do not apply.
  static Task<Result<std::unique_ptr<ChildPipes>>> start(ChildCommand command,
                                                         const Cancel& cancel);

  ChildPipes(const ChildPipes&) = delete;
  ChildPipes& operator=(const ChildPipes&) = delete;

  // 0: nothing more comes. One reads at a time.
  Task<std::size_t> read(std::span<char> into);
  // False: it no longer reads. One writes at a time.
  Task<bool> write(std::string_view bytes);

  // Until the program has ended and is reaped; to be run once, from the beginning. Whatever of its
  // group is left then is killed, and read() and write() end.
  Task<> run_to_end();
  // Closes its input, after `grace` terminates the group, after `grace` more kills it.
  void end(std::chrono::milliseconds grace);

  bool has_ended() const { return has_ended_; }
  // How it ended, and its last words: "ended with status 1: …".
  std::string ending() const;

 private:
  using Stream = boost::asio::posix::basic_stream_descriptor<Executor>;
  using Clock = std::chrono::steady_clock;

  ChildPipes(const Executor& executor, ProcessGroup group, std::size_t error_limit);
  Result<void> attach(Stream& to, Descriptor from);
  Task<> notice_end();
  Task<> keep_errors();
  Task<> end_when_asked();
  template <class Done>
  Task<> wait(Done done, Clock::time_point latest);

  ProcessGroup group_;
  const std::size_t error_limit_;
  Stream process_;
  Stream input_;
  Stream output_;
  Stream error_;
  SteadyTimer timer_;
  std::string last_words_;
  std::string how_;  // once reaped
  bool has_ended_ = false;
  bool end_is_wanted_ = false;
  std::chrono::milliseconds grace_{0};
};

}  // namespace toolgate
