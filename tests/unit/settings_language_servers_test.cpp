#include <gtest/gtest.h>

#include "settings_fixture.h"

namespace toolgate {
namespace {

using LanguageServerSettings = SettingsFilesTest;

TEST_F(LanguageServerSettings, AreReadInAllShapes) {
  profile(R"({"toolgate.languageServers": {
    "cpp": ["clangd-19", "-j=1"], "python": false, "typescript": true,
    "go": {"command": ["/opt/gopls"], "extensions": [".go"], "sandbox": false}},
    "toolgate.languageServer.answerSeconds": 1.5, "toolgate.languageServer.idleSeconds": 7})");
  const BuiltinToolSettings builtin = loaded().builtin;
  const std::vector<LanguageServerSetting> expected{
      {.language = "cpp", .command = {"clangd-19", "-j=1"}},
      {.language = "python", .is_on = false},
      {.language = "typescript"},
      {.language = "go", .command = {"/opt/gopls"}, .extensions = {".go"}, .is_sandboxed = false}};
  EXPECT_EQ(builtin.language_servers, expected);
  EXPECT_EQ(builtin.language_server_limits.request_time, std::chrono::milliseconds(1'500));
  EXPECT_EQ(builtin.language_server_limits.idle_time, std::chrono::seconds(7));
}

TEST_F(LanguageServerSettings, OfAWorkspaceDoNotCount) {
  toolgate(R"({"toolgate.languageServers": {"cpp": ["/tmp/evil"]}})");
  EXPECT_TRUE(loaded().builtin.language_servers.empty());
  EXPECT_EQ(warnings().size(), 1u);
}

TEST_F(LanguageServerSettings, ThatAreWrongAreRefused) {
  const std::string_view wrong[] = {"[]",
                                    R"({"cpp": 1})",
                                    R"({"cpp": "clangd"})",
                                    R"({"cpp": []})",
                                    R"({"cpp": [1]})",
                                    R"({"cpp": ["bin/clangd"]})",
                                    R"({"cpp": {"command": "clangd"}})",
                                    R"({"go": {"command": ["gopls"], "extensions": ["go"]}})",
                                    R"({"go": {"command": ["gopls"], "extensions": []}})",
                                    R"({"cpp": {"sandbox": "no"}})"};
  for (const std::string_view value : wrong) {
    const auto error =
        error_of_profile(fmt::format(R"({{"toolgate.languageServers": {}}})", value));
    EXPECT_TRUE(error.contains("toolgate.languageServers")) << value << ": " << error;
  }
}

}  // namespace
}  // namespace toolgate
