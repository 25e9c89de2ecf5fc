// A thread that works through a queue in batches: `begin` is called before the first work of a
// batch and `end` after the last, and whoever asked for work goes on after that. What is asked for
// while one batch ends makes up the next one: that is how many writers share one disk flush.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error.h"
#include "toolgate/task.h"

namespace toolgate {

class BatchThread {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Steps {
    std::function<Result<void>()> begin;
    std::function<Result<void>()> end;
    // Instead of end(), when a work threw: nothing of the batch may count.
    std::function<void()> abort;
    // After every batch, and when the time it last gave has come: until when nothing is to do.
    std::function<std::optional<TimePoint>()> idle;
  };

  explicit BatchThread(Steps steps);
  // Does what is queued, then joins.
  ~BatchThread();

  // `work` returns a Result. It runs on the thread; the caller resumes on its own loop when the
  // batch has ended, with the error of begin() or end() if they failed.
  template <class Work>
  Task<std::invoke_result_t<Work>> run(Work work) {
    using Answer = std::invoke_result_t<Work>;
    const Executor loop = co_await boost::asio::this_coro::executor;
    const auto keeps_running = boost::asio::make_work_guard(loop);
    auto answer = std::make_shared<std::optional<Answer>>();
    auto ended = std::make_shared<Result<void>>();
    boost::asio::use_awaitable_t<Executor> token;
    co_await boost::asio::async_initiate<decltype(token), void()>(
        [&](auto handler) {
          enqueue({.work = [answer, work = std::move(work)]() mutable { answer->emplace(work()); },
                   .resume =
                       [ended, handler = std::move(handler)](const Result<void>& result) mutable {
                         *ended = result;
                         std::move(handler)();
                       },
                   .loop = loop});
        },
        token);
    if (!*ended) co_return std::unexpected(ended->error());
    co_return std::move(**answer);
  }

  // For threads without a loop: blocks until the batch has ended.
  template <class Work>
  std::invoke_result_t<Work> run_blocking(Work work) {
    std::optional<std::invoke_result_t<Work>> answer;
    Result<void> ended;
    wait_for([&] { answer.emplace(work()); }, ended);
    if (!ended) return std::unexpected(ended.error());
    return std::move(*answer);
  }

  // Without anyone who waits.
  void post(std::move_only_function<void()> work);

 private:
  struct Item {
    std::move_only_function<void()> work;
    std::move_only_function<void(const Result<void>&)> resume;
    std::optional<Executor> loop = {};  // where to resume; nothing: here
  };
  void enqueue(Item item);
  void wait_for(std::move_only_function<void()> work, Result<void>& ended);
  void loop();
  std::optional<TimePoint> look_what_is_due();
  Result<void> work_off(std::vector<Item>& items);
  static void resume(std::vector<Item>& items, const Result<void>& outcome);

  Steps steps_;
  std::mutex mutex_;
  // Outlives us where a loop is about to use it.
  std::shared_ptr<std::condition_variable> wake_ = std::make_shared<std::condition_variable>();
  std::vector<Item> queue_;
  std::optional<Executor> waking_;  // the loop that asked last, and will wake the thread
  bool stopping_ = false;
  std::optional<TimePoint> next_idle_;
  std::thread thread_;
};

}  // namespace toolgate
