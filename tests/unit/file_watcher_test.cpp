// The watcher on real folders. Waits end as soon as the call comes; only the tests that expect no
// call wait for a fixed time.
#include "gateway/file_watcher.h"

#include <gtest/gtest.h>

#include "gateway/settings.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class FileWatcherTest : public testing::Test {
 protected:
  FileWatcherTest() {
    fs::create_directories(folder_.path() / "profile");
    fs::create_directories(folder_.path() / "work");
    files_.profile = folder_.path() / "profile/settings.json";
    files_.workspace = folder_.path() / "work";
  }

  void watch() {
    watcher_.emplace(context_, [this] { return watched_files(files_); }, [this] { ++calls_; });
  }

  // True when a call came after the last expectation.
  bool called() {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (calls_ == 0 && std::chrono::steady_clock::now() < end) {
      context_.restart();
      context_.run_for(10ms);
    }
    return std::exchange(calls_, 0) > 0;
  }

  bool called_within(std::chrono::milliseconds time) {
    context_.restart();
    context_.run_for(time);
    return std::exchange(calls_, 0) > 0;
  }

  // Lets a burst end, so that the next call belongs to the next change.
  void settle() {
    while (called_within(250ms)) {
    }
  }

  TemporaryFolder folder_;
  SettingsFiles files_;
  int calls_ = 0;
  boost::asio::io_context context_;
  std::optional<FileWatcher> watcher_;
};

TEST_F(FileWatcherTest, NoticesAWriteACreationAndARemoval) {
  watch();
  folder_.write("profile/settings.json", "{}");
  EXPECT_TRUE(called());
  settle();
  folder_.write("profile/settings.json", "{ }");
  EXPECT_TRUE(called());
  settle();
  fs::remove(files_.profile);
  EXPECT_TRUE(called());
}

TEST_F(FileWatcherTest, NoticesASaveByRename) {
  folder_.write("profile/settings.json", "{}");
  watch();
  for (int i = 0; i < 3; ++i) {
    folder_.write("profile/settings.json.new", "{}");
    fs::rename(files_.profile.string() + ".new", files_.profile);
    EXPECT_TRUE(called());
    settle();
  }
}

TEST_F(FileWatcherTest, NoticesFoldersThatAppearLater) {
  watch();
  folder_.write("work/.vscode/settings.json", "{}");
  EXPECT_TRUE(called());
  settle();
  fs::create_directory(files_.workspace / ".toolgate");
  EXPECT_TRUE(called());
  settle();
  folder_.write("work/.toolgate/settings.json", "{}");
  EXPECT_TRUE(called());
}

TEST_F(FileWatcherTest, NoticesAWholePathThatAppearsStepByStep) {
  files_.profile = folder_.path() / "home/.config/toolgate/settings.json";
  watch();
  for (const auto* step : {"home", "home/.config", "home/.config/toolgate"}) {
    fs::create_directory(folder_.path() / step);
    EXPECT_TRUE(called()) << step;
    settle();
  }
  folder_.write("home/.config/toolgate/settings.json", "{}");
  EXPECT_TRUE(called());
}

TEST_F(FileWatcherTest, NoticesAFolderThatIsReplaced) {
  folder_.write("work/.vscode/settings.json", "{}");
  watch();
  for (int i = 0; i < 2; ++i) {
    fs::remove_all(files_.workspace / ".vscode");
    EXPECT_TRUE(called());
    settle();
    folder_.write("work/.vscode/settings.json", "{}");
    EXPECT_TRUE(called());
    settle();
  }
  fs::rename(files_.workspace / ".vscode", files_.workspace / "old");
  EXPECT_TRUE(called());
  settle();
  folder_.write("work/old/settings.json", "{ }");
  EXPECT_FALSE(called_within(400ms));
}

TEST_F(FileWatcherTest, NoticesTheTargetOfALink) {
  files_.extra.push_back(folder_.path() / "link.json");
  const auto real = folder_.write("elsewhere/real.json", "{}");
  fs::create_symlink("elsewhere/real.json", files_.extra[0]);
  watch();
  folder_.write("elsewhere/real.json", "{ }");
  EXPECT_TRUE(called());
}

