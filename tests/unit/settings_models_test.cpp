// Models from files and from the environment, and the choice of the default and the naming one.
#include <map>

#include <gtest/gtest.h>

#include "settings_fixture.h"

namespace toolgate {
namespace {

using ModelSettingsList = SettingsFilesTest;
using EnvironmentModel = SettingsFilesTest;
using DefaultModelSetting = SettingsFilesTest;
using NamingModelSetting = SettingsFilesTest;

TEST_F(ModelSettingsList, AllMembersAreRead) {
  profile(R"({"toolgate.models": [
    {"id": "big", "provider": "openai", "baseUrl": "HTTPS://api.example.com:8443/v1/", "apiKeyEnv": "BIG_KEY",
     "upstreamModel": "big-2", "family": "gpt-4o", "encoding": "o200k_base", "maxInputTokens": 128000,
     "maxOutputTokens": 1.6e4, "toolCalling": false},
    {"id": "small", "provider": "demo"}]})");
  const auto settings = loaded();
  ASSERT_EQ(settings.models.size(), 3u);
  const auto& model = settings.models[0];
  EXPECT_EQ(model.id, "big");
  EXPECT_EQ(model.provider, "openai");
  EXPECT_EQ(model.base_url, "https://api.example.com:8443/v1");
  EXPECT_EQ(model.api_key_env, "BIG_KEY");
  EXPECT_EQ(model.upstream_model, "big-2");
  EXPECT_EQ(model.family, "gpt-4o");
  EXPECT_EQ(model.encoding, "o200k_base");
  EXPECT_EQ(model.max_input_tokens, 128000);
  EXPECT_EQ(model.max_output_tokens, 16000);
  EXPECT_FALSE(model.tool_calling);
  EXPECT_TRUE(settings.models[1].tool_calling);
  EXPECT_EQ(settings.models[2].id, "toolgate/demo");
  EXPECT_TRUE(settings.warnings.empty());
}

TEST_F(ModelSettingsList, ErrorsPointAtTheMember) {
  const std::string good = R"("id": "m", "provider": "openai", "baseUrl": "http://h")";
  EXPECT_EQ(error_of_model(good), "no error");
  EXPECT_EQ(error_of_model(R"("provider": "demo")"),
            "profile/settings.json:3:1: toolgate.models[1] needs an \"id\"");
  EXPECT_EQ(error_of_model(R"("id": "", "provider": "demo")"),
            "profile/settings.json:3:8: toolgate.models[1].id must be a string that is not empty");
  EXPECT_EQ(error_of_model(R"("id": "a\nb", "provider": "demo")"),
            "profile/settings.json:3:8: toolgate.models[1].id must not contain control characters");
  EXPECT_EQ(error_of_model(R"("id": "first", "provider": "demo")"),
            "profile/settings.json:3:8: toolgate.models[1].id is \"first\", as is that of "
            "toolgate.models[0]");
  EXPECT_EQ(error_of_model(R"("id": "toolgate/demo", "provider": "demo")"),
            "profile/settings.json:3:8: toolgate.models[1].id must not be \"toolgate/demo\", the "
            "name of the built-in "
            "demo model");
  EXPECT_EQ(
      error_of_model(R"("id": "m")"),
      "profile/settings.json:3:1: toolgate.models[1] needs a \"provider\": \"openai\" or \"demo\"");
  EXPECT_EQ(error_of_model(R"("id": "m", "provider": "bard")"),
            "profile/settings.json:3:25: toolgate.models[1].provider must be \"openai\" or "
            "\"demo\", not \"bard\"");
  EXPECT_EQ(error_of_model(R"("id": "m", "provider": "anthropic")"),
            "profile/settings.json:3:25: toolgate.models[1].provider is \"anthropic\", which this "
            "version does not "
            "speak; use provider \"openai\" with the baseUrl of an OpenAI-compatible endpoint");
  EXPECT_EQ(error_of_model(R"("id": "m", "provider": "openai")"),
            "profile/settings.json:3:1: toolgate.models[1] needs a \"baseUrl\", such as "
            "\"https://api.openai.com/v1\"");
  EXPECT_EQ(
      error_of_model(R"("id": "m", "provider": "openai",
 "baseUrl": "ftp://h")"),
      "profile/settings.json:4:13: toolgate.models[1].baseUrl must begin with http:// or https://");
  for (const auto* bad : {"0", "-1", "1.5", "\"1\"", "1e300", "null"})
    EXPECT_EQ(error_of_model(good + ", \n\"maxInputTokens\": " + bad),
              "profile/settings.json:4:19: toolgate.models[1].maxInputTokens must be an integer "
              "from 1 to 1000000000");
  EXPECT_EQ(error_of_model(good + ", \n\"toolCalling\": 1"),
            "profile/settings.json:4:16: toolgate.models[1].toolCalling must be true or false");
  EXPECT_EQ(error_of_model(good + ", \n\"encoding\": \"p50k_base\""),
            "profile/settings.json:4:13: toolgate.models[1].encoding must be \"o200k_base\" or "
            "\"cl100k_base\"");
  EXPECT_EQ(error_of_profile("{\"toolgate.models\": [3]}"),
            "profile/settings.json:1:22: toolgate.models[0] must be an object with \"id\" and "
            "\"provider\"");
  EXPECT_EQ(error_of_profile("{\"toolgate.models\": {}}"),
            "profile/settings.json:1:21: toolgate.models must be a list of models");
}

