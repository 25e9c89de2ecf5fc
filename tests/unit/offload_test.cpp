// Work beside the loop.
#include "async/offload.h"

#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "test_loop.h"

namespace toolgate {
namespace {

struct Threads {
  std::thread::id before;
  std::thread::id during;
  std::thread::id after;
};

Task<Threads> note_threads() {
  Threads threads;
  threads.before = std::this_thread::get_id();
  const CancelSource never;
  const auto during = co_await offload(
      []() -> Result<std::thread::id> { return std::this_thread::get_id(); }, never);
  threads.during = *during;
  threads.after = std::this_thread::get_id();
  co_return threads;
}

TEST(Offload, WorksElsewhereAndComesBack) {
  TestLoop loop;
  const Threads threads = loop.run(note_threads);
  EXPECT_NE(threads.during, threads.before);
  EXPECT_EQ(threads.after, threads.before);
}

Task<std::string> catch_what_is_thrown() {
  try {
    const CancelSource never;
    (void)co_await offload([]() -> Result<int> { throw std::runtime_error("oh"); }, never);
  } catch (const std::runtime_error& error) {
    co_return error.what();
  }
  co_return "nothing";
}

TEST(Offload, AnExceptionComesBackToo) {
  TestLoop loop;
  EXPECT_EQ(loop.run(catch_what_is_thrown), "oh");
}

Task<Result<int>> start_cancelled(bool& begun) {
  CancelSource source;
  source.request(CancelReason::ClientGone);
  co_return co_await offload(
      [&begun]() -> Result<int> {
        begun = true;
        return 1;
      },
      source);
}

TEST(Offload, ACancelledOneIsNotBegun) {
  TestLoop loop;
  bool begun = false;
  const auto result = loop.run([&] { return start_cancelled(begun); });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::Cancelled);
  EXPECT_FALSE(begun);
}

}  // namespace
}  // namespace toolgate
