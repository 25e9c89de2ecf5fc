// Settings files on disk, and the settings or the error they give.
#include "gateway/settings.h"

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "gateway/settings_keys.h"
#include "settings_fixture.h"

namespace toolgate {
namespace {

using SettingsLayering = SettingsFilesTest;
using SettingsErrors = SettingsFilesTest;
using SettingsWarnings = SettingsFilesTest;
using ApiKeys = SettingsFilesTest;
using AllowedHosts = SettingsFilesTest;
using LimitKeys = SettingsFilesTest;

TEST_F(SettingsLayering, WithoutFilesThereIsTheDemoModel) {
  const auto settings = loaded();
  ASSERT_EQ(settings.models.size(), 1u);
  EXPECT_EQ(settings.models[0].id, "toolgate/demo");
  EXPECT_EQ(settings.models[0].provider, "demo");
  EXPECT_EQ(settings.default_model, "");
  EXPECT_EQ(settings.log_level, LogLevel::Info);
  EXPECT_TRUE(settings.warnings.empty());
}

TEST_F(SettingsLayering, LaterFilesWinKeyByKey) {
  profile(
      R"({"toolgate.logLevel": "debug", "toolgate.limits.tools": 1, "toolgate.limits.connections": 2})");
  extra(R"({"toolgate.limits.tools": 3, "toolgate.logLevel": "warn"})");
  extra(R"({"toolgate.logLevel": "error"})");
  const auto settings = loaded();
  EXPECT_EQ(settings.limits.tools, 3u);
  EXPECT_EQ(settings.limits.connections, 2u);
  EXPECT_EQ(settings.log_level, LogLevel::Error);
}

TEST_F(SettingsLayering, ALaterListReplacesTheWholeList) {
  profile(R"({"toolgate.models": [{"id": "a", "provider": "demo"}], "toolgate.apiKeys": ["x"]})");
  extra(R"({"toolgate.models": [{"id": "b", "provider": "demo"}], "toolgate.apiKeys": []})");
  const auto settings = loaded();
  ASSERT_EQ(settings.models.size(), 2u);
  EXPECT_EQ(settings.models[0].id, "b");
  EXPECT_TRUE(settings.api_keys.empty());
}

TEST_F(SettingsLayering, FilesStandInTheirOrder) {
  profile(R"({"toolgate.models": [
    {"id": "a", "provider": "demo"}, {"id": "b", "provider": "demo"}, {"id": "c", "provider": "demo"}],
    "toolgate.defaultModel": "toolgate/demo"})");
  EXPECT_EQ(loaded().default_model, "toolgate/demo");
  vscode(R"({"toolgate.defaultModel": "a"})");
  EXPECT_EQ(loaded().default_model, "a");
  toolgate(R"({"toolgate.defaultModel": "b"})");
  EXPECT_EQ(loaded().default_model, "b");
  extra(R"({"toolgate.defaultModel": "c"})");
  EXPECT_EQ(loaded().default_model, "c");
}

TEST_F(SettingsLayering, FlatNestedAndMixedSpellingsAreTheSame) {
  for (const auto* text :
       {R"({"toolgate.limits.connections": 5})", R"({"toolgate.limits": {"connections": 5}})",
        R"({"toolgate": {"limits": {"connections": 5}}})",
        R"({"toolgate": {"limits.connections": 5}})"}) {
    profile(text);
    EXPECT_EQ(loaded().limits.connections, 5u) << text;
    EXPECT_TRUE(warnings().empty()) << text;
  }
}

TEST_F(SettingsLayering, OfTwoSpellingsInOneFileTheLaterWins) {
  profile(R"({"toolgate.limits.tools": 1, "toolgate": {"limits": {"tools": 2}}})");
  EXPECT_EQ(loaded().limits.tools, 2u);
  profile(R"({"toolgate": {"limits": {"tools": 2}}, "toolgate.limits.tools": 1})");
  EXPECT_EQ(loaded().limits.tools, 1u);
}

