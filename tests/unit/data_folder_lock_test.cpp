// One gateway per data folder.
#include "store/data_folder_lock.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

class DataFolderLockTest : public testing::Test {
 protected:
  std::string error() {
    const auto lock = DataFolderLock::acquire(data_);
    return lock ? "no error" : lock.error().message;
  }
  std::string held_by(long process) const {
    return "another gateway (pid " + std::to_string(process) + ") uses the data folder " +
           data_.string() + "; choose another with --data";
  }

  TemporaryFolder folder_;
  std::filesystem::path data_ = folder_.path() / "deep" / "data";
};

TEST_F(DataFolderLockTest, MakesItsFolderForItsOwnerOnly) {
  const auto lock = DataFolderLock::acquire(data_);
  ASSERT_TRUE(lock) << lock.error().message;
  struct stat facts{};
  ASSERT_EQ(::stat(data_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0700u);
  ASSERT_EQ(::stat((data_ / "toolgate.lock").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
}

TEST_F(DataFolderLockTest, KeepsASecondOneOutAndNamesTheFirst) {
  const auto lock = DataFolderLock::acquire(data_);
  ASSERT_TRUE(lock);
  EXPECT_EQ(error(), held_by(::getpid()));
  EXPECT_EQ(error(), held_by(::getpid()));
}

TEST_F(DataFolderLockTest, LetsTheNextOneInWhenItIsGone) {
  std::optional first = DataFolderLock::acquire(data_).value();
  DataFolderLock moved = std::move(*first);
  first.reset();
  EXPECT_EQ(error(), held_by(::getpid()));
  DataFolderLock(std::move(moved));
  EXPECT_EQ(error(), "no error");
}

TEST_F(DataFolderLockTest, IsOfOneFolderOnly) {
  const auto lock = DataFolderLock::acquire(data_);
  EXPECT_TRUE(DataFolderLock::acquire(folder_.path() / "other"));
}

TEST_F(DataFolderLockTest, DoesNotNameAProcessItDoesNotKnow) {
  const auto lock = DataFolderLock::acquire(data_);
  folder_.write("deep/data/toolgate.lock", "");
  EXPECT_EQ(error(), "another gateway uses the data folder " + data_.string() +
                         "; choose another with --data");
}

TEST_F(DataFolderLockTest, EndsWithItsProcessHoweverThatEnds) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto lock = DataFolderLock::acquire(data_);
    const char held = lock ? '1' : '0';
    if (::write(ready[1], &held, 1) == 1) ::pause();
    ::_exit(0);
  }
  char held = '0';
  EXPECT_EQ(::read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, '1');
  EXPECT_EQ(error(), held_by(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(error(), "no error");
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(DataFolderLockTest, FollowsNoLink) {
  std::filesystem::create_directories(data_);
  std::filesystem::create_symlink(folder_.path() / "elsewhere", data_ / "toolgate.lock");
  EXPECT_NE(error().find("cannot open " + (data_ / "toolgate.lock").string()), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "elsewhere"));
}

}  // namespace
}  // namespace toolgate
