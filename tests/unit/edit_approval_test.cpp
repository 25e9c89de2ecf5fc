#include "invoke/edit_approval.h"

#include <cerrno>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

const std::vector<EditRule> kAll{{"**", true}};

class EditApproval : public testing::Test {
 protected:
  EditApproval() {
    fs::create_directories(workspace());
    fs::create_directories(outside());
    places_.workspaces = {workspace().string()};
  }

  fs::path workspace() const { return folder_.path() / "ws"; }
  fs::path outside() const { return folder_.path() / "out"; }
  void link(const fs::path& target, const fs::path& name) const {
    fs::create_symlink(target, workspace() / name);
  }

  EditVerdict check(const fs::path& relative, std::span<const EditRule> rules = kAll) const {
    return check_edit(workspace().string() + "/" + relative.string(), rules, places_).verdict;
  }

  TemporaryFolder folder_;
  EditPlaces places_;
};

TEST_F(EditApproval, AFileThatDoesNotExistYetIsJudgedByItsFolder) {
  fs::create_directories(workspace() / "src");
  link(outside(), "elsewhere");
  EXPECT_EQ(check("src/new/deep.ts"), EditVerdict::Approved);
  EXPECT_EQ(check("elsewhere/new/deep.ts"), EditVerdict::OutsideWorkspace);
}

TEST_F(EditApproval, ALinkIsJudgedByItsTarget) {
  folder_.write("out/secret", "");
  folder_.write("ws/a.lock", "");
  link(outside() / "secret", "innocent.ts");
  link("a.lock", "plain.ts");
  EXPECT_EQ(check("innocent.ts"), EditVerdict::OutsideWorkspace);
  EXPECT_EQ(check("plain.ts", default_edit_rules()), EditVerdict::Sensitive);
}

TEST_F(EditApproval, ALinkIsJudgedByItsOwnNameToo) {
  folder_.write("ws/a.ts", "");
  link("a.ts", "b.lock");
  EXPECT_EQ(check("b.lock", default_edit_rules()), EditVerdict::Sensitive);
}

TEST_F(EditApproval, ALinkThatLeadsNowhereIsJudgedByItsTarget) {
  link(outside() / "new", "dangling");
  link("../out/new", "relative");
  link("later.ts", "inside");
  EXPECT_EQ(check("dangling"), EditVerdict::OutsideWorkspace);
  EXPECT_EQ(check("relative"), EditVerdict::OutsideWorkspace);
  EXPECT_EQ(check("inside"), EditVerdict::Approved);
}

TEST_F(EditApproval, LinksAreFollowedThroughLinks) {
  link(outside(), "one");
  link("one", "two");
  link("two/x", "three");
  EXPECT_EQ(check("three"), EditVerdict::OutsideWorkspace);
}

TEST_F(EditApproval, UpAfterALinkLeavesTheTarget) {
  fs::create_directories(outside() / "deep");
  link(outside() / "deep", "link");
  EXPECT_EQ(check("link/../x"), EditVerdict::OutsideWorkspace);
  fs::create_directories(workspace() / "a/b");
  link("a/b", "inner");
  EXPECT_EQ(check("inner/../x"), EditVerdict::Approved);
  const std::vector<EditRule> protects_a{{"a/x", false}};
  EXPECT_EQ(check("inner/../x", protects_a), EditVerdict::Sensitive);
  EXPECT_EQ(check("../out/x"), EditVerdict::OutsideWorkspace);
}

TEST_F(EditApproval, LinksInACircleAreNotApproved) {
  link("b", "a");
  link("a", "b");
  EXPECT_EQ(check("a/x"), EditVerdict::NoPermissions);
}

TEST_F(EditApproval, WhatCannotBeLookedAtIsNotApproved) {
  EXPECT_EQ(check(std::string(300, 'x')), EditVerdict::NoPermissions);
}

TEST_F(EditApproval, AWorkspaceMayBeALinkItself) {
  fs::create_symlink(workspace(), folder_.path() / "alias");
  const std::string alias = (folder_.path() / "alias").string();
  places_.workspaces = {alias};
  folder_.write("ws/a.ts", "");
  EXPECT_EQ(check_edit(alias + "/a.ts", kAll, places_).verdict, EditVerdict::Approved);
  link(outside(), "elsewhere");
  EXPECT_EQ(check_edit(alias + "/elsewhere/x", kAll, places_).verdict,
            EditVerdict::OutsideWorkspace);
}

TEST_F(EditApproval, AHomeMayBeALinkItself) {
  fs::create_symlink(workspace(), folder_.path() / "home");
  places_.home = (folder_.path() / "home").string();
  EXPECT_EQ(check(".bashrc"), EditVerdict::SystemFile);
  EXPECT_EQ(check("a/.bashrc"), EditVerdict::Approved);
}

