// A loop on a thread of its own, for tests that talk to it from theirs.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include "async/loop.h"

namespace toolgate {

// What never comes ends the program: a task that still runs would outlive what it refers to.
template <class T>
T get_soon(std::future<T> future) {
  if (future.wait_for(std::chrono::seconds(20)) != std::future_status::ready) {
    std::fputs("a test waited 20 s for something that did not happen\n", stderr);
    std::abort();
  }
  return future.get();
}

class TestLoop {
 public:
  TestLoop() : thread_([this] { loop_.run(); }) {}
  TestLoop(const TestLoop&) = delete;
  TestLoop& operator=(const TestLoop&) = delete;
  ~TestLoop() { finish(); }

  Loop& loop() { return loop_; }

  // Calls `function` on the loop's thread and waits for what it returns.
  template <class Function>
  auto call(Function function) {
    using Value = decltype(function());
    std::packaged_task<Value()> task(std::move(function));
    auto result = task.get_future();
    loop_.post([&task] { task(); });
    return get_soon(std::move(result));
  }

  template <class T>
  std::future<T> start(Task<T> task) {
    return boost::asio::co_spawn(loop_.context(), std::move(task), boost::asio::use_future);
  }

  // Runs the coroutine that `function` makes to its end.
  template <class Function>
  auto run(Function function) {
    return get_soon(start(function()));
  }

  // Waits for every task of the loop's scope, then ends the thread.
  void finish() {
    if (!thread_.joinable()) return;
    run([this]() -> Task<> { co_await loop_.scope().drain(); });
    loop_.stop();
    thread_.join();
  }

 private:
  Loop loop_;
  std::thread thread_;
};

}  // namespace toolgate
