#include "async/batch_thread.h"

#include <algorithm>
#include <future>

#include "base/log.h"

namespace toolgate {

BatchThread::BatchThread(Steps steps) : steps_(std::move(steps)), thread_([this] { loop(); }) {}

BatchThread::~BatchThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_->notify_one();
  thread_.join();
}

void BatchThread::post(std::move_only_function<void()> work) {
  enqueue({.work = std::move(work), .resume = nullptr});
}

// A loop wakes the thread when it has done what it can do now: that may ask for more.
void BatchThread::enqueue(Item item) {
  const auto loop = item.loop;
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    wakes = queue_.empty() || !loop || waking_ != loop;
    waking_ = loop;
    queue_.push_back(std::move(item));
  }
  if (!wakes) return;
  if (loop)
    boost::asio::post(*loop, [wake = wake_] { wake->notify_one(); });
  else
    wake_->notify_one();
}

void BatchThread::wait_for(std::move_only_function<void()> work, Result<void>& ended) {
  std::promise<Result<void>> promise;
  auto future = promise.get_future();
  enqueue({.work = std::move(work),
           .resume = [&promise](const Result<void>& result) { promise.set_value(result); }});
  ended = future.get();
}

void BatchThread::loop() {
  std::vector<Item> items;
  for (;;) {
    next_idle_ = look_what_is_due();
    {
      std::unique_lock lock(mutex_);
      const auto due = [this] { return stopping_ || !queue_.empty(); };
      if (next_idle_)
        wake_->wait_until(lock, *next_idle_, due);
      else
        wake_->wait(lock, due);
      if (stopping_ && queue_.empty()) return;
      items.swap(queue_);
    }
    if (!items.empty()) resume(items, work_off(items));
    items.clear();
  }
}

std::optional<BatchThread::TimePoint> BatchThread::look_what_is_due() {
  if (!steps_.idle) return std::nullopt;
  try {
    return steps_.idle();
  } catch (const std::exception& error) {
    log(LogLevel::Error, "looking what is due ended by an exception: {}", error.what());
    if (steps_.abort) steps_.abort();
    return std::chrono::steady_clock::now() + std::chrono::seconds(1);
  }
}

Result<void> BatchThread::work_off(std::vector<Item>& items) {
  auto begun = steps_.begin();
  if (!begun) return begun;
  try {
    for (Item& item : items) item.work();
    return steps_.end();
  } catch (const std::exception& error) {
    log(LogLevel::Error, "work in a batch ended by an exception: {}", error.what());
  } catch (...) {
    log(LogLevel::Error, "work in a batch ended by an unknown exception");
  }
  if (steps_.abort) steps_.abort();
  return fail(Errc::Internal, "an internal error; see the log");
}

// One message to each loop, not one to each of those who wait on it: a loop that is woken for the
// first of many would do their next steps one by one, and so would this thread.
void BatchThread::resume(std::vector<Item>& items, const Result<void>& outcome) {
  struct LoopItems {
    Executor loop;
    std::vector<Item> items;
  };
  std::vector<LoopItems> loops;
  for (Item& item : items) {
    if (!item.resume) continue;
    if (!item.loop) {
      item.resume(outcome);
      continue;
    }
    auto found = std::ranges::find(loops, *item.loop, &LoopItems::loop);
    if (found == loops.end()) {
      loops.push_back({*item.loop, {}});
      found = std::prev(loops.end());
    }
    found->items.push_back(std::move(item));
  }
  for (LoopItems& one : loops)
    boost::asio::post(one.loop, [waiting = std::move(one.items), outcome]() mutable {
      for (Item& item : waiting) item.resume(outcome);
    });
}

}  // namespace toolgate
