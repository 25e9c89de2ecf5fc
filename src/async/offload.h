// Runs long computations beside the loops, so that other requests of the loop go on meanwhile.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "async/task.h"

namespace toolgate {

// The threads that work for all loops; they are joined when the process ends.
boost::asio::thread_pool& offload_pool();

// Calls `work` on another thread and resumes on the loop. It must not touch what the loop owns, and
// everything it refers to must stay until it is done: it cannot be cancelled.
template <class Work>
Task<std::invoke_result_t<Work>> offload(Work work) {
  constexpr boost::asio::use_awaitable_t<Executor> kAwaitHere{};
  const Executor loop = co_await boost::asio::this_coro::executor;
  const auto keeps_running = boost::asio::make_work_guard(loop);
  co_await boost::asio::post(boost::asio::bind_executor(offload_pool(), kAwaitHere));
  std::optional<std::invoke_result_t<Work>> result;
  std::exception_ptr thrown;
  try {
    result.emplace(work());
  } catch (...) {
    thrown = std::current_exception();
  }
  co_await boost::asio::post(boost::asio::bind_executor(loop, kAwaitHere));
  if (thrown) std::rethrow_exception(thrown);
  co_return std::move(*result);
}

}  // namespace toolgate