TEST_F(SettingsLayering, AWorkspaceMaySetNothingThatLoosens) {
  // The others of these can only forbid there: settings_approvals_test.cpp.
  const std::set<std::string_view> free{"toolgate.defaultModel",
                                        "toolgate.tools.deny",
                                        "chat.agent.enabled",
                                        "chat.extensionTools.enabled",
                                        "github.copilot.chat.virtualTools.threshold",
                                        "toolgate.approvals.rules",
                                        "toolgate.redact",
                                        "chat.tools.eligibleForAutoApproval",
                                        "chat.tools.urls.autoApprove",
                                        "chat.tools.edits.autoApprove",
                                        "chat.tools.terminal.autoApprove",
                                        "chat.tools.terminal.enableAutoApprove"};
  for (const auto& key : settings_keys()) {
    EXPECT_EQ(key.set_by == SetBy::AnyFile, free.contains(key.name)) << key.name;
    if (free.contains(key.name)) continue;
    for (const auto* place : {"work/.vscode/settings.json", "work/.toolgate/settings.json"}) {
      std::filesystem::remove_all(files_.workspace);
      folder_.write(place, fmt::format("{{\n  \"{}\": \"nonsense\"}}", key.name));
      const auto found = warnings();
      ASSERT_EQ(found.size(), 1u) << key.name;
      EXPECT_EQ(
          found[0],
          fmt::format("{}:2:3: \"{}\" is ignored: only the profile file and --settings may set "
                      "it, because a workspace must not redirect requests, hand out keys or loosen "
                      "limits",
                      place, key.name));
    }
  }
}

TEST_F(SettingsLayering, AWorkspaceDoesNotChangeWhatTheProfileSays) {
  profile(R"({"toolgate.apiKeys": ["secret"], "toolgate.limits.tools": 4})");
  toolgate(
      R"({"toolgate": {"apiKeys": [], "limits": {"tools": 400}, "allowedHosts": ["evil.example"],
    "models": [{"id": "m", "provider": "openai", "baseUrl": "http://evil.example"}]}})");
  const auto settings = loaded();
  EXPECT_EQ(settings.api_keys.size(), 1u);
  EXPECT_EQ(settings.limits.tools, 4u);
  EXPECT_TRUE(settings.allowed_hosts.empty());
  EXPECT_EQ(settings.models.size(), 1u);
  EXPECT_EQ(settings.warnings.size(), 4u);
}

TEST_F(SettingsLayering, CommentsTrailingCommasByteOrderMarkAndForeignKeysAreFine) {
  vscode(
      "\xEF\xBB\xBF// mine\n{\"editor.fontSize\": 12, /* x */ \"[cpp]\": {\"toolgate.x\": 1},\n"
      "\"toolgateX\": 1, \"toolgates.y\": 2, \"chat.agent.enabled\": true,}\n// end");
  EXPECT_EQ(warnings(), std::vector<std::string>{});
}

TEST_F(SettingsLayering, FilesWithoutContentAreEmptyObjects) {
  for (const auto* text : {"", "  \n", "// only this", "\xEF\xBB\xBF", "/* a */ // b\n", "{}"}) {
    profile(text);
    EXPECT_EQ(loaded().models.size(), 1u) << text;
  }
}

TEST_F(SettingsLayering, EmptyPathsMeanNoFiles) {
  files_ = {};
  EXPECT_EQ(loaded().models.size(), 1u);
}

TEST(ProfileFolder, FollowsXdgThenHomeAndIsNeverRelative) {
  const auto folder = [](std::map<std::string, std::string> variables) {
    return profile_folder([=](const char* name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end()) return std::nullopt;
      return found->second;
    });
  };
  EXPECT_EQ(folder({{"XDG_CONFIG_HOME", "/x"}, {"HOME", "/h"}}), "/x/toolgate");
  EXPECT_EQ(folder({{"HOME", "/h"}}), "/h/.config/toolgate");
  EXPECT_EQ(folder({{"XDG_CONFIG_HOME", "relative"}, {"HOME", "/h"}}), "/h/.config/toolgate");
  EXPECT_EQ(folder({{"XDG_CONFIG_HOME", ""}, {"HOME", "/h"}}), "/h/.config/toolgate");
  EXPECT_TRUE(folder({}).is_absolute());
  EXPECT_TRUE(folder({{"HOME", "relative"}}).is_absolute());
}

TEST_F(SettingsErrors, SyntaxErrorsNameLineAndColumn) {
  EXPECT_EQ(error_of_profile("{\n  \"a\": tru,\n}"),
            "profile/settings.json:2:8: is not valid JSON: syntax error");
  EXPECT_EQ(error_of_profile("{\n \"a\" 1}"),
            "profile/settings.json:2:6: is not valid JSON: syntax error");
  EXPECT_EQ(error_of_profile("{\"a\": 1"),
            "profile/settings.json:1:8: is not valid JSON: incomplete JSON");
  EXPECT_EQ(error_of_profile("{} x"), "profile/settings.json:1:4: is not valid JSON: extra data");
  EXPECT_EQ(error_of_profile("\xEF\xBB\xBFx"),
            "profile/settings.json:1:1: is not valid JSON: syntax error");
  EXPECT_TRUE(error_of_profile("/* open").starts_with("profile/settings.json:1:")) << error();
}

