// A scope waits for its tasks and contains what goes wrong in them.
#include "async/scope.h"

#include <memory>
#include <stdexcept>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

#include "async/event.h"
#include "captured_log.h"

namespace toolgate {
namespace {

Task<> wait_for(Event& event) {
  co_await event.wait();
}

class ScopeTest : public testing::Test {
 protected:
  void run() {
    context_.restart();
    context_.poll();
  }
  void start_drain() {
    boost::asio::co_spawn(
        context_,
        [](Scope& scope, bool& drained) -> Task<> {
          co_await scope.drain();
          drained = true;
        }(scope_, drained_),
        boost::asio::detached);
    run();
  }

  boost::asio::io_context context_;
  Scope scope_{context_};
  bool drained_ = false;
};

TEST_F(ScopeTest, AnEmptyScopeIsDrainedAtOnce) {
  start_drain();
  EXPECT_TRUE(drained_);
}

TEST_F(ScopeTest, DrainWaitsForEveryTask) {
  Event first;
  Event second;
  scope_.spawn(wait_for(first), "first");
  scope_.spawn(wait_for(second), "second");
  EXPECT_EQ(scope_.running(), 2u);
  start_drain();
  EXPECT_FALSE(drained_);
  first.set();
  EXPECT_EQ(scope_.running(), 1u);
  EXPECT_FALSE(drained_);
  second.set();
  EXPECT_EQ(scope_.running(), 0u);
  EXPECT_TRUE(drained_);
}

TEST_F(ScopeTest, DrainWaitsForTasksStartedMeanwhile) {
  Event first;
  Event second;
  scope_.spawn(
      [](Scope& scope, Event& mine, Event& others) -> Task<> {
        co_await mine.wait();
        scope.spawn(wait_for(others), "second");
      }(scope_, first, second),
      "first");
  start_drain();
  first.set();
  run();
  EXPECT_FALSE(drained_);
  second.set();
  EXPECT_TRUE(drained_);
}

TEST_F(ScopeTest, ATaskBeginsOnTheLoopAndNotInSpawn) {
  bool begun = false;
  scope_.spawn(
      [](bool& flag) -> Task<> {
        flag = true;
        co_return;
      }(begun),
      "task");
  EXPECT_FALSE(begun);
  run();
  EXPECT_TRUE(begun);
}

TEST_F(ScopeTest, AnExceptionIsLoggedWithTheTasksNameAndGoesNoFurther) {
  CapturedLog captured;
  Event other;
  scope_.spawn(
      []() -> Task<> {
        throw std::runtime_error("the reason");
        co_return;
      }(),
      "unlucky task");
  scope_.spawn(wait_for(other), "other task");
  start_drain();
  EXPECT_EQ(scope_.running(), 1u);
  other.set();
  EXPECT_TRUE(drained_);
  const std::string text = captured.take();
  EXPECT_NE(text.find("unlucky task"), text.npos) << text;
  EXPECT_NE(text.find("the reason"), text.npos) << text;
}

TEST_F(ScopeTest, WhatIsNoStandardExceptionIsContainedToo) {
  CapturedLog captured;
  scope_.spawn(
      []() -> Task<> {
        throw 7;
        co_return;
      }(),
      "odd task");
  start_drain();
  EXPECT_TRUE(drained_);
  EXPECT_NE(captured.take().find("odd task"), std::string::npos);
}

}  // namespace
}  // namespace toolgate
