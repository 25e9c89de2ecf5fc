#include "builtin/call_notes.h"

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

TEST(CallNotes, BelongToOneCallAndSurviveARestart) {
  const TemporaryFolder folder;
  const ToolCall call{.id = "call_1", .request_id = "r", .session_id = "s", .caller = "me"};
  EXPECT_TRUE(CallNotes(folder.path() / "notes").write("tool", call, "a note"));
  CallNotes notes(folder.path() / "notes");
  EXPECT_EQ(notes.read("tool", call).value_or("none"), "a note");
  EXPECT_FALSE(notes.read("other", call));
  ToolCall moved = call;
  moved.session_id = "";
  moved.request_id = "rs";
  EXPECT_FALSE(notes.read("tool", moved));
  notes.remove("tool", call);
  EXPECT_FALSE(notes.read("tool", call));
}

TEST(CallNotes, OfCallsThatAreNeverMadeThereAreNone) {
  const TemporaryFolder folder;
  CallNotes notes(folder.path());
  EXPECT_TRUE(notes.write("tool", {}, "a note"));
  EXPECT_FALSE(notes.read("tool", {}));
  CallNotes nowhere({});
  EXPECT_TRUE(nowhere.write("tool", {.id = "call_1"}, "a note"));
  EXPECT_FALSE(nowhere.are_kept());
}

TEST(CallNotes, OldOnesGo) {
  const TemporaryFolder folder;
  const ToolCall old{.id = "old"};
  EXPECT_TRUE(CallNotes(folder.path()).write("tool", old, "a note"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    std::filesystem::last_write_time(
        entry.path(), std::filesystem::file_time_type::clock::now() - std::chrono::days(31));
  const ToolCall fresh{.id = "new"};
  EXPECT_TRUE(CallNotes(folder.path()).write("tool", fresh, "a note"));
  const CallNotes notes(folder.path());
  EXPECT_FALSE(notes.read("tool", old));
  EXPECT_TRUE(notes.read("tool", fresh));
}

}  // namespace
}  // namespace toolgate
