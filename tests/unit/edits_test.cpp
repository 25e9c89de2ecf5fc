#include "builtin/edits.h"

#include <csignal>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/xattr.h>

#include "builtin/edit_diff.h"
#include "captured_log.h"
#include "edits_fixture.h"

namespace toolgate {
namespace {

TEST_F(EditsTest, AFileKeepsItsMode) {
  write("run.sh", "echo 1\r\n", 0750);
  ASSERT_TRUE(put("run.sh", "echo 2\n"));
  EXPECT_EQ(read(folder_ / "run.sh"), "echo 2\r\n");
  struct stat facts = {};
  ::stat((folder_ / "run.sh").c_str(), &facts);
  EXPECT_EQ(facts.st_mode & 07777, 0750U);
  EXPECT_EQ(tree_of(folder_).size(), 1U) << "no temporary file is left";
}

TEST_F(EditsTest, UndoAndItsUndo) {
  write("a.txt", "one\n", 0600);
  const auto before = tree_of(folder_);
  const auto edit = apply([](EditDraft& draft) {
    EXPECT_TRUE(draft.write("a.txt", "two\n"));
    EXPECT_TRUE(draft.create("deep/er/b.txt", "new\n"));
  });
  ASSERT_TRUE(edit) << edit.error().message;
  const auto after = tree_of(folder_);
  const auto undo = edits_.undo(edit->id, {});
  ASSERT_TRUE(undo) << undo.error().message;
  EXPECT_EQ(tree_of(folder_), before);
  EXPECT_EQ(edits_.undone_by(edit->id), undo->id);
  const auto twice = edits_.undo(edit->id, {});
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("is undone already"), std::string::npos);
  const auto redo = edits_.undo(undo->id, {});
  ASSERT_TRUE(redo) << redo.error().message;
  EXPECT_EQ(tree_of(folder_), after);
  EXPECT_EQ(edits_.undone_by(edit->id), "");
  ASSERT_TRUE(edits_.undo(edit->id, {}));
  EXPECT_EQ(tree_of(folder_), before);
}

TEST_F(EditsTest, WhatIsNotAsTheEditLeftItIsUndoneByForceOnly) {
  write("a.txt", "one\n");
  const auto edit = put("a.txt", "two\n");
  write("a.txt", "by hand\n");
  const auto refused = edits_.undo(edit->id, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Conflict);
  EXPECT_NE(refused.error().message.find("a.txt has changed since this edit"), std::string::npos);
  EXPECT_EQ(read(folder_ / "a.txt"), "by hand\n");
  const auto forced = edits_.undo(edit->id, {.force = true});
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_EQ(read(folder_ / "a.txt"), "one\n");
  ASSERT_TRUE(edits_.undo(forced->id, {}));
  EXPECT_EQ(read(folder_ / "a.txt"), "by hand\n") << "force keeps what was there";
  EXPECT_EQ(edits_.undo("edit_none", {}).error().code, Errc::NotFound);
}

TEST_F(EditsTest, AModeThatChangedSinceIsAConflict) {
  write("a.txt", "one\n");
  const auto edit = put("a.txt", "two\n");
  fs::permissions(folder_ / "a.txt", fs::perms::owner_all);
  EXPECT_EQ(edits_.undo(edit->id, {}).error().code, Errc::Conflict);
}

TEST_F(EditsTest, AFolderThatHoldsSomethingElseByNowStays) {
  const auto edit = put("new/deep/a.txt", "a\n");
  write("new/other.txt", "mine\n");
  const auto undo = edits_.undo(edit->id, {});
  ASSERT_TRUE(undo) << undo.error().message;
  EXPECT_FALSE(fs::exists(folder_ / "new/deep"));
  EXPECT_EQ(read(folder_ / "new/other.txt"), "mine\n");
  ASSERT_TRUE(edits_.undo(undo->id, {}));
  EXPECT_EQ(read(folder_ / "new/deep/a.txt"), "a\n");
}

TEST_F(EditsTest, WhatIsAsBeforeAlreadyIsUndoneWithoutAChange) {
  const auto made = apply([](EditDraft& draft) { EXPECT_TRUE(draft.make_folder("new")); });
  write("new/mine.txt", "mine\n");
  const auto file = put("a.txt", "a\n");
  fs::remove(folder_ / "a.txt");
  for (const std::string& id : {file->id, made->id}) {
    const auto undo = edits_.undo(id, {});
    ASSERT_TRUE(undo) << undo.error().message;
    EXPECT_TRUE(undo->changes.empty());
    EXPECT_EQ(edits_.undone_by(id), undo->id);
  }
  EXPECT_EQ(read(folder_ / "new/mine.txt"), "mine\n");
  EXPECT_EQ(Edits(data_).list(10).size(), 4U) << "they are kept like others";
}

TEST_F(EditsTest, AFileThatBecameAFolderIsSaidToBeOne) {
  const auto edit = put("a.txt", "a\n");
  fs::remove(folder_ / "a.txt");
  fs::create_directory(folder_ / "a.txt");
  for (const bool force : {false, true}) {
    const auto refused = edits_.undo(edit->id, {.force = force});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::Conflict);
    EXPECT_TRUE(refused.error().message.contains("a.txt is a folder by now"))
        << refused.error().message;
    EXPECT_TRUE(refused.error().message.contains("move it away"));
  }
}

