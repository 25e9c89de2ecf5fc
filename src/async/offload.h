// Runs long computations beside the loops, so that other requests of the loop go on meanwhile.
#pragma once

#include <atomic>
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

#include "base/error.h"
#include "toolgate/cancel.h"
#include "toolgate/task.h"

namespace toolgate {

// The threads that work for all loops, as many as there are CPUs; joined when the process ends.
boost::asio::thread_pool& offload_pool();

// Counts what waits for a thread or runs on one.
class OffloadTicket {
 public:
  OffloadTicket();
  ~OffloadTicket();
  OffloadTicket(const OffloadTicket&) = delete;
  OffloadTicket& operator=(const OffloadTicket&) = delete;
};

// More would only wait: whoever can refuse work should.
bool offload_is_full();

// Calls `work`, which returns a Result, on another thread and resumes on the loop. It must not
// touch what the loop owns, and everything it refers to must stay until it is done. A cancelled one
// that has not begun is not begun; one that has is awaited.
template <class Work>
Task<std::invoke_result_t<Work>> offload(Work work, const Cancel& cancel) {
  constexpr boost::asio::use_awaitable_t<Executor> kAwaitHere{};
  const Executor loop = co_await boost::asio::this_coro::executor;
  const auto keeps_running = boost::asio::make_work_guard(loop);
  const OffloadTicket ticket;
  std::atomic<bool> cancelled = false;
  const CancelHook hook(cancel, [&cancelled](CancelReason) { cancelled = true; });

  co_await boost::asio::post(boost::asio::bind_executor(offload_pool(), kAwaitHere));
  std::optional<std::invoke_result_t<Work>> result;
  std::exception_ptr thrown;
  try {
    if (cancelled)
      result.emplace(fail(Errc::Cancelled, "the request was cancelled"));
    else
      result.emplace(work());
  } catch (...) {
    thrown = std::current_exception();
  }
  co_await boost::asio::post(boost::asio::bind_executor(loop, kAwaitHere));
  if (thrown) std::rethrow_exception(thrown);
  co_return std::move(*result);
}

}  // namespace toolgate
