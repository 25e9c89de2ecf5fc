#include "cli/moments.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

constexpr std::int64_t kNow = 1'740'000'000'000;  // 2025-02-19 21:20:00 UTC
constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

// The local zone as a test wants it, and back.
class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    set(name);
  }
  ~Zone() { before_.empty() ? unset() : set(before_.c_str()); }

 private:
  static void set(const char* name) {
    setenv("TZ", name, 1);
    tzset();
  }
  static void unset() {
    unsetenv("TZ");
    tzset();
  }
  std::string before_;
};

TEST(Durations, AreSumsOfNumbersWithUnits) {
  EXPECT_EQ(parse_duration("45s"), 45'000);
  EXPECT_EQ(parse_duration("30m"), 30 * kMinute);
  EXPECT_EQ(parse_duration("1h30m"), kHour + 30 * kMinute);
  EXPECT_EQ(parse_duration("2w"), 14 * kDay);
  EXPECT_EQ(parse_duration("0s"), 0);
}

TEST(Durations, OthersAreRefused) {
  for (const char* text : {"", "5", "h", "-5m", "5 m", "5m ", "1.5h", "5x", "99999999999999999999d",
                           "9223372036854775807w"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Durations, AreBoundedHoweverManyAreAdded) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "50000w";
  const auto parsed = parse_duration(text);
  ASSERT_TRUE(parsed);
  EXPECT_GT(*parsed, 0);
}

TEST(Since, IsADurationBeforeNow) {
  EXPECT_EQ(parse_since("2h", kNow), kNow - 2 * kHour);
  EXPECT_EQ(parse_since("9000w", kNow), 0);  // not before 1970
}

TEST(Since, IsADateWithItsZone) {
  EXPECT_EQ(parse_since("2025-02-19T21:20:00Z", kNow), kNow);
  EXPECT_EQ(parse_since("2025-02-19T23:20:00+02:00", kNow), kNow);
  EXPECT_EQ(parse_since("2025-02-19T16:50:00-0430", kNow), kNow);
  EXPECT_EQ(parse_since("2025-02-19T21:20:00.75Z", kNow), kNow + 750);
  EXPECT_EQ(parse_since("2025-02-19T21:20:00.0015999Z", kNow), kNow + 1);
}

TEST(Since, WithoutAZoneIsLocalTime) {
  const Zone zone("XYZ-3");  // three hours east
  EXPECT_EQ(parse_since("2025-02-20 00:20", kNow), kNow);
  EXPECT_EQ(parse_since("2025-02-20", kNow), kNow - 20 * kMinute);
  EXPECT_EQ(local_time(kNow), "2025-02-20 00:20:00");
}

TEST(Since, DatesThatAreNoneAreRefused) {
  for (const char* text :
       {"", "yesterday", "2025-13-01", "2025-02-30", "2025-2-3", "2025-02-19T", "2025-02-19T25:00",
        "2025-02-19T10:61", "2025-02-19T10:00x", "2025-02-19T10:00:00.Z", "2025-02-19Z"})
    EXPECT_FALSE(parse_since(text, kNow)) << text;
}

TEST(Since, TheErrorSaysWhatMayBeWritten) {
  const auto wrong = parse_since("soon\x1b[2J", kNow);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message.find('\x1b'), std::string::npos);
  EXPECT_NE(wrong.error().message.find("2h"), std::string::npos);
}

TEST(Ages, AreRough) {
  EXPECT_EQ(how_long_ago(kNow - 59'000, kNow), "just now");
  EXPECT_EQ(how_long_ago(kNow + 5'000, kNow), "just now");  // clocks differ
  EXPECT_EQ(how_long_ago(kNow - 61'000, kNow), "1 min ago");
  EXPECT_EQ(how_long_ago(kNow - 26 * kHour, kNow), "26 h ago");
  EXPECT_EQ(how_long_ago(kNow - 3 * kDay, kNow), "3 days ago");
}

TEST(TimesLeft, AreToTheSecondWhenTheyAreShort) {
  EXPECT_EQ(time_until(kNow + 299'999, kNow), "4:59");
  EXPECT_EQ(time_until(kNow + 5'000, kNow), "0:05");
  EXPECT_EQ(time_until(kNow - 5'000, kNow), "0:00");
  EXPECT_EQ(time_until(kNow + kHour + 5 * kMinute, kNow), "1 h 5 min");
  EXPECT_EQ(time_until(kNow + 12 * kDay, kNow), "12 days");
}

TEST(DurationWords, HaveTheUnitThatFits) {
  EXPECT_EQ(duration_words(12), "12 ms");
  EXPECT_EQ(duration_words(1'450), "1.4 s");
  EXPECT_EQ(duration_words(125'000), "2 min 5 s");
}

}  // namespace
}  // namespace toolgate