TEST_F(EditsTest, SaysHowAFileIsAnotherOneThanItLeft) {
  const auto problem = [&](const Result<EditRecord>& edit) {
    const auto undo = edits_.undo(edit->id, {});
    return undo ? std::string() : undo.error().message;
  };
  const auto created = put("a.txt", "a\n");
  fs::permissions(folder_ / "a.txt", fs::perms::owner_all);
  EXPECT_EQ(problem(created), "the permissions of a.txt have changed since this edit");
  write("a.txt", "b\n");
  EXPECT_EQ(problem(created), "a.txt has changed since this edit");
  const auto removed = apply([](EditDraft& draft) { EXPECT_TRUE(draft.remove("a.txt")); });
  write("a.txt", "c\n");
  EXPECT_EQ(problem(removed), "a.txt is there again since this edit");
}

TEST_F(EditsTest, AnUndoThatFailsLatePutsFoldersAndFilesBack) {
  write("z.txt", "z\n");
  const auto edit = apply([](EditDraft& draft) {
    EXPECT_TRUE(draft.make_folder("a"));
    EXPECT_TRUE(draft.create("b/c/d.txt", "d\n"));
    EXPECT_TRUE(draft.create("b/c/e.txt", "e\n"));
  });
  ASSERT_TRUE(edit);
  auto tree = tree_of(folder_);
  Edits edits(data_, [&](std::string_view point) {
    if (point != "begun") return;
    write("a/mine.txt", "mine\n");  // meanwhile; undone last
    tree = tree_of(folder_);
  });
  const auto refused = edits.undo(edit->id, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("the folder a is not empty"), std::string::npos);
  EXPECT_EQ(tree_of(folder_), tree);
}

TEST_F(EditsTest, NeverHalfAnEdit) {
  write("a.txt", "a\n");
  write("b.txt", "b\n");
  write("c.txt", "c\n");
  const auto made = plan([](EditDraft& draft) {
    EXPECT_TRUE(draft.create("x/y/new.txt", "new\n"));
    EXPECT_TRUE(draft.write("a.txt", "A\n"));
    EXPECT_TRUE(draft.remove("b.txt"));
    EXPECT_TRUE(draft.write("c.txt", "C\n"));
  });
  ASSERT_TRUE(made);
  write("c.txt", "changed\n");
  const auto tree = tree_of(folder_);
  const auto done = edits_.apply(*made, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::Conflict);
  EXPECT_NE(done.error().message.find("c.txt has changed meanwhile"), std::string::npos);
  EXPECT_EQ(tree_of(folder_), tree);
  EXPECT_TRUE(edits_.list(10).empty());
}

