#include "builtin/placeholder_folders.h"

#include <fstream>
#include <optional>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

class Placeholders : public ::testing::Test {
 protected:
  std::string path() const { return (folder_.path() / ".vscode").string(); }
  bool is_there() const { return std::filesystem::exists(path()); }
  TemporaryFolder folder_;
};

TEST_F(Placeholders, GoWithTheLastWhoNeedsThem) {
  std::optional<PlaceholderFolders> first(std::in_place);
  std::optional<PlaceholderFolders> second(std::in_place);
  EXPECT_FALSE(is_placeholder(path()));
  first->add(path());
  EXPECT_TRUE(is_placeholder(path()));
  second->add(path());
  first.reset();
  EXPECT_TRUE(is_placeholder(path()));
  second.reset();
  EXPECT_FALSE(is_there());
}

TEST_F(Placeholders, StayWhenSomebodyUsesThem) {
  {
    PlaceholderFolders folders;
    folders.add(path());
    std::ofstream(path() + "/settings.json") << "{}";
    EXPECT_FALSE(is_placeholder(path()));
  }
  EXPECT_TRUE(std::filesystem::exists(path() + "/settings.json"));
}

TEST_F(Placeholders, AreNotWhatSomebodyElseMade) {
  std::filesystem::create_directory(path());
  EXPECT_FALSE(is_placeholder(path()));
  {
    PlaceholderFolders().add(path());
  }
  EXPECT_TRUE(is_there());
  std::filesystem::remove(path());
  // Made anew by somebody while we held ours.
  {
    PlaceholderFolders folders;
    folders.add(path());
    std::filesystem::remove(path());
    std::filesystem::create_directory(path());
  }
  EXPECT_TRUE(is_there());
}

TEST_F(Placeholders, ThatACrashLeftGoWithTheNext) {
  std::filesystem::create_directory(path());
  ASSERT_EQ(::chmod(path().c_str(), S_ISVTX | 0755), 0);
  EXPECT_TRUE(is_placeholder(path()));
  {
    PlaceholderFolders().add(path());
  }
  EXPECT_FALSE(is_there());
}

TEST_F(Placeholders, AreNeverMadeBehindALinkOrWhereNothingIs) {
  std::filesystem::create_directory(folder_.path() / "elsewhere");
  std::filesystem::create_symlink("elsewhere", path());
  {
    PlaceholderFolders().add(path());
  }
  EXPECT_TRUE(std::filesystem::is_symlink(path()));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "elsewhere"));
  {
    PlaceholderFolders().add((folder_.path() / "none/.vscode").string());
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "none"));
}

}  // namespace
}  // namespace toolgate
