#include "cli/call_line.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

const steady_clock::time_point kNow = steady_clock::time_point() + std::chrono::hours(1);

std::string line_of(ChatCall call, std::size_t width = 80) {
  CallOnScreen shown{.call = std::move(call), .began = kNow, .running = kNow - milliseconds(3'200)};
  shown.call.name = "get_weather";
  if (shown.call.arguments.empty()) shown.call.arguments = R"({"city":"Oslo"})";
  shown.progress = 0.42;
  shown.message = "half\nway";
  return call_line(shown, kNow, Terminal(stdout, width, false));
}

TEST(CallLine, SaysHowTheCallIs) {
  EXPECT_EQ(line_of({.state = "Executing"}), "⠋ get_weather  city \"Oslo\"  42%  half way  3 s");
  EXPECT_EQ(line_of({.state = "Completed", .started_at = 100, .ended_at = 141}),
            "✓ get_weather  city \"Oslo\"  41 ms");
  EXPECT_EQ(
      line_of({.state = "Completed", .error = "out of\npaper", .started_at = 1, .ended_at = 2}),
      "✗ get_weather  city \"Oslo\"  1 ms  out of paper");
  EXPECT_EQ(line_of({.state = "WaitingForConfirmation"}),
            "? get_weather  city \"Oslo\"  waits for a decision");
  EXPECT_EQ(line_of({.state = "Cancelled", .decision_kind = "Denied"}),
            "⊘ get_weather  city \"Oslo\"  denied");
  EXPECT_EQ(line_of({.state = "Cancelled", .decision_kind = "Denied", .error = "not today"}),
            "⊘ get_weather  city \"Oslo\"  denied: not today");
  EXPECT_EQ(
      line_of(
          {.state = "Cancelled", .decision_kind = "Denied", .error = "the user denied this call"}),
      "⊘ get_weather  city \"Oslo\"  denied");
  EXPECT_EQ(line_of({.state = "Cancelled", .decision_kind = "Skipped"}),
            "⊘ get_weather  city \"Oslo\"  skipped");
}

TEST(CallLine, FitsTheWindowAndKeepsItsEnd) {
  for (const std::size_t width : {20u, 30u, 40u, 60u}) {
    const std::string line =
        line_of({.state = "Completed",
                 .arguments = R"({"text":"a long argument that goes on and on and on and on"})",
                 .started_at = 0,
                 .ended_at = 12'300},
                width);
    EXPECT_LT(columns_of(line), width) << line;
    if (width >= 30) EXPECT_TRUE(line.ends_with("12.3 s")) << line;
  }
}

TEST(CallLine, WhatStrangersWroteCannotMoveTheCursor) {
  const std::string line = line_of({.state = "Completed",
                                    .arguments = "{\"a\":\"\\u001b[2J\\n\"}",
                                    .error = "\x1b[1A\xe2\x80\xae"});
  EXPECT_EQ(line.find('\x1b'), line.npos);
  EXPECT_EQ(line.find('\n'), line.npos);
  EXPECT_EQ(line.find("\xe2\x80\xae"), line.npos);
}

}  // namespace
}  // namespace toolgate
