// Edits that fail, or are cut off, after they have changed something.
#include <cerrno>
#include <csignal>
#include <sys/syscall.h>

#include "captured_log.h"
#include "edits_fixture.h"

namespace toolgate {
namespace {

// Makes calls of the kernel fail while it lives.
class FailingCall {
 public:
  enum class Which : std::uint8_t { Rename, RenameWithFlags, SyncOfFolder };

  FailingCall(Which which, int error, const fs::path& folder = {}) : which_(which) {
    errors()[which] = error;
    if (!folder.empty()) ::stat(folder.c_str(), &synced());
  }
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;
  ~FailingCall() { errors().erase(which_); }

  // 0: it does not fail.
  static int error_of(Which which) {
    const auto found = errors().find(which);
    return found == errors().end() ? 0 : found->second;
  }
  static bool is_synced_folder(int file) {
    struct stat facts = {};
    return ::fstat(file, &facts) == 0 && facts.st_ino == synced().st_ino;
  }

 private:
  static std::map<Which, int>& errors() {
    static std::map<Which, int> errors;
    return errors;
  }
  static struct stat& synced() {
    static struct stat facts = {};
    return facts;
  }

  const Which which_;
};

long fail_or(FailingCall::Which which, const std::function<long()>& call) {
  const int error = FailingCall::error_of(which);
  if (error == 0) return call();
  errno = error;
  return -1;
}

}  // namespace
}  // namespace toolgate

