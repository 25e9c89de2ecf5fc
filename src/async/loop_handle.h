// A way back to a loop for work that another thread finished.
#pragma once

#include <functional>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "toolgate/task.h"

namespace toolgate {

// Keeps its loop running as long as it exists. May be used from any thread.
class LoopHandle {
 public:
  // Of the coroutine that asks.
  static Task<LoopHandle> here() {
    co_return LoopHandle(co_await boost::asio::this_coro::executor);
  }

  bool operator==(const LoopHandle& other) const { return loop_ == other.loop_; }

  void post(std::move_only_function<void()> function) const {
    boost::asio::post(loop_, std::move(function));
  }

 private:
  explicit LoopHandle(Executor loop) : loop_(loop), keeps_running_(loop) {}

  Executor loop_;
  boost::asio::executor_work_guard<Executor> keeps_running_;
};

}  // namespace toolgate
