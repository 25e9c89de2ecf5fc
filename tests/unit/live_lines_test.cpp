#include "cli/live_lines.h"

#include <gtest/gtest.h>

namespace toolgate {
namespace {

TEST(LiveLines, SendOnlyWhatChanged) {
  LiveLines lines;
  EXPECT_EQ(lines.draw({"a", "b"}), "a\r\nb\r\n");
  EXPECT_EQ(lines.draw({"a", "b"}), "");
  EXPECT_EQ(lines.draw({"A", "b"}), "\x1b[2AA\x1b[K\r\x1b[2B");
  EXPECT_EQ(lines.draw({"A", "b", "c"}), "c\r\n");
  EXPECT_EQ(lines.draw({"A"}), "\x1b[2A\x1b[J");
}

TEST(LiveLines, WhatIsKeptIsNotTouchedAgain) {
  LiveLines lines;
  lines.draw({"done", "runs"});
  lines.keep(1);
  EXPECT_EQ(lines.count(), 1u);
  EXPECT_EQ(lines.draw({"RUNS"}), "\x1b[1ARUNS\x1b[K\r\x1b[1B");
  EXPECT_EQ(lines.erase(), "\x1b[1A\x1b[J");
  EXPECT_EQ(lines.erase(), "");
}

}  // namespace
}  // namespace toolgate