// The linker takes these before those of the C library.
extern "C" {

int renameat(int from, const char* old_name, int to, const char* name) noexcept {
  return static_cast<int>(toolgate::fail_or(toolgate::FailingCall::Which::Rename, [&] {
    return ::syscall(SYS_renameat2, from, old_name, to, name, 0);
  }));
}

int renameat2(int from, const char* old_name, int to, const char* name,
              unsigned int flags) noexcept {
  using toolgate::FailingCall;
  return static_cast<int>(toolgate::fail_or(
      flags == 0 ? FailingCall::Which::Rename : FailingCall::Which::RenameWithFlags,
      [&] { return ::syscall(SYS_renameat2, from, old_name, to, name, flags); }));
}

int fsync(int file) {
  using toolgate::FailingCall;
  const int error = FailingCall::error_of(FailingCall::Which::SyncOfFolder);
  if (error != 0 && FailingCall::is_synced_folder(file)) {
    errno = error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

}  // extern "C"

namespace toolgate {
namespace {

// An edit of a.txt and b.txt that fails at the second, after somebody did something to the first.
class EditsTakenBack : public EditsTest {
 protected:
  void SetUp() override {
    write("a.txt", "a\n");
    write("b.txt", "b\n");
  }

  Result<EditRecord> apply_while(const std::function<void()>& somebody) {
    const auto made = plan([](EditDraft& draft) {
      EXPECT_TRUE(draft.write("a.txt", "A\n"));
      EXPECT_TRUE(draft.write("b.txt", "B\n"));
    });
    Edits edits(data_, [&](std::string_view point) {
      if (point != "changed 0") return;
      somebody();
      write("b.txt", "changed\n");
    });
    return edits.apply(*made, {});
  }

  // What somebody did stays, and what was there before can be had.
  void check_both_are_there(const Result<EditRecord>& done, std::string_view by_somebody) {
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("b.txt has changed meanwhile"), std::string::npos);
    EXPECT_NE(done.error().message.find("a.txt could not be put back"), std::string::npos);
    EXPECT_EQ(read(folder_ / "a.txt"), by_somebody);
    EXPECT_EQ(read(folder_ / "b.txt"), "changed\n");
    EXPECT_EQ(tree_of(folder_).size(), 2U) << "no temporary file is left";
    Edits next(data_);
    ASSERT_EQ(next.list(10).size(), 1U);
    const EditRecord kept = next.list(1).front();
    EXPECT_NE(done.error().message.find(kept.id), std::string::npos);
    ASSERT_EQ(kept.changes.size(), 1U);
    const auto undone = next.undo(kept.id, {.force = true});
    ASSERT_TRUE(undone) << undone.error().message;
    EXPECT_EQ(read(folder_ / "a.txt"), "a\n");
    ASSERT_TRUE(next.undo(undone->id, {}));
    EXPECT_EQ(read(folder_ / "a.txt"), by_somebody);
  }
};

TEST_F(EditsTakenBack, LoseNothingWhenSomebodySavesOverAFile) {
  CapturedLog log;
  const auto done = apply_while([&] {
    root_.write("new.txt", "saved\n");
    fs::rename(root_.path() / "new.txt", folder_ / "a.txt");
  });
  const std::string logged = log.take();
  EXPECT_NE(logged.find("a.txt could not be put back"), std::string::npos) << logged;
  check_both_are_there(done, "saved\n");
}

TEST_F(EditsTakenBack, LoseNothingWhenSomebodyWritesIntoAFile) {
  check_both_are_there(apply_while([&] { write("a.txt", "written\n"); }), "written\n");
}

TEST_F(EditsTakenBack, LeaveNoTraceWhereNobodyInterfered) {
  const auto done = apply_while([] {});
  ASSERT_FALSE(done);
  EXPECT_EQ(read(folder_ / "a.txt"), "a\n");
  EXPECT_EQ(tree_of(folder_).size(), 2U);
  EXPECT_TRUE(Edits(data_).list(1).empty());
  EXPECT_TRUE(fs::is_empty(data_ / "edits/blobs"));
}

TEST_F(EditsTakenBack, LeaveANewFileThatSomebodyWroteInto) {
  const auto made = plan([](EditDraft& draft) {
    EXPECT_TRUE(draft.create("c.txt", "C\n"));
    EXPECT_TRUE(draft.write("b.txt", "B\n"));
  });
  Edits edits(data_, [&](std::string_view point) {
    if (point != "changed 0") return;
    write("c.txt", "written\n");
    write("b.txt", "changed\n");
  });
  EXPECT_FALSE(edits.apply(*made, {}));
  EXPECT_EQ(read(folder_ / "c.txt"), "written\n");
}

// Ends a process after the first of the two files, and starts the next.
class EditsCutOff : public EditsTakenBack {
 protected:
  void cut_off() {
    const int status = in_child([&] { return apply_while([] { ::raise(SIGKILL); }) ? 0 : 1; });
    ASSERT_EQ(status, 128 + SIGKILL);
    ASSERT_EQ(read(folder_ / "a.txt"), "A\n");
  }
};

TEST_F(EditsCutOff, AreTakenBackWithoutTheBackupToo) {
  cut_off();
  for (const auto& blob : fs::directory_iterator(data_ / "edits/blobs"))
    std::ofstream(blob.path()) << "ruined";
  Edits next(data_);
  EXPECT_EQ(read(folder_ / "a.txt"), "a\n");
  EXPECT_EQ(tree_of(folder_).size(), 2U) << "no temporary file is left";
}

TEST_F(EditsCutOff, KeepTheBackupOfWhatSomebodyChangedSince) {
  cut_off();
  write("a.txt", "since\n");
  Edits next(data_);
  EXPECT_EQ(read(folder_ / "a.txt"), "since\n");
  EXPECT_EQ(tree_of(folder_).size(), 2U);
  ASSERT_EQ(next.list(10).size(), 1U);
  const std::string id = next.list(1).front().id;
  ASSERT_TRUE(next.undo(id, {.force = true}));
  EXPECT_EQ(read(folder_ / "a.txt"), "a\n");
}

TEST_F(EditsCutOff, MendTheBackupOfWhatSomebodyChangedSince) {
  cut_off();
  write("a.txt", "since\n");
  for (const auto& blob : fs::directory_iterator(data_ / "edits/blobs"))
    std::ofstream(blob.path()) << "??";  // as long as it was
  Edits next(data_);
  ASSERT_EQ(next.list(10).size(), 1U);
  const auto undone = next.undo(next.list(1).front().id, {.force = true});
  ASSERT_TRUE(undone) << undone.error().message;
  EXPECT_EQ(read(folder_ / "a.txt"), "a\n");
}

TEST_F(EditsCutOff, OfWhatWasNeverReachedNothingIsKept) {
  cut_off();
  write("b.txt", "since\n");
  Edits next(data_);
  EXPECT_EQ(read(folder_ / "a.txt"), "a\n");
  EXPECT_EQ(read(folder_ / "b.txt"), "since\n");
  EXPECT_TRUE(next.list(10).empty());
}

TEST_F(EditsTakenBack, AndMadeWhereFilesCannotBeExchanged) {
  const FailingCall no_exchange(FailingCall::Which::RenameWithFlags, EINVAL);
  ASSERT_TRUE(put("a.txt", "two\n"));
  ASSERT_TRUE(apply([](EditDraft& draft) { EXPECT_TRUE(draft.remove("b.txt")); }));
  EXPECT_EQ(tree_of(folder_).size(), 1U) << "no second name is left";
  write("b.txt", "b\n");
  EXPECT_FALSE(apply_while([] {}));
  EXPECT_EQ(read(folder_ / "a.txt"), "two\n");
  EXPECT_EQ(tree_of(folder_).size(), 2U);
}

TEST_F(EditsTakenBack, LoseNothingWhereFilesCannotBeExchanged) {
  const FailingCall no_exchange(FailingCall::Which::RenameWithFlags, EINVAL);
  check_both_are_there(apply_while([&] { write("a.txt", "written\n"); }), "written\n");
}

TEST_F(EditsTakenBack, AfterACrashWhereFilesCannotBeExchanged) {
  const FailingCall no_exchange(FailingCall::Which::RenameWithFlags, EINVAL);
  const int status = in_child([&] { return apply_while([] { ::raise(SIGKILL); }) ? 0 : 1; });
  ASSERT_EQ(status, 128 + SIGKILL);
  Edits next(data_);
  EXPECT_EQ(read(folder_ / "a.txt"), "a\n");
  EXPECT_EQ(tree_of(folder_).size(), 2U);
}

TEST_F(EditsTakenBack, WithoutASecondNameWhenTheRenameFails) {
  {
    const FailingCall no_exchange(FailingCall::Which::RenameWithFlags, EINVAL);
    const FailingCall no_rename(FailingCall::Which::Rename, EIO);
    EXPECT_FALSE(put("a.txt", "two\n"));
  }
  EXPECT_EQ(tree_of(folder_).size(), 2U);
  EXPECT_EQ(fs::hard_link_count(folder_ / "a.txt"), 1U);
  EXPECT_TRUE(put("a.txt", "two\n"));
}

TEST_F(EditsTakenBack, WhenAFolderCannotBeWritten) {
  const FailingCall no_sync(FailingCall::Which::SyncOfFolder, EIO, folder_);
  const auto done = put("a.txt", "two\n");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("cannot write the folder of a.txt"), std::string::npos);
  EXPECT_EQ(read(folder_ / "a.txt"), "a\n");
  EXPECT_TRUE(edits_.list(1).empty());
}

// tmpfs has attributes of more than 4 KB, since Linux 6.6.

}  // namespace
}  // namespace toolgate
