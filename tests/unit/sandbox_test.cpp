#include "builtin/sandbox.h"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "builtin/seccomp_filter.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

class SandboxArguments : public ::testing::Test {
 protected:
  std::vector<std::string> make(SandboxSettings settings = {},
                                std::vector<std::string> hidden = {}) {
    const Workspace workspace({root() + "/project"}, std::move(hidden));
    return make_sandbox_arguments(settings, workspace, root() + "/home", root() + "/project", 4);
  }
  std::string root() const { return std::filesystem::canonical(folder_.path()).string(); }
  void SetUp() override {
    for (const char* name : {"project/.git/hooks", "project/data", "home/.ssh", "data"})
      std::filesystem::create_directories(folder_.path() / name);
    std::ofstream(folder_.path() / "home/.netrc") << "secret";
    std::ofstream(folder_.path() / "project/.git/config") << "";
  }

  // Where `option` with this last argument stands; -1: nowhere.
  static std::ptrdiff_t place(const std::vector<std::string>& words, std::string_view option,
                              std::string_view path, std::ptrdiff_t width = 1) {
    for (std::size_t i = 0; i + static_cast<std::size_t>(width) < words.size(); ++i)
      if (words[i] == option && words[i + static_cast<std::size_t>(width)] == path)
        return static_cast<std::ptrdiff_t>(i);
    return -1;
  }

  TemporaryFolder folder_;
};

TEST_F(SandboxArguments, HideOursAndPeoplesSecrets) {
  const auto words = make({}, {root() + "/data"});
  EXPECT_GE(place(words, "--tmpfs", root() + "/data"), 0);
  EXPECT_GE(place(words, "--tmpfs", root() + "/home/.ssh"), 0);
  EXPECT_GE(place(words, "--ro-bind", root() + "/home/.netrc", 2), 0);
}

TEST_F(SandboxArguments, HideWhatLiesInTheWorkspaceAfterItIsBound) {
  const auto words = make({}, {root() + "/project/data", root() + "/project/not-yet"});
  const auto bound = place(words, "--bind", root() + "/project");
  ASSERT_GE(bound, 0);
  EXPECT_GT(place(words, "--tmpfs", root() + "/project/data"), bound);
  EXPECT_GT(place(words, "--tmpfs", root() + "/project/not-yet"), bound);
}

TEST_F(SandboxArguments, ProtectWhatOthersObey) {
  const auto words = make();
  EXPECT_GE(place(words, "--ro-bind", root() + "/project/.git/config"), 0);
  EXPECT_GE(place(words, "--ro-bind", root() + "/project/.git/hooks"), 0);
  EXPECT_GE(place(words, "--remount-ro", root() + "/project/.vscode"), 0);
  EXPECT_GE(place(words, "--remount-ro", "/proc"), 0);
}

TEST_F(SandboxArguments, HaveANetworkOnlyWhenTold) {
  const auto has = [](const std::vector<std::string>& words) {
    return std::ranges::find(words, "--unshare-net") == words.end();
  };
  EXPECT_FALSE(has(make()));
  SandboxSettings settings;
  settings.network = true;
  EXPECT_TRUE(has(make(settings)));
}

TEST(SeccompFilter, IsAProgramOfWholeInstructions) {
  const std::string filter = make_seccomp_filter();
  EXPECT_GT(filter.size(), 8u * 100);
  EXPECT_EQ(filter.size() % 8, 0u);
}

}  // namespace
}  // namespace toolgate
