// Several coroutines of one loop wait until something may have changed, each with a time limit.
#pragma once

#include <chrono>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "toolgate/task.h"

namespace toolgate {

using SteadyTimer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

class Bell {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Bell() = default;
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  // Until it rings, at the latest then. Look before and after: it says nothing about why.
  Task<> wait(TimePoint latest = TimePoint::max()) {
    SteadyTimer timer(co_await boost::asio::this_coro::executor, latest);
    waiting_.push_back(&timer);
    co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable_t<Executor>()));
    std::erase(waiting_, &timer);
  }

  // Those that wait go on when the caller is done.
  void ring() {
    for (SteadyTimer* timer : waiting_) timer->cancel();
  }

 private:
  std::vector<SteadyTimer*> waiting_;
};

}  // namespace toolgate
