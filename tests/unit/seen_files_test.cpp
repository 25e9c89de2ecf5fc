#include "builtin/seen_files.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

class SeenFilesTest : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) {
    std::ofstream(folder_.path() / name, std::ios::binary | std::ios::trunc) << text;
    // Two writes within one tick of the file system's clock have one time.
    fs::last_write_time(folder_.path() / name, fs::file_time_type::clock::now() + later_);
    later_ += std::chrono::seconds(1);
  }
  std::string path_of(const std::string& name) { return (folder_.path() / name).string(); }

  void read(SeenFiles& seen, const ToolCall& call, const std::string& name) {
    struct stat facts = {};
    ASSERT_EQ(::stat(path_of(name).c_str(), &facts), 0);
    seen.note(call, path_of(name), facts);
  }
  EditPlan plan_for(const std::string& name) {
    FileChange change{.path = path_of(name), .shown = name};
    change.before.kind = change.after.kind = FileState::Kind::File;
    return {.changes = {change}};
  }

  TemporaryFolder folder_;
  std::chrono::seconds later_{0};
};

constexpr auto call_of = [](std::string caller, std::string session, std::string request = "") {
  return ToolCall{.request_id = std::move(request),
                  .session_id = std::move(session),
                  .caller = std::move(caller)};
};

TEST_F(SeenFilesTest, AFileThatChangedIsAConflictForWhoeverReadIt) {
  SeenFiles seen;
  write("a", "1");
  const ToolCall ann = call_of("ann", "s");
  read(seen, ann, "a");
  EXPECT_TRUE(seen.check(ann, plan_for("a")));
  write("a", "2");
  EXPECT_EQ(seen.check(ann, plan_for("a")).error().code, Errc::Conflict);
  // The same session of another caller, another session, and a request named like the session.
  EXPECT_TRUE(seen.check(call_of("bob", "s"), plan_for("a")));
  EXPECT_TRUE(seen.check(call_of("ann", "t"), plan_for("a")));
  EXPECT_TRUE(seen.check(call_of("ann", "", "s"), plan_for("a")));
  read(seen, ann, "a");
  EXPECT_TRUE(seen.check(ann, plan_for("a")));
}

TEST_F(SeenFilesTest, WithoutASessionARequestRemembers) {
  SeenFiles seen;
  write("a", "1");
  read(seen, call_of("ann", "", "r1"), "a");
  write("a", "22");
  EXPECT_FALSE(seen.check(call_of("ann", "", "r1"), plan_for("a")));
  EXPECT_TRUE(seen.check(call_of("ann", "", "r2"), plan_for("a")));
}

TEST_F(SeenFilesTest, OnesOwnEditIsKnownByWhatItMakes) {
  SeenFiles seen;
  const ToolCall ann = call_of("ann", "s");
  EditPlan own = plan_for("a");
  own.changes.front().after.sha256 = "mine";
  EditPlan next = plan_for("a");
  next.changes.front().before.sha256 = "mine";
  write("a", "1");
  read(seen, ann, "a");
  seen.note_making(ann, own);
  EXPECT_TRUE(seen.check(ann, plan_for("a"))) << "it is not made yet, and may never be";
  write("a", "2");
  EXPECT_TRUE(seen.check(ann, next)) << "made, but not told yet";
  seen.note_made(ann, own);
  EXPECT_TRUE(seen.check(ann, next));
  next.changes.front().before.sha256 = "somebody's";
  EXPECT_FALSE(seen.check(ann, next)) << "also when it was written before the edit was told";
  // Removed by the session, then made by somebody else: it was never read.
  EditPlan removal = plan_for("a");
  removal.changes.front().after.kind = FileState::Kind::Absent;
  seen.note_made(ann, removal);
  EXPECT_TRUE(seen.check(ann, plan_for("a")));
}

TEST_F(SeenFilesTest, AFileThatIsGoneIsAConflict) {
  SeenFiles seen;
  const ToolCall ann = call_of("ann", "s");
  write("a", "1");
  read(seen, ann, "a");
  fs::remove(folder_.path() / "a");
  EXPECT_FALSE(seen.check(ann, plan_for("a")));
}

TEST_F(SeenFilesTest, WhatWasReadLongestAgoIsForgotten) {
  SeenFiles seen(2);
  const ToolCall ann = call_of("ann", "s");
  for (const std::string name : {"a", "b", "a", "c"}) {
    write(name, "1");
    read(seen, ann, name);
  }
  for (const std::string name : {"a", "b", "c"}) write(name, "2");
  EXPECT_FALSE(seen.check(ann, plan_for("a")));
  EXPECT_TRUE(seen.check(ann, plan_for("b")));
  EXPECT_FALSE(seen.check(ann, plan_for("c")));
}

}  // namespace
}  // namespace toolgate