TEST(EditPath, RelativePathsAreOutside) {
  const EditPlaces places{.workspaces = {"/ws"}};
  EXPECT_EQ(check_edit_path("ws/a", kAll, places).verdict, EditVerdict::OutsideWorkspace);
  EXPECT_EQ(check_edit("a", kAll, places).verdict, EditVerdict::OutsideWorkspace);
  EXPECT_EQ(check_edit_path("", kAll, places).verdict, EditVerdict::OutsideWorkspace);
}

TEST(EditPath, TheInnermostWorkspaceAnchorsPatterns) {
  const EditPlaces places{.workspaces = {"/ws", "/ws/inner/", "/other"}};
  const std::vector<EditRule> rules{{"a.ts", false}};
  EXPECT_EQ(check_edit_path("/ws/inner/a.ts", rules, places).verdict, EditVerdict::Sensitive);
  EXPECT_EQ(check_edit_path("/ws/b/a.ts", rules, places).verdict, EditVerdict::Approved);
  EXPECT_EQ(check_edit_path("/other/a.ts", rules, places).verdict, EditVerdict::Sensitive);
}

TEST(EditPath, NothingIsInNoWorkspace) {
  EXPECT_EQ(check_edit_path("/a", kAll, {}).verdict, EditVerdict::OutsideWorkspace);
  const EditPlaces unnamed{.workspaces = {""}};
  EXPECT_EQ(check_edit_path("/a", kAll, unnamed).verdict, EditVerdict::OutsideWorkspace);
}

TEST(EditPath, SettingsOfWorkspacesAreAlwaysAskedAbout) {
  const EditPlaces places{.workspaces = {"/ws"}};
  for (const char* path : {"/ws/.vscode/mcp.json", "/ws/x/.vscode/settings.json",
                           "/ws/.toolgate/settings.json", "/ws/.toolgate/a.toolsets.jsonc"})
    EXPECT_EQ(check_edit_path(path, kAll, places).verdict, EditVerdict::Sensitive) << path;
}

TEST(EditPath, ControlCharactersAreAlwaysAskedAbout) {
  const EditPlaces places{.workspaces = {"/ws"}};
  for (const char* path : {"/ws/a\nb", "/ws/a\x1b[2J", "/ws/a\x7f"})
    EXPECT_EQ(check_edit_path(path, kAll, places).verdict, EditVerdict::Sensitive);
  const std::string with_zero("/ws/a\0b", 7);
  EXPECT_EQ(check_edit_path(with_zero, kAll, places).verdict, EditVerdict::Sensitive);
}

TEST(EditPath, OnlyAMissingPermissionCountsAmongErrors) {
  const EditPlaces places{.workspaces = {"/ws"}};
  const auto verdict = [&](std::string_view path, int error) {
    return check_resolved_edit(path, {{}, error}, kAll, places).verdict;
  };
  EXPECT_EQ(verdict("/ws/a", EPERM), EditVerdict::NoPermissions);
  EXPECT_EQ(verdict("/ws/a", ENOENT), EditVerdict::Approved);
  EXPECT_EQ(verdict("/x/a", EPERM), EditVerdict::OutsideWorkspace);
}

TEST(EditPath, TheStricterAnswerBringsItsPattern) {
  const EditPlaces places{.workspaces = {"/ws"}};
  const auto check = check_resolved_edit("/ws/a", {"/ws/b.lock"}, default_edit_rules(), places);
  EXPECT_EQ(check.verdict, EditVerdict::Sensitive);
  EXPECT_EQ(check.pattern, "**/*.lock");
}

TEST(EditPath, DefaultsProtectWhatRunsCode) {
  const EditPlaces places{.workspaces = {"/ws"}};
  for (const char* name :
       {".git/config", "package.json", ".npmrc", ".mcp.json", ".github/hooks/x.sh", "a/Cargo.toml",
        ".claude/settings.local.json", ".codex/config.toml", "x-lock.yaml", "a.gradle.kts"})
    EXPECT_EQ(check_edit_path("/ws/" + std::string(name), default_edit_rules(), places).verdict,
              EditVerdict::Sensitive)
        << name;
  EXPECT_EQ(check_edit_path("/ws/src/main.cpp", default_edit_rules(), places).verdict,
            EditVerdict::Approved);
}

TEST(EditPath, PatternsTakeTimeByTheirLengthOnly) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "**/*a{*,?}";
  EXPECT_FALSE(matches_path_glob(pattern + "[z]", std::string(4000, 'a')));
  EXPECT_TRUE(matches_path_glob(std::string(300, '*') + "z", std::string(4000, 'a') + "z"));
}

}  // namespace
}  // namespace toolgate
