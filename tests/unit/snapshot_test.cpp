// Settings with the models opened from them.
#include "gateway/snapshot.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

ModelSettings openai_model(std::string id, std::string base_url = "http://127.0.0.1:1/v1") {
  ModelSettings model;
  model.id = std::move(id);
  model.provider = "openai";
  model.base_url = std::move(base_url);
  return model;
}

ModelSettings demo_model() {
  ModelSettings model;
  model.id = "toolgate/demo";
  model.provider = "demo";
  return model;
}

std::optional<std::string> environment(const char* name) {
  if (std::string_view(name) == "SET_KEY") return "secret";
  if (std::string_view(name) == "EMPTY_KEY") return "";
  return std::nullopt;
}

std::shared_ptr<const Snapshot> snapshot_of(std::vector<ModelSettings> models,
                                            std::string default_model = "") {
  Settings settings;
  settings.models = std::move(models);
  settings.default_model = std::move(default_model);
  auto made = make_snapshot(std::move(settings), environment);
  return made ? *made : nullptr;
}

std::string_view found(const Snapshot& snapshot, std::string_view id) {
  const ChatProvider* model = snapshot.find_model(id);
  return model ? std::string_view(model->info().id) : "none";
}

TEST(Snapshot, FindsModelsById) {
  const auto snapshot = snapshot_of({openai_model("a"), openai_model("b/c"), demo_model()});
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(found(*snapshot, "a"), "a");
  EXPECT_EQ(found(*snapshot, "b/c"), "b/c");
  EXPECT_EQ(found(*snapshot, "toolgate/demo"), "toolgate/demo");
  EXPECT_EQ(found(*snapshot, "A"), "none");
  EXPECT_EQ(found(*snapshot, "b"), "none");
}

TEST(Snapshot, WithoutAnIdTheDefaultModelIsMeant) {
  EXPECT_EQ(found(*snapshot_of({openai_model("a"), openai_model("b")}), ""), "a");
  EXPECT_EQ(found(*snapshot_of({openai_model("a"), openai_model("b")}, "b"), ""), "b");
  EXPECT_EQ(found(*snapshot_of({}), ""), "none");
}

TEST(Snapshot, ModelsCarryWhatTheSettingsSay) {
  auto model = openai_model("a", "https://api.example/v1");
  model.family = "gpt-4";
  model.max_input_tokens = 1000;
  model.max_output_tokens = 100;
  model.tool_calling = false;
  const auto snapshot = snapshot_of({model});
  ASSERT_TRUE(snapshot);
  const ModelInfo& info = snapshot->find_model("a")->info();
  EXPECT_EQ(info.owned_by, "api.example");
  EXPECT_EQ(info.family, "gpt-4");
  EXPECT_EQ(info.max_input_tokens, 1000);
  EXPECT_EQ(info.max_output_tokens, 100);
  EXPECT_FALSE(info.tool_calling);
}

TEST(Snapshot, AModelThatCannotBeOpenedIsAnError) {
  Settings settings;
  settings.models = {openai_model("a", "not a url")};
  const auto bad_url = make_snapshot(settings, environment);
  ASSERT_FALSE(bad_url);
  EXPECT_EQ(bad_url.error().code, Errc::InvalidSettings);

  settings.models = {openai_model("a")};
  settings.models[0].provider = "telepathy";
  const auto bad_provider = make_snapshot(settings, environment);
  ASSERT_FALSE(bad_provider);
  EXPECT_NE(bad_provider.error().message.find("telepathy"), std::string::npos);
}

TEST(Snapshot, AMissingKeyIsAWarningThatNamesModelAndVariable) {
  Settings settings;
  for (const std::string name : {"SET_KEY", "EMPTY_KEY", "UNSET_KEY"}) {
    settings.models.push_back(openai_model("model-with-" + name));
    settings.models.back().api_key_env = name;
  }
  settings.warnings = {"an earlier one"};
  const auto made = make_snapshot(std::move(settings), environment);
  ASSERT_TRUE(made);
  const auto& warnings = (*made)->settings.warnings;
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0], "an earlier one");
  EXPECT_NE(warnings[1].find("'model-with-EMPTY_KEY'"), std::string::npos) << warnings[1];
  EXPECT_NE(warnings[2].find("variable UNSET_KEY "), std::string::npos) << warnings[2];
  for (const auto& warning : warnings) EXPECT_EQ(warning.find("secret"), std::string::npos);
}

TEST(Snapshot, AnUnknownModelIsToldWhichThereAre) {
  const auto few = snapshot_of({openai_model("first"), openai_model("second")});
  const Error error = unknown_model(*few, "third");
  EXPECT_EQ(error.code, Errc::ModelNotFound);
  EXPECT_EQ(error.where, "model");
  EXPECT_NE(error.message.find("'third' does not exist"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("there are 'first', 'second'"), std::string::npos) << error.message;
}

TEST(Snapshot, NotAllOfVeryManyModelsAreNamed) {
  std::vector<ModelSettings> models;
  for (int i = 0; i < 50; ++i) models.push_back(openai_model(fmt::format("model-{}", i)));
  const std::string message = unknown_model(*snapshot_of(std::move(models)), "x").message;
  EXPECT_NE(message.find("'model-19' and 30 more"), std::string::npos) << message;
  EXPECT_EQ(message.find("model-20"), std::string::npos) << message;
}

}  // namespace
}  // namespace toolgate