TEST_F(EditsTest, WhoeverWritesWhileAFileIsReplacedLosesNothing) {
  write("a.txt", "a\n");
  const auto made = plan([](EditDraft& draft) { EXPECT_TRUE(draft.write("a.txt", "A\n")); });
  Edits edits(data_, [&](std::string_view point) {
    if (point == "written") write("a.txt", "somebody else\n");
  });
  const auto done = edits.apply(*made, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::Conflict);
  EXPECT_EQ(read(folder_ / "a.txt"), "somebody else\n");
  EXPECT_EQ(tree_of(folder_).size(), 1U);
}

TEST_F(EditsTest, AFileThatAppearsMeanwhileIsNotReplaced) {
  const auto made = plan([](EditDraft& draft) { EXPECT_TRUE(draft.create("a.txt", "A\n")); });
  Edits edits(data_, [&](std::string_view point) {
    if (point == "written") write("a.txt", "somebody else\n");
  });
  EXPECT_FALSE(edits.apply(*made, {}));
  EXPECT_EQ(read(folder_ / "a.txt"), "somebody else\n");
  EXPECT_EQ(tree_of(folder_).size(), 1U);
}

TEST_F(EditsTest, AFolderThatBecomesALinkIsNotFollowed) {
  write("in/a.txt", "a\n");
  root_.write("outside/a.txt", "a\n");
  const auto made = plan([](EditDraft& draft) { EXPECT_TRUE(draft.write("in/a.txt", "A\n")); });
  fs::rename(folder_ / "in", folder_ / "was");
  fs::create_symlink(root_.path() / "outside", folder_ / "in");
  const auto done = edits_.apply(*made, {});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("is another place by now"), std::string::npos);
  EXPECT_EQ(read(root_.path() / "outside/a.txt"), "a\n");
}

TEST_F(EditsTest, HardCasesAreRefused) {
  write("two.txt", "a\n");
  fs::create_hard_link(folder_ / "two.txt", folder_ / "names.txt");
  write("locked.txt", "a\n", 0444);
  write("setuid", "a\n", 04755);
  write("binary", std::string_view("a\0b", 3));
  write("latin", "caf\xE9\n");
  write("shut/a.txt", "a\n");
  fs::permissions(folder_ / "shut", fs::perms(0555));
  fs::create_directory(folder_ / "sub");
  ::mkfifo((folder_ / "pipe").c_str(), 0600);
  write("huge", "");
  fs::resize_file(folder_ / "huge", std::uintmax_t{1} << 30);
  fs::create_symlink("nowhere/x", folder_ / "dangling");
  fs::create_symlink("loop", folder_ / "loop");
  const std::pair<const char*, const char*> cases[] = {{"two.txt", "has 2 names"},
                                                       {"locked.txt", "is read-only"},
                                                       {"setuid", "setuid"},
                                                       {"binary", "is binary"},
                                                       {"latin", "is not UTF-8"},
                                                       {"shut/a.txt", "its folder is read-only"},
                                                       {"sub", "is a folder"},
                                                       {"pipe", "not a file"},
                                                       {"huge", "has 1073741824 bytes"},
                                                       {"none.txt", "there is no none.txt"},
                                                       {"loop", "circle"},
                                                       {"../x", "outside the workspace"},
                                                       {"dangling/x", "leads nowhere"}};
  for (const auto& [name, words] : cases) {
    EditDraft draft(workspace_);
    auto text = draft.read(name);
    Result<void> written = text ? draft.write(name, "b\n") : std::unexpected(text.error());
    ASSERT_FALSE(written) << name;
    EXPECT_NE(written.error().message.find(words), std::string::npos) << written.error().message;
  }
  EXPECT_FALSE(EditDraft(workspace_).create("shut/new.txt", "x"));
  EXPECT_FALSE(EditDraft(workspace_).create("two.txt/new.txt", "x"));
  fs::permissions(folder_ / "shut", fs::perms(0755));
}

