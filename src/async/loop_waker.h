// Wakes a coroutine on its loop from any thread, for readers that follow something others append
// to.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "async/event.h"
#include "async/loop_handle.h"

namespace toolgate {

// However often it is woken before the loop gets to it, that is one post.
class LoopWaker : public std::enable_shared_from_this<LoopWaker> {
 public:
  explicit LoopWaker(LoopHandle loop) : loop_(std::move(loop)) {}

  // From any thread.
  void wake() {
    if (posted_.exchange(true)) return;
    loop_.post([self = shared_from_this()] {
      self->posted_ = false;
      self->event_.set();
    });
  }
  // For the loop's own thread. A wake while nobody waits is not kept: look again before waiting.
  Event& event() { return event_; }

 private:
  LoopHandle loop_;
  std::atomic<bool> posted_ = false;
  Event event_;
};

}  // namespace toolgate
