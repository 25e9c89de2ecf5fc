// What tools may open: a real folder with links, pipes and the like in it.
#include "builtin/workspace.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string read(const OpenedFile& file) {
  char bytes[100];
  const ssize_t size = ::read(file.descriptor.get(), bytes, sizeof bytes);
  return size < 0 ? "unreadable" : std::string(bytes, static_cast<std::size_t>(size));
}

// "inside" is the workspace, "extra" another root, "outside" neither; "inside/ours" is hidden.
class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() {
    write(at("inside/a.txt"), "a");
    write(at("inside/folder/b.txt"), "b");
    write(at("inside/ours/token"), "secret");
    write(at("inside/ours-not/c.txt"), "c");
    write(at("extra/e.txt"), "e");
    write(at("outside/o.txt"), "secret");
  }

  fs::path at(std::string_view name) const { return fs::canonical(folder_.path()) / name; }
  void link(std::string_view name, const fs::path& target) { fs::create_symlink(target, at(name)); }

  Workspace workspace() const {
    return Workspace({at("inside"), at("extra")}, {at("inside/ours")});
  }

  // The content, or the error.
  std::string open_file(std::string_view path) const {
    auto file = workspace().open_file(path);
    return file ? read(*file) : file.error().message;
  }
  bool refuses(std::string_view path, std::string_view why) const {
    const std::string said = open_file(path);
    if (said.contains(why)) return true;
    ADD_FAILURE() << path << ": " << said;
    return false;
  }

  TemporaryFolder folder_;
};

TEST_F(WorkspaceTest, OpensWhatIsInside) {
  EXPECT_EQ(open_file("a.txt"), "a");
  EXPECT_EQ(open_file("./folder//b.txt"), "b");
  EXPECT_EQ(open_file("folder/../a.txt"), "a");
  EXPECT_EQ(open_file(at("inside/a.txt").string()), "a");
  EXPECT_EQ(open_file(at("extra/e.txt").string()), "e");
  EXPECT_EQ(open_file("../extra/e.txt"), "e");
  EXPECT_EQ(open_file("ours-not/c.txt"), "c");
}

TEST_F(WorkspaceTest, RefusesWhatIsOutside) {
  refuses("../outside/o.txt", "outside the workspace");
  refuses("folder/../../outside/o.txt", "outside the workspace");
  refuses(at("outside/o.txt").string(), "outside the workspace");
  refuses(at("outside/none.txt").string(), "outside the workspace");
  refuses("/etc/passwd", "outside the workspace");
  refuses("/proc/self/environ", "outside the workspace");
  refuses("../../../../../../../../etc/passwd", "outside the workspace");
  write(at("inside-not/x.txt"), "secret");
  refuses("../inside-not/x.txt", "outside the workspace");
}

TEST_F(WorkspaceTest, FollowsLinksAsLongAsTheyStay) {
  link("inside/to-a", "a.txt");
  link("inside/to-absolute", at("inside/folder/b.txt"));
  link("inside/to-folder", "folder");
  link("inside/to-extra", "../extra");
  link("inside/to-outside", "../outside/o.txt");
  link("inside/to-outside-folder", at("outside"));
  link("inside/to-link", "to-outside-folder");
  link("inside/to-nothing", "nothing");
  EXPECT_EQ(open_file("to-a"), "a");
  EXPECT_EQ(open_file("to-absolute"), "b");
  EXPECT_EQ(open_file("to-folder/b.txt"), "b");
  EXPECT_EQ(open_file("to-extra/e.txt"), "e");
  refuses("to-outside", "outside the workspace");
  refuses("to-outside-folder/o.txt", "outside the workspace");
  refuses("to-link/o.txt", "outside the workspace");
  refuses("to-nothing", "there is no to-nothing");
}

TEST_F(WorkspaceTest, ALinkOutAndBackIsWhereItLeads) {
  link("outside/back", at("inside/a.txt"));
  EXPECT_EQ(open_file("../outside/back"), "a");
}

TEST_F(WorkspaceTest, LinksInACircleAreAnError) {
  link("inside/one", "two");
  link("inside/two", "one");
  link("inside/self", "self/self");
  refuses("one", "lead in a circle");
  refuses("self", "lead in a circle");
  refuses("one/below", "lead in a circle");
  EXPECT_EQ(workspace().find_place("one").error().message, "the links in one lead in a circle");
}

TEST_F(WorkspaceTest, WhatIsHiddenStaysSo) {
  link("inside/to-token", "ours/token");
  link("inside/to-ours", "ours");
  for (const char* path : {"ours/token", "to-token", "to-ours/token", "folder/../ours/token"})
    refuses(path, "belongs to the gateway itself");
  for (const char* path : {"ours", "to-ours"})
    EXPECT_TRUE(workspace().open_folder(path).error().message.contains("belongs to the gateway"));
  for (const char* path : {"ours/new", "to-ours/new", "to-token", "ours"})
    EXPECT_TRUE(workspace().find_place(path).error().message.contains("belongs to the gateway"))
        << path;
}

