// One event loop per core. What a loop owns is touched by its thread only; other threads post.
#pragma once

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "async/deadline.h"
#include "async/scope.h"

namespace toolgate {

class Loop {
 public:
  Loop() : context_(1), deadlines_(context_), scope_(context_) {}

  boost::asio::io_context& context() { return context_; }
  Deadlines& deadlines() { return deadlines_; }
  Scope& scope() { return scope_; }

  // From any thread.
  template <class Function>
  void post(Function function) {
    boost::asio::post(context_, std::move(function));
  }

  // Runs until stop() and until nothing is left to do before it.
  void run();
  // From any thread.
  void stop();

 private:
  boost::asio::io_context context_;
  Deadlines deadlines_;
  Scope scope_;
};

// How many CPUs this process may use.
unsigned usable_cpus();

}  // namespace toolgate
