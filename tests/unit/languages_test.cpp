#include "builtin/languages.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace toolgate {
namespace {

class Programs : public testing::Test {
 protected:
  std::string add(const std::string& name) {
    const auto path = folder_.write(name, "#!/bin/sh\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(Programs, AreFoundInTheSearchPathInItsOrder) {
  const std::string second = add("two/server");
  const std::string path = at("one") + ":" + at("two") + ":" + at("three");
  add("three/server");
  EXPECT_EQ(find_program("server", path, {}), second);
  EXPECT_EQ(find_program("other", path, {}), std::nullopt);
  EXPECT_EQ(find_program("", path, {}), std::nullopt);
  EXPECT_EQ(find_program(second, "", {}), second);
  EXPECT_EQ(find_program("two/server", folder_.path().string(), {}), std::nullopt);
}

TEST_F(Programs, ThatCannotRunDoNotCount) {
  folder_.write("one/server", "text");
  std::filesystem::create_directories(at("two/server"));
  const std::string third = add("three/server");
  EXPECT_EQ(find_program("server", at("one") + ":" + at("two") + ":" + at("three"), {}), third);
}

TEST_F(Programs, OfTheWorkspaceDoNotCount) {
  add("workspace/node_modules/.bin/server");
  const std::string inside = at("workspace/node_modules/.bin");
  std::filesystem::create_directory_symlink(inside, at("link"));
  std::filesystem::create_directories(at("bin"));
  std::filesystem::create_symlink(inside + "/server", at("bin/server"));
  const std::string path = inside + ":.:bin:" + at("link") + ":" + at("bin") + ":" +
                           at("bin/../workspace/node_modules/.bin");
  const std::string trusted = add("usr/server");
  for (const std::string_view ending : {"", "/", "/."}) {
    const std::vector<std::string> untrusted{fmt::format("{}{}", at("workspace"), ending)};
    EXPECT_EQ(find_program("server", path, untrusted), std::nullopt);
    EXPECT_EQ(find_program("server", path + ":" + at("usr"), untrusted), trusted);
    EXPECT_EQ(trusted_search_path(path + ":" + at("usr"), untrusted), at("bin") + ":" + at("usr"));
  }
}

TEST_F(Programs, WhatIsMissingIsSaidWithWhatToDo) {
  const auto languages = make_languages({});
  const auto* cpp = find_language(languages, "a.cpp");
  ASSERT_NE(cpp, nullptr);
  const auto missing = find_command(*cpp, at("none"), {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "the language server for cpp is not installed: there is no clangd in the PATH outside "
            "the workspace (apt install clangd, or clangd-19 where there is one)");
  const std::string old = add("bin/clangd-19");
  const auto command = find_command(*cpp, at("bin"), {});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->front(), old);
  EXPECT_EQ(command->at(1), "--background-index=false");
}

TEST_F(Programs, TypeScriptIsTheOneBesideItsServer) {
  const auto languages = make_languages({});
  const auto* typescript = find_language(languages, "a.ts");
  ASSERT_NE(typescript, nullptr);
  const std::string program = add("lib/node_modules/typescript-language-server/lib/cli.mjs");
  std::filesystem::create_directories(at("bin"));
  std::filesystem::create_symlink(program, at("bin/typescript-language-server"));
  const auto without = find_command(*typescript, at("bin"), {});
  ASSERT_FALSE(without);
  EXPECT_TRUE(without.error().message.starts_with("there is no typescript with a tsserver.js"));
  folder_.write("lib/node_modules/typescript/lib/tsserver.js", "");
  const auto command = find_command(*typescript, at("bin"), {});
  ASSERT_TRUE(command);
  const auto options = initialization_options(command->front());
  EXPECT_EQ(std::string(options.at("tsserver").at("path").as_string()),
            at("lib/node_modules/typescript/lib"));
  EXPECT_EQ(initialization_options("/usr/bin/clangd"), json::value(json::object()));
}

TEST(Languages, AreKnownByTheEndOfAName) {
  const auto languages = make_languages({});
  const auto name_of = [&](std::string_view path) {
    const Language* language = find_language(languages, path);
    return language ? language->name + " " + language_id_of(*language, path) : "none";
  };
  EXPECT_EQ(name_of("/a/b.cpp"), "cpp cpp");
  EXPECT_EQ(name_of("b.c"), "cpp c");
  EXPECT_EQ(name_of("b.tsx"), "typescript typescriptreact");
  EXPECT_EQ(name_of("b.mjs"), "typescript javascript");
  EXPECT_EQ(name_of("b.ts"), "typescript typescript");
  EXPECT_EQ(name_of("b.py"), "python python");
  EXPECT_EQ(name_of("b.rb"), "none");
  EXPECT_EQ(name_of("cpp"), "none");
}

TEST(Languages, AreChangedByTheSettings) {
  const std::vector<LanguageServerSetting> settings{
      {.language = "cpp", .is_on = false},
      {.language = "python", .command = {"pylsp", "-v"}},
      {.language = "go", .command = {"gopls"}, .extensions = {".go"}},
      {.language = "mine", .command = {"mine"}, .extensions = {".ts"}}};
  const auto languages = make_languages(settings);
  EXPECT_FALSE(find_language(languages, "a.cpp")->is_on);
  EXPECT_EQ(find_language(languages, "a.py")->programs, std::vector<std::string>{"pylsp"});
  EXPECT_EQ(find_language(languages, "a.py")->arguments, std::vector<std::string>{"-v"});
  EXPECT_EQ(find_language(languages, "a.go")->name, "go");
  EXPECT_EQ(find_language(languages, "a.ts")->name, "mine");
  EXPECT_EQ(find_language(languages, "a.js")->name, "typescript");
}

}  // namespace
}  // namespace toolgate
