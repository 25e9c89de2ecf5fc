// What `when` clauses are told about a folder.
#include "gateway/workspace_facts.h"

#include <fstream>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;
using Languages = std::set<std::string>;

class WorkspaceFactsTest : public testing::Test {
 protected:
  void write(std::string_view name) {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "x";
  }
  WorkspaceFacts look() const { return look_at_workspace(folder_.path()); }

  TemporaryFolder folder_;
};

TEST_F(WorkspaceFactsTest, AnEmptyFolderHasNothing) {
  EXPECT_EQ(look().git_repositories, 0);
  EXPECT_EQ(look().languages, Languages{});
}

TEST_F(WorkspaceFactsTest, LanguagesAreKnownByEndings) {
  for (const char* name : {"a.cpp", "src/b.ts", "src/deep/c.py", "d", "e.unknown", ".cpp"})
    write(name);
  EXPECT_EQ(look().languages, (Languages{"cpp", "python", "typescript"}));
}

TEST_F(WorkspaceFactsTest, OtherPeoplesAndDeepFilesDoNotCount) {
  for (const char* name : {"node_modules/m.js", ".hidden/h.rb", "build/o.c", "1/2/3/4/deep.go"})
    write(name);
  fs::create_directory_symlink("/usr", folder_.path() / "link");
  EXPECT_EQ(look().languages, Languages{});
}

TEST_F(WorkspaceFactsTest, RepositoriesAreTheFolderAndThoseInIt) {
  write("one/.git/HEAD");
  write("two/.git");  // of a work tree
  write("deep/er/.git/HEAD");
  EXPECT_EQ(look().git_repositories, 2);
  write(".git/HEAD");
  EXPECT_EQ(look().git_repositories, 3);
}

TEST_F(WorkspaceFactsTest, AFolderThatIsNotThereHasNothing) {
  const auto facts = look_at_workspace(folder_.path() / "none");
  EXPECT_EQ(facts.git_repositories, 0);
  EXPECT_EQ(facts.languages, Languages{});
}

TEST_F(WorkspaceFactsTest, AFullFolderDoesNotKeepItFromOthers) {
  for (int i = 0; i < 700; ++i) write("full/" + std::to_string(i));
  write("other/a.rs");
  EXPECT_EQ(look().languages, Languages{"rust"});
}

}  // namespace
}  // namespace toolgate