TEST_F(WorkspaceTest, ARootMayBeALink) {
  link("alias", at("inside"));
  const Workspace workspace({at("alias").string() + "/"}, {at("alias/ours")});
  EXPECT_EQ(read(*workspace.open_file("a.txt")), "a");
  EXPECT_EQ(read(*workspace.open_file(at("inside/a.txt").string())), "a");
  EXPECT_EQ(workspace.folder(), at("alias"));
  EXPECT_EQ(workspace.real_folder(), at("inside"));
  EXPECT_EQ(workspace.shown(at("inside/folder/b.txt").string()), "folder/b.txt");
  EXPECT_EQ(workspace.shown(at("alias/folder/b.txt").string()), "folder/b.txt");
  EXPECT_EQ(workspace.shown(at("alias").string()), ".");
  EXPECT_EQ(workspace.shown("/etc/passwd"), "/etc/passwd");
  EXPECT_TRUE(workspace.open_file("ours/token").error().message.contains("belongs to the gateway"));
}

TEST_F(WorkspaceTest, TheRootOfAllFilesMayBeAWorkspace) {
  const Workspace workspace({"/"}, {at("inside/ours")});
  EXPECT_EQ(read(*workspace.open_file(at("outside/o.txt").string())), "secret");
  EXPECT_EQ(workspace.shown("/etc/passwd"), "etc/passwd");
  EXPECT_FALSE(workspace.open_file(at("inside/ours/token").string()));
}

TEST_F(WorkspaceTest, ReadsFileUris) {
  write(at("inside/a b%.txt"), "odd");
  EXPECT_EQ(open_file("file://" + at("inside/a.txt").string()), "a");
  EXPECT_EQ(open_file("file://" + at("inside").string() + "/a%20b%25.txt"), "odd");
  refuses("file://" + at("inside").string() + "/%2e%2e/outside/o.txt", "outside the workspace");
  refuses("file://" + at("inside").string() + "/a%00b", "NUL");
  refuses("file://server/a.txt", "names another machine");
  refuses("file://", "names another machine");
}

TEST_F(WorkspaceTest, RefusesPathsThatCannotBe) {
  refuses("", "the path is empty");
  refuses(std::string_view("a\0b", 3), "NUL");
  refuses(std::string(5000, 'x'), "the path is too long: 5000 bytes");
  refuses(std::string(300, 'x'), "the path is too long");
  refuses("a.txt/b", "a part of a.txt/b is not a folder");
  refuses("none", "there is no none");
  refuses("folder", "folder is a folder, not a file");
  refuses(".", "is a folder, not a file");
}

TEST_F(WorkspaceTest, NamesMayHaveAnyBytes) {
  for (const std::string name : {"new\nline", "bidi\u202Etxt", "\xFF\xFE", " ", "*?[", "-rf"}) {
    write(at("inside") / name, "odd");
    EXPECT_EQ(open_file(name), "odd") << name;
  }
}

TEST_F(WorkspaceTest, NamesMayBeGivenAsTheyAreShown) {
  write(at("inside/new\nline.txt"), "n");
  write(at("inside/bad\xFF.txt"), "b");
  write(at("inside/⟨U+000B⟩.txt"), "of just this name");
  EXPECT_EQ(open_file("new⟨U+000A⟩line.txt"), "n");
  EXPECT_EQ(open_file("bad⟨0xFF⟩.txt"), "b");
  EXPECT_EQ(open_file("⟨U+000B⟩.txt"), "of just this name");
  EXPECT_EQ(open_file("⟨U+27E8⟩U+000B⟩.txt"), "of just this name");
  EXPECT_EQ(workspace().find_place("new⟨U+000A⟩line.txt")->name, "new\nline.txt");
  EXPECT_EQ(workspace().find_place("none⟨U+000A⟩.txt")->name, "none⟨U+000A⟩.txt");
  EXPECT_TRUE(refuses("⟨U+002E⟩⟨U+002E⟩/outside/o.txt", "there is no "));
  for (const char* none : {"a⟨U+⟩", "a⟨U+0000⟩", "a⟨0x100⟩", "a⟨U+110000⟩", "a⟨U+0A", "⟨"})
    EXPECT_TRUE(refuses(none, "there is no ")) << none;
}

TEST_F(WorkspaceTest, ARemovedFolderIsSaidToBeGone) {
  const Workspace workspace = this->workspace();
  fs::remove_all(at("inside"));
  for (const char* path : {".", "a.txt", "folder/b.txt"})
    EXPECT_EQ(workspace.open(path).error().message,
              "the workspace's folder " + at("inside").string() + " is gone");
  EXPECT_TRUE(workspace.open(at("extra/e.txt").string()));
}

