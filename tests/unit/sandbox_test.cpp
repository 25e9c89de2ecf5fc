#include "builtin/sandbox.h"

#include <algorithm>
#include <fstream>
#include <sys/stat.h>

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
    SandboxPlan plan = make_sandbox_plan({.settings = settings,
                                          .workspace = workspace,
                                          .home = root() + "/home",
                                          .folder = root() + "/project",
                                          .seccomp = 4,
                                          .only_reads = only_reads_,
                                          .search_path = search_path_,
                                          .programs = programs_});
    placeholders_ = std::move(plan.placeholders);
    return std::move(plan.arguments);
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
  bool only_reads_ = false;
  std::string search_path_;
  std::vector<std::string> programs_;
  std::vector<std::string> placeholders_;
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

TEST_F(SandboxArguments, NamePlaceholdersForWhatIsMissing) {
  const std::string ours = root() + "/project/.toolgate";
  std::filesystem::create_directory(ours);
  std::filesystem::create_directory(root() + "/project/.vscode");
  ASSERT_EQ(::chmod(ours.c_str(), S_ISVTX | 0755), 0);  // another command's
  const auto words = make({}, {root() + "/project/not-yet"});
  EXPECT_EQ(placeholders_, (std::vector<std::string>{root() + "/project/not-yet", ours}));
  EXPECT_GE(place(words, "--ro-bind", root() + "/project/.vscode"), 0);
  EXPECT_GE(place(words, "--remount-ro", ours), 0);
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

TEST_F(SandboxArguments, OfServersBindNothingToBeWritten) {
  only_reads_ = true;
  const auto words = make({.writable = {root() + "/home"}},
                          {root() + "/project/data", root() + "/project/not-yet"});
  EXPECT_EQ(std::ranges::find(words, "--bind"), words.end());
  const auto bound = place(words, "--ro-bind", root() + "/project");
  ASSERT_GE(bound, 0);
  EXPECT_GT(place(words, "--tmpfs", root() + "/project/data"), bound);
  EXPECT_GE(place(words, "--tmpfs", root() + "/home/.ssh"), 0);
  // They cannot be made, neither by the server nor by us.
  for (const char* name : {"/project/not-yet", "/project/.vscode"})
    EXPECT_EQ(place(words, "--tmpfs", root() + name), -1) << name;
}

TEST_F(SandboxArguments, KeepProgramsThatAreInPlacesThatAreCovered) {
  for (const char* name : {"tools/bin", "modules/node_modules/.bin", "modules/node_modules/server"})
    std::filesystem::create_directories(folder_.path() / name);
  std::ofstream(folder_.path() / "modules/node_modules/server/main.js") << "";
  std::filesystem::create_symlink("../server/main.js",
                                  folder_.path() / "modules/node_modules/.bin/server");
  ASSERT_TRUE(root().starts_with("/tmp/"));
  search_path_ = "/usr/bin:" + root() + "/tools/bin/:/tmp:/:relative:" + root() + "/missing";
  programs_ = {root() + "/modules/node_modules/.bin/server", "/usr/bin/env"};
  const auto words = make({}, {root() + "/tools/bin"});
  const auto kept = place(words, "--ro-bind", root() + "/tools/bin", 2);
  EXPECT_GE(kept, 0);
  EXPECT_GT(place(words, "--tmpfs", root() + "/tools/bin"), kept);  // hidden is hidden
  EXPECT_GE(place(words, "--ro-bind", root() + "/modules/node_modules", 2), 0);
  for (const std::string& path : {std::string("/tmp"), std::string("/usr/bin"), root()})
    EXPECT_EQ(place(words, "--ro-bind", path), -1) << path;
}

TEST(SeccompFilter, IsAProgramOfWholeInstructions) {
  const std::string filter = make_seccomp_filter();
  EXPECT_GT(filter.size(), 8u * 100);
  EXPECT_EQ(filter.size() % 8, 0u);
}

}  // namespace
}  // namespace toolgate