TEST_F(ModelSettingsList, AKeyInTheFileIsRefusedAndNotRepeated) {
  const auto literal = error_of_model(R"("id": "m", "provider": "demo", "apiKey": "sk-secret")");
  EXPECT_NE(literal.find("apiKeyEnv"), literal.npos) << literal;
  EXPECT_EQ(literal.find("sk-secret"), literal.npos) << literal;
  const auto mistaken =
      error_of_model(R"("id": "m", "provider": "demo", "apiKeyEnv": "sk-secret")");
  EXPECT_NE(mistaken.find("not the key itself"), mistaken.npos) << mistaken;
  EXPECT_EQ(mistaken.find("sk-secret"), mistaken.npos) << mistaken;
}

TEST_F(ModelSettingsList, UnknownMembersAreWarnedOf) {
  profile(
      "{\"toolgate.models\": [{\"id\": \"m\", \"provider\": \"demo\",\n  \"temperature\": 1,\n"
      "  \"baseUrl\": \"http://h\"}]}");
  EXPECT_EQ(warnings(),
            (std::vector<std::string>{
                "profile/settings.json:2:3: \"toolgate.models[0].temperature\" is no member of "
                "a model and is ignored",
                "profile/settings.json:3:3: \"toolgate.models[0].baseUrl\" has no effect on a "
                "demo model"}));
}

TEST_F(EnvironmentModel, TheKeyAloneMeansOpenAi) {
  environment_ = {{"OPENAI_API_KEY", "k"}};
  const auto settings = loaded();
  ASSERT_EQ(settings.models.size(), 2u);
  EXPECT_EQ(settings.models[0].id, "default");
  EXPECT_EQ(settings.models[0].provider, "openai");
  EXPECT_EQ(settings.models[0].base_url, "https://api.openai.com/v1");
  EXPECT_EQ(settings.models[0].api_key_env, "OPENAI_API_KEY");
  EXPECT_EQ(settings.models[0].upstream_model, "");
}

TEST_F(EnvironmentModel, TheUrlAloneNeedsNoKey) {
  environment_ = {{"OPENAI_BASE_URL", "http://localhost:11434/v1/"}, {"OPENAI_MODEL", "llama"}};
  const auto settings = loaded();
  ASSERT_EQ(settings.models.size(), 2u);
  EXPECT_EQ(settings.models[0].id, "llama");
  EXPECT_EQ(settings.models[0].upstream_model, "llama");
  EXPECT_EQ(settings.models[0].base_url, "http://localhost:11434/v1");
  EXPECT_EQ(settings.models[0].api_key_env, "");
}