TEST_F(SettingsErrors, ColumnsCountCharacters) {
  EXPECT_EQ(error_of_profile("{\"\xC3\xA4\xF0\x9F\x98\x80\": x}"),
            "profile/settings.json:1:8: is not valid JSON: syntax error");
}

TEST_F(SettingsErrors, TheRootMustBeAnObject) {
  EXPECT_EQ(error_of_profile("\n []"), "profile/settings.json:2:2: must be a JSON object");
  EXPECT_EQ(error_of_profile("null"), "profile/settings.json:1:1: must be a JSON object");
}

TEST_F(SettingsErrors, InvalidUtf8IsLocated) {
  EXPECT_EQ(error_of_profile("{\n \"a\": \"\xC3\xA4\xFF\"}"),
            "profile/settings.json:2:9: is not valid UTF-8");
  EXPECT_EQ(error_of_profile("{} // \xC3"), "profile/settings.json:1:7: is not valid UTF-8");
  EXPECT_EQ(error_of_profile("\xFF\xFE{"), "profile/settings.json:1:1: is not valid UTF-8");
}

TEST_F(SettingsErrors, DeepNestingIsRefused) {
  const auto message = error_of_profile("{\"a\":" + std::string(100'000, '['));
  EXPECT_NE(message.find("too deep"), message.npos) << message;
}

TEST_F(SettingsErrors, AFolderIsNoFile) {
  std::filesystem::create_directories(files_.profile);
  EXPECT_EQ(error(), "profile/settings.json: is a folder, not a file");
}

TEST_F(SettingsErrors, APipeDoesNotBlock) {
  std::filesystem::create_directories(files_.workspace / ".vscode");
  ASSERT_EQ(::mkfifo((files_.workspace / ".vscode/settings.json").c_str(), 0600), 0);
  EXPECT_EQ(error(), "work/.vscode/settings.json: is not a regular file");
}

TEST_F(SettingsErrors, AnUnreadableFileIsAnError) {
  std::filesystem::create_directories(files_.profile.parent_path());
  std::filesystem::create_symlink(files_.profile, files_.profile);
  EXPECT_EQ(error(), "profile/settings.json: cannot be read: Too many levels of symbolic links");
  std::filesystem::remove(files_.profile);
  profile("{}");
  std::filesystem::permissions(files_.profile, std::filesystem::perms::none);
  // Root may read everything, so the file is looked at as somebody else.
  constexpr uid_t kNobody = 65534;
  const uid_t self = ::geteuid();
  if (self == 0) ASSERT_EQ(::seteuid(kNobody), 0);
  const std::string got = error();
  ASSERT_EQ(::seteuid(self), 0);
  EXPECT_EQ(got, "profile/settings.json: cannot be read: Permission denied");
}

TEST_F(SettingsErrors, AHugeFileIsRefused) {
  const std::string blank(4 << 20, ' ');
  EXPECT_EQ(error_of_profile(blank), "no error");
  EXPECT_EQ(error_of_profile(blank + " "), "profile/settings.json: is larger than 4 MiB");
}

TEST_F(SettingsErrors, AMissingExtraFileIsAnError) {
  files_.extra.push_back(folder_.path() / "none.json");
  EXPECT_EQ(error(), "none.json: there is no such file");
}

TEST_F(SettingsErrors, AGroupMustBeAnObject) {
  EXPECT_EQ(error_of_profile("{\"toolgate\": {\n\"limits\": 5}}"),
            "profile/settings.json:2:11: toolgate.limits must be an object");
}

TEST_F(SettingsErrors, ThePositionIsThatOfTheValueThatCounts) {
  EXPECT_EQ(
      error_of_profile("{\"toolgate.logLevel\": \"info\",\n\"toolgate.logLevel\": 1}"),
      "profile/settings.json:2:22: toolgate.logLevel must be one of debug, info, warn, error, off");
}

TEST_F(SettingsWarnings, AnUnknownKeyIsNamedWithTheNearestOne) {
  profile(
      "{\n  \"toolgate.limit.conections\": 1,\n  \"toolgate\": {\n    \"defaultmodel\": 1, "
      "\"limit\": {}}}");
  EXPECT_EQ(
      warnings(),
      (std::vector<std::string>{
          "profile/settings.json:2:3: \"toolgate.limit.conections\" is no setting; did you mean "
          "\"toolgate.limits.connections\"?",
          "profile/settings.json:4:5: \"toolgate.defaultmodel\" is no setting; did you mean "
          "\"toolgate.defaultModel\"?",
          "profile/settings.json:4:24: \"toolgate.limit\" is no setting; did you mean "
          "\"toolgate.limits\"?"}));
}

TEST_F(SettingsLayering, AWorkspaceAddsToWhatIsDenied) {
  profile(R"({"toolgate.tools.deny": ["a"], "toolgate.tools.allow": ["*"]})");
  folder_.write("work/.vscode/settings.json", R"({"toolgate.tools.deny": ["b"]})");
  folder_.write("work/.toolgate/settings.json",
                R"({"toolgate.tools.deny": ["c"], "toolgate.tools.allow": ["x"]})");
  EXPECT_EQ(loaded().catalog.deny, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(loaded().catalog.allow, std::vector<std::string>{"*"});
}

TEST_F(SettingsLayering, AWorkspaceSwitchesOffAndNotOn) {
  profile(R"({"chat.agent.enabled": false})");
  folder_.write("work/.vscode/settings.json",
                R"({"chat.agent.enabled": true, "chat.extensionTools.enabled": false})");
  EXPECT_FALSE(loaded().catalog.agent_enabled);
  EXPECT_FALSE(loaded().catalog.extension_tools_enabled);
  const auto found = warnings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("may switch it off, not on"), std::string::npos);
}

TEST_F(SettingsLayering, OtherSettingsAreContextKeysAndOursAreNot) {
  profile(R"({"acme.city": "Oslo", "acme.list": [1, 2], "acme.deep": {"on": true},
              "toolgate.logLevel": "warn", "toolgate": {"limits": {"tools": 3}}})");
  folder_.write("work/.vscode/settings.json", R"({"acme.city": "Bergen"})");
  const std::map<std::string, std::string> expected{{"config.acme.city", "\"Bergen\""},
                                                    {"config.acme.list", "\"[1,2]\""},
                                                    {"config.acme.deep", "{\"on\":true}"},
                                                    {"config.acme.deep.on", "true"}};
  EXPECT_EQ(loaded().config, expected);
}

TEST_F(SettingsWarnings, AFloodIsCut) {
  std::string text = "{";
  for (int i = 0; i < 20'000; ++i) text += fmt::format("\"toolgate.x{}\": 1,\n", i);
  vscode(text + "}");
  const auto found = warnings();
  ASSERT_EQ(found.size(), 50u);
  EXPECT_EQ(found.back(), "work/.vscode/settings.json: there is more, not listed here");
}

TEST_F(SettingsWarnings, LongAndControlCharactersAreTamed) {
  profile("{\"toolgate.\\n\\u001b" + std::string(1 << 20, 'x') + "\": 1}");
  const auto found = warnings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(found[0].size(), 300u);
  EXPECT_EQ(found[0].find('\n'), std::string::npos);
  EXPECT_EQ(found[0].find('\x1b'), std::string::npos);
}

TEST_F(ApiKeys, ThreeFormsAreRead) {
  environment_ = {{"TEAM_KEY", "from-environment"}};
  profile(
      R"({"toolgate.apiKeys": ["plain", {"name": "alice", "key": "k2"}, {"name": "team", "keyEnv": "TEAM_KEY"},
    {"key": "k4", "nmae": "x"}]})");
  const auto settings = loaded();
  ASSERT_EQ(settings.api_keys.size(), 4u);
  EXPECT_EQ(settings.api_keys[0].name, "key 1");
  EXPECT_EQ(settings.api_keys[0].value, "plain");
  EXPECT_EQ(settings.api_keys[1].name, "alice");
  EXPECT_EQ(settings.api_keys[1].value, "k2");
  EXPECT_EQ(settings.api_keys[2].name, "team");
  EXPECT_EQ(settings.api_keys[2].value, "from-environment");
  EXPECT_EQ(settings.api_keys[3].name, "key 4");
  ASSERT_EQ(settings.warnings.size(), 1u);
  EXPECT_NE(settings.warnings[0].find("toolgate.apiKeys[3].nmae"), std::string::npos);
}

TEST_F(ApiKeys, NothingLeavesTheGatewayOpenByMistake) {
  const std::string list = "profile/settings.json:1:";
  EXPECT_EQ(error_of_profile(R"({"toolgate.apiKeys": [{"keyEnv": "UNSET"}]})"),
            list + "34: toolgate.apiKeys[0].keyEnv names the variable UNSET, which is not set");
  environment_ = {{"EMPTY", ""}, {"SPACED", "secret key"}};
  EXPECT_EQ(error_of_profile(R"({"toolgate.apiKeys": [{"keyEnv": "EMPTY"}]})"),
            list + "34: toolgate.apiKeys[0].keyEnv names the variable EMPTY, which is not set");
  EXPECT_EQ(error_of_profile(R"({"toolgate.apiKeys": [{"keyEnv": "SPACED"}]})"),
            list +
                "34: toolgate.apiKeys[0].keyEnv names the variable SPACED, whose value is no key "
                "of visible ASCII "
                "characters");
  EXPECT_EQ(
      error_of_profile(R"({"toolgate.apiKeys": [""]})"),
      list + "23: toolgate.apiKeys[0] must be a key of visible ASCII characters without spaces");
  EXPECT_EQ(error_of_profile(R"({"toolgate.apiKeys": "k"})"),
            list + "22: toolgate.apiKeys must be a list of keys");
  EXPECT_EQ(error_of_profile(R"({"toolgate.apiKeys": [1]})"),
            list +
                "23: toolgate.apiKeys[0] must be a string, {\"name\", \"key\"} or {\"name\", "
                "\"keyEnv\"}");
  for (const auto* both : {"{}", R"({"name": "x"})", R"({"key": "a", "keyEnv": "B"})"})
    EXPECT_EQ(error_of_profile(fmt::format("{{\"toolgate.apiKeys\": [{}]}}", both)),
              list + "23: toolgate.apiKeys[0] needs either \"key\" or \"keyEnv\"");
}

TEST_F(ApiKeys, ErrorsDoNotRepeatTheKey) {
  for (const auto* item : {R"("se cret")", R"({"key": "se cret"})", R"({"keyEnv": "se cret"})"}) {
    const auto message = error_of_profile(fmt::format("{{\"toolgate.apiKeys\": [{}]}}", item));
    EXPECT_NE(message, "no error");
    EXPECT_EQ(message.find("se cret"), message.npos) << message;
  }
}

TEST_F(AllowedHosts, AreLowerCasedNamesWithoutPort) {
  profile(R"({"toolgate.allowedHosts": ["Gate.Example", "10.0.0.1", "[2001:DB8::1]", "::2"]})");
  EXPECT_EQ(loaded().allowed_hosts,
            (std::vector<std::string>{"gate.example", "10.0.0.1", "2001:db8::1", "::2"}));
  for (const auto* bad : {"\"h:80\"", "\"http://h\"", "\"*\"", "\"*.example\"", "\"\"", "\"a b\"",
                          "1", "\"[::1]:80\""}) {
    const auto message =
        error_of_profile(fmt::format("{{\"toolgate.allowedHosts\": [\"ok\", {}]}}", bad));
    EXPECT_TRUE(message.starts_with("profile/settings.json:1:34: toolgate.allowedHosts[1] must be"))
        << message;
  }
}

TEST_F(LimitKeys, EveryMemberOfLimitsHasItsKey) {
  std::string text = "{";
  int value = 1;
  std::size_t count = 0;
  for (const auto& key : settings_keys())
    if (key.name.starts_with("toolgate.limits.")) {
      text += fmt::format("\"{}\": {},", key.name, value++);
      ++count;
    }
  profile(text + "}");
  const auto limits = loaded().limits;
  const std::vector<std::size_t> sizes{limits.request_header_bytes,
                                       limits.request_body_bytes,
                                       limits.answer_bytes,
                                       limits.stream_event_bytes,
                                       limits.connections,
                                       limits.upstream_idle_connections,
                                       limits.tools};
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7}));
  const std::vector<std::chrono::milliseconds> times{limits.header_seconds,
                                                     limits.body_seconds,
                                                     limits.write_seconds,
                                                     limits.keep_alive_seconds,
                                                     limits.stream_keep_alive_seconds,
                                                     limits.shutdown_seconds,
                                                     limits.upstream_connect_seconds,
                                                     limits.upstream_first_byte_seconds,
                                                     limits.upstream_idle_seconds};
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(times[i], std::chrono::seconds(8 + i));
  EXPECT_EQ(limits.argument_bytes, 17u);
  EXPECT_EQ(limits.result_bytes, 18u);
  EXPECT_EQ(limits.result_total_bytes, 19u);
  EXPECT_EQ(limits.result_parts, 20u);
  EXPECT_EQ(limits.tool_seconds, std::chrono::seconds(21));
  EXPECT_EQ(limits.turn_calls, 22u);
  EXPECT_EQ(limits.turn_tokens, 23u);
  EXPECT_EQ(limits.parallel_calls, 24u);
  EXPECT_EQ(limits.turn_seconds, std::chrono::seconds(25));
  EXPECT_EQ(limits.turn_keep_seconds, std::chrono::seconds(26));
  EXPECT_EQ(count, sizes.size() + times.size() + 10);
  EXPECT_EQ(sizeof(Limits), count * 8) << "a new limit needs a key, and a line here";
}

