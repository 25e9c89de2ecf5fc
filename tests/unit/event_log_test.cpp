#include "invoke/event_log.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::shared_ptr<EventLog> log_with(int events) {
  auto log = std::make_shared<EventLog>();
  for (int i = 1; i <= events; ++i) log->append({{"kind", std::to_string(i)}});
  return log;
}

TEST(EventLog, AReaderGoesOnWhereItWas) {
  const auto log = log_with(5);
  const auto first = log->read(0, 3);
  ASSERT_EQ(first.events.size(), 3u);
  EXPECT_FALSE(first.missed);
  const auto rest = log->read(first.events.back()->number, 10);
  ASSERT_EQ(rest.events.size(), 2u);
  EXPECT_EQ(rest.events.back()->write(), "5");
  EXPECT_TRUE(log->read(5, 10).events.empty());
}

TEST(EventLog, AReaderThatWasTooSlowLearnsIt) {
  const auto log = log_with(static_cast<int>(EventLog::kMostEvents) + 10);
  const auto batch = log->read(3, 1);
  EXPECT_TRUE(batch.missed);
  EXPECT_EQ(batch.events.front()->number, 11u);
  EXPECT_FALSE(log->read(10, 1).missed);
}

TEST(EventLog, BigEventsPushOldOnesOut) {
  const auto log = log_with(10);
  log->append({{"kind", std::string(EventLog::kMostBytes, 'x')}});
  const auto batch = log->read(0, 100);
  EXPECT_TRUE(batch.missed);
  EXPECT_EQ(batch.events.size(), 1u);
}

TEST(EventLog, IdsOfAnotherProcessAreUnknown) {
  const auto log = log_with(3);
  const auto other = log_with(3);
  EXPECT_EQ(log->parse_id(log->id_of(2)), 2u);
  EXPECT_EQ(log->parse_id(other->id_of(2)), std::nullopt);
  EXPECT_EQ(log->parse_id(log->id_of(4)), std::nullopt) << "not there yet";
  for (const std::string_view bad : {"", "-", "2", "abc-2x"})
    EXPECT_EQ(log->parse_id(bad), std::nullopt) << bad;
}

TEST(EventLog, WakesThoseWhoFollowUntilTheyLeave) {
  const auto log = log_with(0);
  int woken = 0;
  {
    const auto following = log->on_append([&] { ++woken; });
    log->append({{"kind", "1"}, {"kind", "2"}});
    EXPECT_EQ(woken, 1);
    log->append({});
    EXPECT_EQ(woken, 1);
  }
  log->append({{"kind", "3"}});
  EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace toolgate