TEST_F(EnvironmentModel, EmptyVariablesAreNotSet) {
  environment_ = {{"OPENAI_BASE_URL", ""}, {"OPENAI_API_KEY", ""}, {"OPENAI_MODEL", "m"}};
  EXPECT_EQ(loaded().models.size(), 1u);
}

TEST_F(EnvironmentModel, ConfiguredModelsComeInstead) {
  environment_ = {{"OPENAI_BASE_URL", "not even a URL"}};
  profile(R"({"toolgate.models": [{"id": "m", "provider": "demo"}]})");
  EXPECT_EQ(loaded().models[0].id, "m");
}

TEST_F(EnvironmentModel, ABadUrlIsNamedByItsVariable) {
  environment_ = {{"OPENAI_BASE_URL", "localhost:1"}};
  EXPECT_EQ(error(), "OPENAI_BASE_URL must begin with http:// or https://");
  environment_ = {{"OPENAI_BASE_URL", "http://h"}, {"OPENAI_MODEL", "toolgate/demo"}};
  EXPECT_EQ(error(),
            "OPENAI_MODEL must not be \"toolgate/demo\", the name of the built-in demo model");
}

TEST_F(DefaultModelSetting, MustExist) {
  profile(
      "{\"toolgate.models\": [{\"id\": \"m\", \"provider\": "
      "\"demo\"}],\n\"toolgate.defaultModel\": \"x\"}");
  EXPECT_EQ(error(),
            "profile/settings.json:2:26: toolgate.defaultModel names \"x\", which is not "
            "configured; there are: m, "
            "toolgate/demo");
}

TEST_F(DefaultModelSetting, OfAWorkspaceFallsBackWithAWarning) {
  profile(
      R"({"toolgate.models": [{"id": "m", "provider": "demo"}], "toolgate.defaultModel": "m"})");
  vscode("{\n\"toolgate.defaultModel\": \"x\"}");
  EXPECT_EQ(loaded().default_model, "m");
  EXPECT_EQ(warnings(), std::vector<std::string>{
                            "work/.vscode/settings.json:2:1: \"toolgate.defaultModel\" names "
                            "\"x\", which is not configured; there are: m, toolgate/demo; it is "
                            "ignored"});
}

TEST_F(DefaultModelSetting, MayBeTheOneOfTheEnvironment) {
  environment_ = {{"OPENAI_API_KEY", "k"}};
  profile(R"({"toolgate.defaultModel": "default"})");
  EXPECT_EQ(loaded().default_model, "default");
}

TEST_F(NamingModelSetting, IsOneOfTheModelsOrNone) {
  EXPECT_EQ(loaded().naming_model, "");
  profile(R"({"toolgate.models": [{"id": "m", "provider": "demo"}],
    "toolgate": {"virtualTools": {"namingModel": "m"}}})");
  EXPECT_EQ(loaded().naming_model, "m");
  vscode(R"({"toolgate.virtualTools.namingModel": "toolgate/demo"})");
  EXPECT_EQ(loaded().naming_model, "m");
  extra(R"({"toolgate.virtualTools.namingModel": ""})");
  EXPECT_EQ(loaded().naming_model, "");
}

TEST_F(NamingModelSetting, MustExist) {
  profile("{\n\"toolgate.virtualTools.namingModel\": \"x\"}");
  EXPECT_EQ(
      error(),
      "profile/settings.json:2:38: toolgate.virtualTools.namingModel names \"x\", which is not "
      "configured; there are: toolgate/demo");
  profile("{\"toolgate.virtualTools.namingModel\": 5}");
  EXPECT_EQ(error(),
            "profile/settings.json:1:39: toolgate.virtualTools.namingModel must be the id of a "
            "model, or empty");
}

}  // namespace
}  // namespace toolgate