TEST_F(EditsTest, AMovedFileKeepsModeAndBytes) {
  write("a.bin", std::string_view("\0\1", 2), 0755);
  const auto before = tree_of(folder_);
  const auto edit = apply([](EditDraft& draft) { EXPECT_TRUE(draft.move("a.bin", "to/b.bin")); });
  ASSERT_TRUE(edit) << edit.error().message;
  EXPECT_EQ(tree_of(folder_)["to/b.bin"], before.at("a.bin"));
  EXPECT_FALSE(fs::exists(folder_ / "a.bin"));
  ASSERT_TRUE(edits_.undo(edit->id, {}));
  EXPECT_EQ(tree_of(folder_), before);
}

// A process that is killed at any point leaves the tree as it was, or as the edit makes it.
TEST_F(EditsTest, WhatAKillCutsOffIsTakenBackAtTheNextStart) {
  write("a.txt", "a\n", 0600);
  write("b.txt", "b\n");
  const auto before = tree_of(folder_);
  const auto change = [](EditDraft& draft) {
    EXPECT_TRUE(draft.create("new/c.txt", "c\n"));
    EXPECT_TRUE(draft.write("a.txt", "A\n"));
    EXPECT_TRUE(draft.remove("b.txt"));
  };
  int killed = 0;
  for (int point = 0;; ++point) {
    const int status = in_child([&] {
      int passed = 0;
      Edits edits(data_, [&](std::string_view) {
        if (passed++ == point) ::raise(SIGKILL);
      });
      const auto made = plan(change);
      return made && edits.apply(*made, {}) ? 0 : 1;
    });
    const bool is_finished = status == 128 + SIGKILL && !Edits(data_).list(10).empty();
    if (status == 0 || is_finished) {
      EXPECT_EQ(status == 0 ? killed : killed + 1, 8) << "points are passed";
      break;
    }
    ASSERT_EQ(status, 128 + SIGKILL);
    ++killed;
    EXPECT_EQ(tree_of(folder_), before) << "killed at point " << point;
  }
  Edits next(data_);
  ASSERT_EQ(next.list(10).size(), 1U);
  EXPECT_EQ(read(folder_ / "a.txt"), "A\n");
  EXPECT_EQ(tree_of(folder_).size(), 3U) << "no temporary file is left";
  ASSERT_TRUE(next.undo(next.list(1).front().id, {}));
  EXPECT_EQ(tree_of(folder_), before);
}