// A Kubernetes volume: settings.json -> ..data/settings.json, ..data -> a folder per version.
TEST_F(FileWatcherTest, NoticesASwapOfAFolderLink) {
  const auto volume = folder_.path() / "volume";
  folder_.write("volume/..1/settings.json", "{}");
  fs::create_directory_symlink("..1", volume / "..data");
  fs::create_symlink("..data/settings.json", volume / "settings.json");
  files_.extra.push_back(volume / "settings.json");
  watch();
  for (int version = 2; version < 5; ++version) {
    const auto name = fmt::format("..{}", version);
    folder_.write(fs::path("volume") / name / "settings.json", "{}");
    fs::create_directory_symlink(name, volume / "..data_tmp");
    fs::rename(volume / "..data_tmp", volume / "..data");
    EXPECT_TRUE(called()) << version;
    fs::remove_all(volume / fmt::format("..{}", version - 1));
    settle();
  }
  folder_.write("volume/..4/settings.json", "{ }");
  EXPECT_TRUE(called());
}

TEST_F(FileWatcherTest, NoticesASwapOfALinkHighAboveTheFile) {
  folder_.write("one/etc/gate/settings.json", "{}");
  folder_.write("two/etc/gate/settings.json", "{}");
  fs::create_directory_symlink("one", folder_.path() / "current");
  files_.extra.push_back(folder_.path() / "current/etc/gate/settings.json");
  watch();
  fs::create_directory_symlink("two", folder_.path() / "next");
  fs::rename(folder_.path() / "next", folder_.path() / "current");
  EXPECT_TRUE(called());
  settle();
  folder_.write("two/etc/gate/settings.json", "{ }");
  EXPECT_TRUE(called());
}

TEST_F(FileWatcherTest, DoesNotCareAboutOtherFiles) {
  folder_.write("work/.vscode/settings.json", "{}");
  watch();
  folder_.write("profile/other.json", "{}");
  folder_.write("work/.vscode/launch.json", "{}");
  folder_.write("work/settings.json", "{}");
  folder_.write("work/src/settings.json", "{}");
  fs::remove_all(files_.workspace / "src");
  std::ifstream(files_.workspace / ".vscode/settings.json").get();
  EXPECT_FALSE(called_within(500ms));
}

TEST_F(FileWatcherTest, ABurstIsOneCall) {
  watch();
  for (int i = 0; i < 50; ++i) folder_.write("profile/settings.json", "{}");
  EXPECT_TRUE(called());
  EXPECT_FALSE(called_within(400ms));
}

TEST_F(FileWatcherTest, AnEndlessBurstStillCalls) {
  watch();
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (calls_ == 0 && std::chrono::steady_clock::now() < end) {
    folder_.write("profile/settings.json", "{}");
    context_.restart();
    context_.run_for(20ms);
  }
  EXPECT_GT(calls_, 0);
}

TEST_F(FileWatcherTest, MayBeDestroyedAtAnyTime) {
  watch();
  folder_.write("profile/settings.json", "{}");
  context_.poll();  // the timer runs
  folder_.write("profile/settings.json", "{}");
  watcher_.reset();
  EXPECT_FALSE(called_within(300ms));
  watch();
  folder_.write("profile/settings.json", "{}");
  watcher_.reset();  // events wait to be read
  EXPECT_FALSE(called_within(300ms));
}

TEST_F(FileWatcherTest, MayBeDestroyedByItsOwnCall) {
  watcher_.emplace(
      context_, [this] { return watched_files(files_); },
      [this] {
        watcher_.reset();
        ++calls_;
      });
  folder_.write("profile/settings.json", "{}");
  EXPECT_TRUE(called());
  folder_.write("profile/settings.json", "{}");
  EXPECT_FALSE(called_within(300ms));
}

TEST_F(FileWatcherTest, LoopsOfLinksEnd) {
  fs::create_symlink("b", folder_.path() / "a");
  fs::create_symlink("a", folder_.path() / "b");
  files_.extra.push_back(folder_.path() / "a/settings.json");
  watch();
  fs::remove(folder_.path() / "a");
  EXPECT_TRUE(called());
}

}  // namespace
}  // namespace toolgate
