// Owns every task that is started on a loop: none is detached, and whoever ends waits for all.
#pragma once

#include "async/event.h"
#include "toolgate/task.h"

namespace toolgate {

class Scope {
 public:
  explicit Scope(boost::asio::io_context& context) : context_(context) {}

  // An exception that leaves `task` is logged with `name` and goes no further.
  void spawn(Task<> task, const char* name);

  std::size_t running() const { return running_; }

  // Waits until at most `most` tasks run, counting those started meanwhile. One waits at a time.
  Task<> drain(std::size_t most = 0);

 private:
  Task<> run(Task<> task, const char* name);

  boost::asio::io_context& context_;
  std::size_t running_ = 0;
  std::size_t awaited_ = 0;  // so few
  Event drained_;
};

}  // namespace toolgate
