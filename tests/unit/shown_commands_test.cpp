#include "builtin/shown_commands.h"

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

const ShownCommand kShown{.input = "{}",
                          .script = "make",
                          .is_sandboxed = true,
                          .has_network = false,
                          .writable = {"/w", "/cache"},
                          .hidden = {"/secret"}};

std::string conflict_with(const ShownCommand& now) {
  const auto checked = check_as_shown(kShown, now);
  return checked ? "" : checked.error().message;
}

TEST(ShownCommands, WhatDiffersOrMayDoMoreIsAConflict) {
  EXPECT_EQ(conflict_with(kShown), "");
  ShownCommand now = kShown;
  now.script = "make install";
  EXPECT_TRUE(conflict_with(now).contains("something else than what was shown"));
  now.input = "{\"id\":\"other\"}";  // changed by a person
  EXPECT_EQ(conflict_with(now), "");
  now = kShown;
  now.is_sandboxed = false;
  EXPECT_TRUE(conflict_with(now).contains("off by now"));
  now = kShown;
  now.has_network = true;
  EXPECT_TRUE(conflict_with(now).contains("network"));
  now = kShown;
  now.writable.push_back("/etc");
  EXPECT_TRUE(conflict_with(now).contains("/etc"));
  now = kShown;
  now.hidden.clear();
  EXPECT_TRUE(conflict_with(now).contains("/secret"));
}

TEST(ShownCommands, WhatMayDoLessIsNone) {
  ShownCommand now = kShown;
  now.writable = {"/w"};
  now.hidden.push_back("/more");
  EXPECT_EQ(conflict_with(now), "");
  ShownCommand shown = kShown;
  shown.is_sandboxed = false;
  shown.has_network = true;
  EXPECT_TRUE(check_as_shown(shown, kShown));
}

TEST(ShownCommands, AreKnownOnceAndAfterARestart) {
  const TemporaryFolder folder;
  const ToolCall call{.id = "call_1", .caller = "me"};
  EXPECT_TRUE(ShownCommands(folder.path()).note("run_task", call, kShown));
  ShownCommands again(folder.path());
  EXPECT_FALSE(again.take("run_task", {.id = "call_2", .caller = "me"}, kShown));
  EXPECT_FALSE(again.take("run_task", {.id = "call_1", .caller = "you"}, kShown));
  EXPECT_TRUE(again.take("run_task", call, kShown));
  const auto taken = again.take("run_task", call, kShown);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Errc::Conflict);
}

}  // namespace
}  // namespace toolgate
