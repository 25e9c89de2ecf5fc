// Deadlines that cost next to nothing to set: one timer per loop looks every 100 ms at those that
// are armed. For time limits of connections, where a tenth of a second more does not matter.
#pragma once

#include <chrono>
#include <functional>

#include <boost/asio/steady_timer.hpp>

#include "toolgate/task.h"

namespace toolgate {

class Deadline;

class Deadlines {
 public:
  static constexpr std::chrono::milliseconds kTick{100};

  explicit Deadlines(boost::asio::io_context& context) : timer_(context) {}

 private:
  friend class Deadline;
  void start();
  void expire_due();

  boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                    boost::asio::wait_traits<std::chrono::steady_clock>, Executor>
      timer_;
  bool ticking_ = false;
  Deadline* armed_ = nullptr;
};

// Calls `expired` once, on the loop, unless disarmed or armed anew before.
class Deadline {
 public:
  Deadline(Deadlines& deadlines, std::function<void()> expired)
      : deadlines_(deadlines), expired_(std::move(expired)) {}
  ~Deadline() { disarm(); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  void arm(std::chrono::milliseconds after);
  bool armed() const { return link_ != nullptr; }
  void disarm();

 private:
  friend class Deadlines;
  void link(Deadline*& list);

  Deadlines& deadlines_;
  std::function<void()> expired_;
  std::chrono::steady_clock::time_point due_;
  Deadline* next_ = nullptr;
  Deadline** link_ = nullptr;  // what points at us; null while disarmed
};

}  // namespace toolgate