TEST_F(WorkspaceTest, WaitsForNoPipeAndOpensNoDevice) {
  ASSERT_EQ(::mkfifo(at("inside/pipe").c_str(), 0600), 0);
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string place = at("inside/socket").string();
  ASSERT_LT(place.size(), sizeof address.sun_path);
  place.copy(address.sun_path, place.size());
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  refuses("pipe", "pipe is a pipe, not a file");
  refuses("socket", "socket is a socket, not a file");
  const Workspace devices({"/dev"});
  EXPECT_EQ(devices.open_file("null").error().message, "null is a device, not a file");
  EXPECT_EQ(devices.open_file("zero").error().message, "zero is a device, not a file");
  EXPECT_TRUE(workspace().open("pipe", O_PATH));
}

TEST_F(WorkspaceTest, OpensFolders) {
  link("inside/to-folder", "folder");
  EXPECT_EQ(workspace().open_folder("to-folder")->path, at("inside/folder"));
  EXPECT_EQ(workspace().open_folder(".")->path, at("inside"));
  EXPECT_EQ(workspace().open_folder("a.txt").error().message, "a.txt is a file, not a folder");
  EXPECT_EQ(workspace().open_folder("none").error().message, "there is no none");
}

TEST_F(WorkspaceTest, FindsPlacesForWhatIsNotThereYet) {
  link("inside/to-new", "folder/new.txt");
  link("inside/to-outside", "../outside/new.txt");
  link("inside/to-outside-folder", "../outside");
  const auto place = workspace().find_place("folder/new.txt");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->name, "new.txt");
  EXPECT_EQ(place->path, at("inside/folder/new.txt"));
  EXPECT_EQ(workspace().find_place("to-new")->path, at("inside/folder/new.txt"));
  EXPECT_TRUE(workspace().find_place("../extra/new.txt"));
  for (const char* path : {"to-outside", "to-outside-folder/new.txt", "../new.txt", ".."})
    EXPECT_TRUE(workspace().find_place(path).error().message.contains("outside the workspace"))
        << path;
  EXPECT_TRUE(workspace().find_place("none/new.txt").error().message.contains("there is no"));
  EXPECT_TRUE(workspace().find_place("a.txt/new.txt").error().message.contains("not a folder"));
  EXPECT_FALSE(workspace().find_place("/"));
}

TEST_F(WorkspaceTest, WhatWasOpenedStaysWhenItIsRemoved) {
  const auto file = workspace().open_file("a.txt");
  fs::remove(at("inside/a.txt"));
  ASSERT_TRUE(file);
  EXPECT_EQ(read(*file), "a");
  refuses("a.txt", "there is no a.txt");
}

TEST_F(WorkspaceTest, ANameMayLookLikeThatOfARemovedFile) {
  write(at("inside/a.txt (deleted)"), "here");
  EXPECT_EQ(open_file("a.txt (deleted)"), "here");
}

// As an editor saves: the name is always there.
TEST_F(WorkspaceTest, AFileThatIsReplacedIsThereAllTheTime) {
  const std::jthread replacing([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      write(at("inside/next"), "a");
      fs::rename(at("inside/next"), at("inside/a.txt"));
    }
  });
  const Workspace workspace = this->workspace();
  for (int i = 0; i < 500; ++i) {
    const auto file = workspace.open_file("a.txt");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->path, at("inside/a.txt"));
  }
}

// A thread swaps what the name leads to as fast as it can.
TEST_F(WorkspaceTest, ASwappedLinkLeadsNowhereElse) {
  link("inside/swapped", "a.txt");
  link("inside/parent", "folder");
  write(at("outside/b.txt"), "secret");
  const std::jthread swapping([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      for (const auto& [name, inside, outside] :
           {std::tuple("inside/swapped", "a.txt", "../outside/o.txt"),
            std::tuple("inside/parent", "folder", "../outside")}) {
        fs::create_symlink(i % 2 ? inside : outside, at("inside/next"));
        fs::rename(at("inside/next"), at(name));
      }
    }
  });
  const Workspace workspace = this->workspace();
  for (int i = 0; i < 1500; ++i)
    for (const char* path : {"swapped", "parent/b.txt"})
      if (auto file = workspace.open_file(path)) {
        EXPECT_NE(read(*file), "secret");
      } else {
        EXPECT_TRUE(file.error().message.contains("outside the workspace") ||
                    file.error().message.contains("there is no"))
            << file.error().message;
      }
}

TEST(FileFailure, SaysWhatIsWrong) {
  EXPECT_EQ(file_failure(ENOENT, "open", "x").error().message, "there is no x");
  EXPECT_EQ(file_failure(EEXIST, "create", "x").error().code, Errc::AlreadyExists);
  EXPECT_EQ(file_failure(EACCES, "open", "x").error().message, "cannot open x: Permission denied");
  EXPECT_EQ(file_failure(ENOSPC, "write", "x").error().code, Errc::Io);
}

}  // namespace
}  // namespace toolgate