TEST_F(LimitKeys, SecondsMayHaveFractions) {
  profile(
      R"({"toolgate.limits": {"headerSeconds": 0.25, "bodySeconds": 1e-9, "writeSeconds": 7}})");
  const auto limits = loaded().limits;
  EXPECT_EQ(limits.header_seconds, std::chrono::milliseconds(250));
  EXPECT_EQ(limits.body_seconds, std::chrono::milliseconds(1));
  EXPECT_EQ(limits.write_seconds, std::chrono::seconds(7));
}

TEST_F(LimitKeys, WrongNumbersAreRefused) {
  for (const auto* bad : {"0", "-1", "\"5\"", "1e99", "null", "31536001"})
    EXPECT_EQ(error_of_profile(fmt::format("{{\"toolgate.limits.headerSeconds\": {}}}", bad)),
              "profile/settings.json:1:35: toolgate.limits.headerSeconds must be a number of "
              "seconds over 0 and at "
              "most 31536000");
  for (const auto* bad : {"0", "-1", "2.5", "true", "4000000001", "18446744073709551615"})
    EXPECT_EQ(error_of_profile(fmt::format("{{\"toolgate.limits.connections\": {}}}", bad)),
              "profile/settings.json:1:33: toolgate.limits.connections must be an integer from 1 "
              "to 4000000000");
  EXPECT_EQ(error_of_profile("{\"toolgate.limits.upstreamIdleConnections\": 0}"), "no error");
}

