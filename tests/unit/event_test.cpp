// One coroutine waits, another wakes it.
#include "async/event.h"

#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

namespace toolgate {
namespace {

class EventTest : public testing::Test {
 protected:
  void start(Task<> task) {
    boost::asio::co_spawn(context_, std::move(task), boost::asio::detached);
    context_.restart();
    context_.poll();
  }
  // The parameters are copies in the coroutine's frame; the event is the test's.
  static Task<> wait(Event& event, int& woken, int times) {
    for (int i = 0; i < times; ++i) {
      co_await event.wait();
      ++woken;
    }
  }

  boost::asio::io_context context_;
  Event event_;
  int woken_ = 0;
};

TEST_F(EventTest, WakesTheWaitingCoroutineHereAndNow) {
  start(wait(event_, woken_, 1));
  EXPECT_TRUE(event_.awaited());
  EXPECT_EQ(woken_, 0);
  event_.set();
  EXPECT_EQ(woken_, 1);
  EXPECT_FALSE(event_.awaited());
}

TEST_F(EventTest, RemembersNothingWhenNobodyWaits) {
  event_.set();
  start(wait(event_, woken_, 1));
  EXPECT_EQ(woken_, 0);
  event_.set();
  EXPECT_EQ(woken_, 1);
}

TEST_F(EventTest, WakesOncePerWait) {
  start(wait(event_, woken_, 1));
  event_.set();
  event_.set();
  EXPECT_EQ(woken_, 1);
}

TEST_F(EventTest, MayBeAwaitedAgainAtOnce) {
  start(wait(event_, woken_, 3));
  for (int expected = 1; expected <= 3; ++expected) {
    EXPECT_TRUE(event_.awaited());
    event_.set();
    EXPECT_EQ(woken_, expected);
  }
  EXPECT_FALSE(event_.awaited());
}

TEST_F(EventTest, ACoroutineMayWakeAnother) {
  std::vector<int> order;
  Event first;
  Event second;
  const auto waits = [](Event& mine, Event& others, std::vector<int>& seen, int name) -> Task<> {
    co_await mine.wait();
    seen.push_back(name);
    others.set();
    seen.push_back(name + 10);
  };
  start(waits(second, event_, order, 2));
  start(waits(first, second, order, 1));
  first.set();
  EXPECT_EQ(order, (std::vector{1, 2, 12, 11}));
}

TEST_F(EventTest, DestroyedWithAWaiterItEndsTheWaitersFrame) {
  struct Guard {
    int& destroyed;
    ~Guard() { ++destroyed; }
  };
  int destroyed = 0;
  {
    Event event;
    start([](Event& awaited, int& count) -> Task<> {
      const Guard guard{count};
      co_await awaited.wait();
    }(event, destroyed));
    EXPECT_EQ(destroyed, 0);
  }
  context_.restart();
  context_.poll();
  EXPECT_EQ(destroyed, 1);
}

}  // namespace
}  // namespace toolgate
