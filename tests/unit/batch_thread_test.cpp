#include "async/batch_thread.h"

#include <atomic>

#include <gtest/gtest.h>

#include "test_loop.h"

namespace toolgate {
namespace {

TEST(BatchThread, WorkOfManyLoopsIsDoneInOrderAndAnsweredAfterItsBatch) {
  int begun = 0;
  int ended = 0;
  std::vector<int> done;
  BatchThread thread({.begin = [&]() -> Result<void> { return ++begun, Result<void>{}; },
                      .end = [&]() -> Result<void> { return ++ended, Result<void>{}; },
                      .abort = nullptr,
                      .idle = nullptr});
  TestLoop loop;
  const auto ask = [&](int number) -> Task<Result<int>> {
    return thread.run([&, number]() -> Result<int> {
      EXPECT_EQ(begun, ended + 1) << "work outside a batch";
      done.push_back(number);
      return ended;
    });
  };
  for (int i = 0; i < 100; ++i) {
    const auto ended_before = loop.run([&] { return ask(i); });
    ASSERT_TRUE(ended_before);
    const auto now = thread.run_blocking([&]() -> Result<int> { return ended; });
    EXPECT_LT(*ended_before, *now) << "resumed before the batch had ended";
  }
  EXPECT_EQ(done.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(done));
}

TEST(BatchThread, AFailureToEndReachesEveryoneOfTheBatch) {
  bool fails = true;
  BatchThread thread({.begin = []() -> Result<void> { return {}; },
                      .end = [&]() -> Result<void> {
                        if (fails) return fail(Errc::Io, "the disk is full");
                        return {};
                      },
                      .abort = nullptr,
                      .idle = nullptr});
  const auto lost = thread.run_blocking([]() -> Result<int> { return 7; });
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().message, "the disk is full");
  (void)thread.run_blocking([&]() -> Result<int> { return fails = false, 0; });
  EXPECT_EQ(thread.run_blocking([]() -> Result<int> { return 8; }).value(), 8);
}

TEST(BatchThread, AnExceptionUndoesTheBatchAndNotTheThread) {
  bool open = false;
  BatchThread thread({.begin = [&]() -> Result<void> {
                        if (std::exchange(open, true)) return fail(Errc::Internal, "still open");
                        return {};
                      },
                      .end = [&]() -> Result<void> { return open = false, Result<void>{}; },
                      .abort = [&] { open = false; },
                      .idle = nullptr});
  const auto thrown =
      thread.run_blocking([]() -> Result<int> { throw std::runtime_error("not good"); });
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().code, Errc::Internal);
  EXPECT_EQ(thread.run_blocking([]() -> Result<int> { return 1; }).value(), 1);
}

TEST(BatchThread, DoesWhatIsQueuedBeforeItEnds) {
  std::atomic<int> done = 0;
  {
    BatchThread thread({.begin = []() -> Result<void> { return {}; },
                        .end = []() -> Result<void> { return {}; },
                        .abort = nullptr,
                        .idle = nullptr});
    for (int i = 0; i < 1'000; ++i) thread.post([&] { ++done; });
  }
  EXPECT_EQ(done, 1'000);
}

TEST(BatchThread, LooksWhatIsDueWithoutBeingAsked) {
  std::atomic<int> looks = 0;
  const auto begin = std::chrono::steady_clock::now();
  BatchThread thread({.begin = []() -> Result<void> { return {}; },
                      .end = []() -> Result<void> { return {}; },
                      .abort = nullptr,
                      .idle = [&]() -> std::optional<BatchThread::TimePoint> {
                        if (++looks >= 3) return std::nullopt;
                        return begin + std::chrono::milliseconds(looks.load());
                      }});
  while (looks < 3) std::this_thread::yield();
  EXPECT_EQ(thread.run_blocking([]() -> Result<int> { return 1; }).value(), 1);
}

}  // namespace
}  // namespace toolgate
