// Deadlines on a loop. They look every 100 ms, so these tests take tenths of a second.
#include "async/deadline.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace toolgate {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class DeadlineTest : public testing::Test {
 protected:
  // Runs until no deadline is armed: then nothing is left for the context to do.
  void run() { context_.run_for(20s); }

  boost::asio::io_context context_;
  Deadlines deadlines_{context_};
};

TEST_F(DeadlineTest, ExpiresOnceAndNotEarly) {
  int calls = 0;
  Clock::time_point expired;
  Deadline deadline(deadlines_, [&] {
    ++calls;
    expired = Clock::now();
  });
  const auto armed = Clock::now();
  deadline.arm(150ms);
  run();
  EXPECT_EQ(calls, 1);
  EXPECT_GE(expired - armed, 150ms);
}

TEST_F(DeadlineTest, CostsNothingWhileNoneIsArmed) {
  Deadline deadline(deadlines_, [] {});
  EXPECT_EQ(context_.run(), 0u);
}

TEST_F(DeadlineTest, ArmedAnewItExpiresOnceAtTheLaterTime) {
  int calls = 0;
  Clock::time_point expired;
  Deadline deadline(deadlines_, [&] {
    ++calls;
    expired = Clock::now();
  });
  deadline.arm(1ms);
  const auto armed = Clock::now();
  deadline.arm(250ms);
  run();
  EXPECT_EQ(calls, 1);
  EXPECT_GE(expired - armed, 250ms);
}

TEST_F(DeadlineTest, ArmedAnewItMayExpireEarlier) {
  bool expired = false;
  Deadline deadline(deadlines_, [&] { expired = true; });
  deadline.arm(1h);
  deadline.arm(1ms);
  run();
  EXPECT_TRUE(expired);
}

TEST_F(DeadlineTest, DisarmedItDoesNotExpire) {
  bool expired = false;
  Deadline deadline(deadlines_, [&] { expired = true; });
  deadline.arm(1ms);
  deadline.disarm();
  deadline.disarm();
  run();
  EXPECT_FALSE(expired);
}

TEST_F(DeadlineTest, DestroyedItDoesNotExpire) {
  bool expired = false;
  std::optional<Deadline> deadline;
  deadline.emplace(deadlines_, [&] { expired = true; });
  deadline->arm(1ms);
  deadline.reset();
  run();
  EXPECT_FALSE(expired);
}

TEST_F(DeadlineTest, MayBeArmedInItsOwnCallback) {
  int calls = 0;
  std::optional<Deadline> deadline;
  deadline.emplace(deadlines_, [&] {
    if (++calls < 3) deadline->arm(0ms);
  });
  deadline->arm(0ms);
  run();
  EXPECT_EQ(calls, 3);
}

TEST_F(DeadlineTest, OneOfThoseDueMayDestroyTheOthers) {
  int calls = 0;
  std::vector<std::unique_ptr<Deadline>> all;
  for (std::size_t i = 0; i < 4; ++i)
    all.push_back(std::make_unique<Deadline>(deadlines_, [&all, &calls, i] {
      ++calls;
      for (std::size_t other = 0; other < all.size(); ++other)
        if (other != i) all[other].reset();
    }));
  for (auto& deadline : all) deadline->arm(1ms);
  run();
  EXPECT_EQ(calls, 1);
}

TEST_F(DeadlineTest, OneOfThoseDueMayDisarmTheOthers) {
  int calls = 0;
  std::vector<std::unique_ptr<Deadline>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::make_unique<Deadline>(deadlines_, [&] {
      ++calls;
      for (auto& deadline : all) deadline->disarm();
    }));
  for (auto& deadline : all) deadline->arm(1ms);
  run();
  EXPECT_EQ(calls, 1);
}

TEST_F(DeadlineTest, OneOfThoseDueMayGiveTheOthersMoreTime) {
  std::vector<Clock::time_point> expired;
  Clock::time_point armed_anew;
  std::vector<std::unique_ptr<Deadline>> all;
  for (int i = 0; i < 2; ++i)
    all.push_back(std::make_unique<Deadline>(deadlines_, [&] {
      expired.push_back(Clock::now());
      if (expired.size() > 1) return;
      armed_anew = Clock::now();
      for (auto& deadline : all) deadline->arm(150ms);
    }));
  for (auto& deadline : all) deadline->arm(1ms);
  run();
  ASSERT_EQ(expired.size(), 3u);
  EXPECT_GE(expired[1] - armed_anew, 150ms);
  EXPECT_GE(expired[2] - armed_anew, 150ms);
}

TEST_F(DeadlineTest, OthersStayArmedWhenOneExpires) {
  std::vector<int> calls;
  Deadline late(deadlines_, [&] { calls.push_back(2); });
  Deadline soon(deadlines_, [&] { calls.push_back(1); });
  late.arm(300ms);
  soon.arm(1ms);
  run();
  EXPECT_EQ(calls, (std::vector{1, 2}));
}

}  // namespace
}  // namespace toolgate