// An own view of the file systems, in which we may mount; as root or in a user namespace.
bool may_mount() {
  const auto user = ::getuid();
  const auto group = ::getgid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << fmt::format("{0} {0} 1", user);
    std::ofstream("/proc/self/gid_map") << fmt::format("{0} {0} 1", group);
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// In a file system of 256 KiB.
TEST_F(EditsTest, AFullDiskChangesNothing) {
  constexpr int kNoMounts = 77;
  const int status = in_child([&] {
    if (!may_mount() || ::mount("none", folder_.c_str(), "tmpfs", 0, "size=256k") != 0)
      return kNoMounts;
    write("a.txt", "a\n");
    write("b.txt", "b\n");
    const auto before = tree_of(folder_);
    const auto made = plan([](EditDraft& draft) {
      (void)draft.write("a.txt", "A\n");
      (void)draft.create("new/c.txt", "c\n");
      (void)draft.write("b.txt", std::string(300'000, 'b'));
    });
    const auto done = edits_.apply(*made, {});
    if (done) return 1;
    if (!done.error().message.contains("the disk is full")) return 2;
    return tree_of(folder_) == before && edits_.list(1).empty() ? 0 : 3;
  });
  if (status == kNoMounts)
    GTEST_SKIP() << "no file system may be mounted, not even as another user";
  EXPECT_EQ(status, 0);
}

TEST_F(EditsTest, AFileThatMayNotBeSoLongChangesNothing) {
  write("a.txt", "a\n");
  write("b.txt", "b\n");
  const auto before = tree_of(folder_);
  const int status = in_child([&] {
    const auto made = plan([](EditDraft& draft) {
      (void)draft.write("a.txt", "A\n");
      (void)draft.write("b.txt", std::string(300'000, 'b'));
    });
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return edits_.apply(*made, {}) ? 1 : 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(tree_of(folder_), before);
}

TEST(EditsOfFiles, KeepLongAttributes) {
  std::string name = "/dev/shm/toolgate-XXXXXX";
  if (!::mkdtemp(name.data())) GTEST_SKIP() << "no /dev/shm";
  const fs::path file = fs::path(name) / "a.txt";
  std::ofstream(file) << "a\n";
  const std::string value(10'000, 'v');
  const bool is_set = ::setxattr(file.c_str(), "user.long", value.data(), value.size(), 0) == 0;
  const Workspace workspace(std::vector{name});
  const TemporaryFolder data;
  EditDraft draft(workspace);
  EXPECT_TRUE(draft.write("a.txt", "b\n"));
  const auto done = Edits(data.path()).apply(*std::move(draft).finish(), {});
  std::string now(20'000, '\0');
  const ssize_t length = ::getxattr(file.c_str(), "user.long", now.data(), now.size());
  const std::string text = read(file);
  fs::remove_all(name);
  if (!is_set) GTEST_SKIP() << "no file system with long attributes";
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(text, "b\n");
  ASSERT_EQ(length, 10'000);
  EXPECT_EQ(now.substr(0, 10'000), value);
}

TEST_F(EditsTest, AFullDataFolderChangesNothing) {
  write("a.txt", std::string(200'000, 'a'));
  const auto before = tree_of(folder_);
  const int status = in_child([&] {
    const auto made = plan([](EditDraft& draft) { (void)draft.write("a.txt", "A\n"); });
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return edits_.apply(*made, {}) ? 1 : 0;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(tree_of(folder_), before);
  EXPECT_TRUE(Edits(data_).list(1).empty());
}

TEST_F(EditsTest, TheOldestBackupsGoFirst) {
  edits_.set_kept_bytes(25'000);
  write("a.txt", std::string(10'000, '0'));
  std::vector<std::string> ids;
  for (int i = 1; i <= 5; ++i)
    ids.push_back(put("a.txt", std::string(10'000, static_cast<char>('0' + i)))->id);
  EXPECT_EQ(edits_.list(10).size(), 2U);
  EXPECT_EQ(std::distance(fs::directory_iterator(data_ / "edits/blobs"), {}), 2);
  EXPECT_EQ(edits_.undo(ids[2], {}).error().code, Errc::NotFound);
  const auto undo = edits_.undo(ids[4], {});
  ASSERT_TRUE(undo);
  edits_.set_kept_bytes(0);
  EXPECT_TRUE(edits_.undo(undo->id, {})) << "the newest is kept whatever it takes";
  EXPECT_EQ(edits_.list(10).size(), 1U);
}

TEST_F(EditsTest, WhatIsKeptIsReadAgain) {
  write("a.txt", "one\n", 0640);
  const auto edit = put("a.txt", "two\n");
  Edits next(data_);
  const auto found = next.find(edit->id);
  ASSERT_TRUE(found);
  EXPECT_EQ(write_edit_record(*found), write_edit_record(*edit));
  ASSERT_TRUE(next.undo(edit->id, {}));
  EXPECT_EQ(read(folder_ / "a.txt"), "one\n");
  root_.write("data/edits/broken.json", "{");
  EXPECT_EQ(Edits(data_).list(10).size(), 2U);
}

TEST_F(EditsTest, ADamagedBackupIsNotPutBack) {
  write("a.txt", "one\n");
  const auto edit = put("a.txt", "two\n");
  for (const auto& blob : fs::directory_iterator(data_ / "edits/blobs"))
    std::ofstream(blob.path()) << "ruined";
  EXPECT_NE(edits_.undo(edit->id, {}).error().message.find("is damaged"), std::string::npos);
  EXPECT_EQ(read(folder_ / "a.txt"), "two\n");
}

TEST_F(EditsTest, WithoutADataFolderNothingIsEdited) {
  write("a.txt", "one\n");
  const auto made = plan([](EditDraft& draft) { EXPECT_TRUE(draft.write("a.txt", "two\n")); });
  EXPECT_FALSE(Edits("").apply(*made, {}));
  EXPECT_EQ(read(folder_ / "a.txt"), "one\n");
}

TEST_F(EditsTest, ADiffShowsWhatChanges) {
  write("a.txt", "one\ntwo\nthree\n");
  write("b.bin", std::string_view("\0", 1));
  const auto made = plan([](EditDraft& draft) {
    EXPECT_TRUE(draft.write("a.txt", "one\n2 ```\nthree\n"));
    EXPECT_TRUE(draft.create("n\nw/c.txt", "new"));
    EXPECT_TRUE(draft.remove("b.bin"));
  });
  ASSERT_TRUE(made);
  EXPECT_EQ(write_unified_diff(*made, 10'000),
            "folder n\\nw is created\n"
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2 ```\n three\n"
            "--- /dev/null\n+++ b/n\\nw/c.txt\n@@ -0,0 +1,1 @@\n+new\n"
            "\\ No newline at end of file\n"
            "--- a/b.bin\n+++ /dev/null\nBinary file, 1 bytes before and 0 after\n");
  EXPECT_TRUE(write_diff_block(*made, 10'000).starts_with("````diff\n"));
  const std::string cut = write_unified_diff(*made, 60);
  EXPECT_LT(cut.size(), 200U);
  EXPECT_NE(cut.find("… the diff is longer than what is shown"), std::string::npos);
  EXPECT_EQ(describe_changes(made->changes), "Edit 3 files (1 new, 1 deleted)");
}

TEST_F(EditsTest, ASummarySaysWhatIsMovedCreatedAndDeleted) {
  write("a.txt", "a\n");
  write("b.txt", "b\n");
  const auto summary = [&](const auto& drafting) {
    return describe_changes(plan(drafting).value().changes);
  };
  const auto put = [](EditDraft& draft, std::string_view name, std::string_view text) {
    EXPECT_TRUE(draft.create(name, text));
  };
  const auto remove = [](EditDraft& draft, std::string_view name) {
    EXPECT_TRUE(draft.remove(name));
  };
  EXPECT_EQ(
      summary([&](EditDraft& draft) { remove(draft, "b.txt"), put(draft, "c/n.txt", "b\n"); }),
      "Move b.txt to c/n.txt");
  EXPECT_EQ(summary([&](EditDraft& draft) { put(draft, "0.txt", "b\n"), remove(draft, "b.txt"); }),
            "Move b.txt to 0.txt");
  EXPECT_EQ(summary([&](EditDraft& draft) { remove(draft, "b.txt"), put(draft, "c.txt", "B\n"); }),
            "Edit 2 files (1 new, 1 deleted)");
  EXPECT_EQ(summary([&](EditDraft& draft) { remove(draft, "b.txt"), remove(draft, "a.txt"); }),
            "Delete 2 files");
  EXPECT_EQ(summary([&](EditDraft& draft) { put(draft, "c", "b\n"), put(draft, "d", "b\n"); }),
            "Create 2 files");
  EXPECT_EQ(summary([&](EditDraft& draft) { remove(draft, "a.txt"); }), "Delete a.txt");
}

}  // namespace
}  // namespace toolgate
