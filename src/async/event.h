// One coroutine waits until something on the same loop happens.
#pragma once

#include <functional>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "toolgate/task.h"

namespace toolgate {

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool awaited() const { return static_cast<bool>(waiter_); }

  // At most one coroutine waits at a time.
  Task<> wait() {
    using Token = boost::asio::use_awaitable_t<Executor>;
    Token token;
    return boost::asio::async_initiate<Token, void()>(
        [this](auto handler) {
          waiter_ = [handler = std::move(handler)]() mutable { std::move(handler)(); };
        },
        token);
  }

  // Resumes the waiting coroutine, here and now. Nothing is remembered when nobody waits.
  void set() {
    if (auto waiter = std::exchange(waiter_, nullptr)) waiter();
  }

 private:
  std::move_only_function<void()> waiter_;
};

}  // namespace toolgate