TEST_F(SettingsErrors, LimitsOfCommandsHaveBounds) {
  EXPECT_EQ(error_of_profile("{\"toolgate.sandbox.memoryBytes\": 1048576}"),
            "profile/settings.json:1:34: toolgate.sandbox.memoryBytes must be an integer from "
            "16777216 to 1125899906842624");
  EXPECT_EQ(error_of_profile("{\"toolgate.sandbox.processes\": \"many\"}"),
            "profile/settings.json:1:32: toolgate.sandbox.processes must be an integer from 8 to "
            "100000");
  profile(R"({"toolgate.sandbox.memoryBytes": 16777216, "toolgate.sandbox.processes": 8})");
  EXPECT_EQ(loaded().builtin.sandbox.memory_bytes, 16'777'216u);
  EXPECT_EQ(loaded().builtin.sandbox.processes, 8u);
}

std::filesystem::path project_root() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
}

TEST(SettingsDocs, EveryKeyIsExplained) {
  std::ifstream file(project_root() / "docs/settings.md");
  ASSERT_TRUE(file);
  std::stringstream text;
  text << file.rdbuf();
  for (const auto& key : settings_keys()) {
    const auto row = fmt::format("| `{}` | {} | {} |", key.name, key.type,
                                 key.set_by == SetBy::AnyFile ? "any file" : "profile");
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}

TEST(SettingsDocs, TheExampleLoadsAndNamesEveryKey) {
  SettingsFiles files;
  files.extra.push_back(project_root() / "examples/settings.json");
  const auto settings = load_settings(files, [](const char*) { return std::string("value"); });
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->warnings, std::vector<std::string>{});
  EXPECT_GT(settings->models.size(), 1u);
  auto file = read_settings_file(files.extra[0]);
  for (const auto& key : settings_keys())
    if (key.apply) {
      EXPECT_NE((*file)->text.find(fmt::format("\"{}\"", key.name)), std::string::npos) << key.name;
    }
}

}  // namespace
}  // namespace toolgate
