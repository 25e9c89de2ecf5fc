// Manifests of VS Code extensions: what becomes of their tools and sets, and what is reported.
#include "hosts/extension_manifest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::string package(std::string_view contributes, std::string_view more = "") {
  return fmt::format(
      R"({{"publisher":"acme","name":"ext","displayName":"Acme"{},"contributes":{}}})", more,
      contributes);
}

constexpr std::string_view kTool =
    R"({"name":"t","displayName":"T","modelDescription":"d","toolReferenceName":"ref"})";

std::vector<std::string> kinds(const std::vector<ManifestFault>& faults) {
  std::vector<std::string> names;
  for (const ManifestFault& fault : faults) names.push_back(fault.kind);
  return names;
}

using Kinds = std::vector<std::string>;

TEST(ExtensionManifest, ReadsEveryFieldOfATool) {
  const auto manifest = read_manifest(package(R"json({"languageModelTools":[{"name":"my_tool",
    "displayName":"My Tool","modelDescription":"Does","userDescription":"For people",
    "toolReferenceName":"mine","canBeReferencedInPrompt":true,"tags":["a","b"],"icon":"$(zap)",
    "when":"a && b","inputSchema":{"type":"object","properties":{"x":{"type":"number"}}}}]})json"));
  ASSERT_EQ(manifest.tools.size(), 1u);
  EXPECT_TRUE(manifest.faults.empty());
  const ToolData& tool = manifest.tools[0];
  EXPECT_EQ(tool.id, "my_tool");
  EXPECT_EQ(tool.display_name, "My Tool");
  EXPECT_EQ(tool.model_description, "Does");
  EXPECT_EQ(tool.user_description, "For people");
  EXPECT_EQ(tool.reference_name, "mine");
  EXPECT_EQ(tool.can_be_referenced_in_prompt, true);
  EXPECT_EQ(tool.tags, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(tool.icon, "$(zap)");
  EXPECT_EQ(tool.when, "a && b");
  EXPECT_EQ(tool.input_schema, R"({"type":"object","properties":{"x":{"type":"number"}}})");
  EXPECT_EQ(tool.source.kind, ToolSource::Kind::Extension);
  EXPECT_EQ(tool.source.id, "acme.ext");
  EXPECT_EQ(tool.source.label, "Acme");
  EXPECT_TRUE(tool.always_display_input_output);
  EXPECT_EQ(manifest.activation_events, (Kinds{"onLanguageModelTool:my_tool"}));
}

TEST(ExtensionManifest, AFaultNamesExtensionEntryAndRemedy) {
  const auto manifest =
      read_manifest(package(R"({"languageModelTools":[)" + std::string(kTool) +
                            R"(,{"name":"bad name","displayName":"B","modelDescription":"d"}]})"));
  ASSERT_EQ(manifest.faults.size(), 1u);
  EXPECT_EQ(manifest.faults[0].kind, "invalid_name");
  EXPECT_NE(manifest.faults[0].message.find("acme.ext"), std::string::npos);
  EXPECT_NE(manifest.faults[0].message.find("'bad name' (languageModelTools[1])"),
            std::string::npos)
      << manifest.faults[0].message;
  EXPECT_FALSE(manifest.faults[0].advice.empty());
  EXPECT_EQ(manifest.tools.size(), 1u);
}

TEST(ExtensionManifest, AConditionThatCannotBeReadIsDroppedAndReported) {
  const auto manifest = read_manifest(package(
      R"({"languageModelTools":[{"name":"t","displayName":"T","modelDescription":"d","when":"a &&"},
          {"name":"u","displayName":"U","modelDescription":"d","when":7},
          {"name":"v","displayName":"V","modelDescription":"d","when":"  "}]})"));
  ASSERT_EQ(manifest.tools.size(), 3u);
  EXPECT_EQ(manifest.tools[0].when, "a &&");  // the catalogue tells its fault
  EXPECT_EQ(manifest.tools[1].when, "");
  EXPECT_EQ(manifest.tools[2].when, "");
  EXPECT_EQ(kinds(manifest.faults), Kinds{"unreadable_when"});
}

TEST(ExtensionManifest, TextsComeFromTheOtherFile) {
  const auto manifest = read_manifest(
      R"({"publisher":"acme","name":"ext","displayName":"%title%","contributes":{
        "languageModelTools":[{"name":"t","displayName":"%t.name%","modelDescription":"%gone%",
        "inputSchema":{"type":"object","description":"%schema%"}}]}})",
      "\xEF\xBB\xBF"
      R"({"title":"Acme Tools", // what people see
          "t.name":{"message":"Tee","comment":["c"]},"schema":"S"})");
  ASSERT_EQ(manifest.tools.size(), 1u);
  EXPECT_EQ(manifest.display_name, "Acme Tools");
  EXPECT_EQ(manifest.tools[0].display_name, "Tee");
  EXPECT_EQ(manifest.tools[0].model_description, "%gone%");
  EXPECT_EQ(manifest.tools[0].input_schema, R"({"type":"object","description":"S"})");
  EXPECT_EQ(kinds(manifest.faults), (Kinds{"missing_texts"}));
}

TEST(ExtensionManifest, WhatIsNoManifestIsReported) {
  for (const std::string_view text : {"", "[]", "{", "7", "\xff"})
    EXPECT_EQ(kinds(read_manifest(text).faults), (Kinds{"invalid_manifest"})) << text;
  EXPECT_TRUE(read_manifest("{}").faults.empty());
  EXPECT_EQ(kinds(read_manifest(package(R"({"languageModelTools":{}})")).faults),
            (Kinds{"not_a_list"}));
  EXPECT_EQ(kinds(read_manifest(package(R"({"languageModelTools":[1,null,[]]})")).faults),
            Kinds(3, "missing_required_field"));
  EXPECT_EQ(kinds(read_manifest(package("{}"), "{").faults), (Kinds{"invalid_texts"}));
}

TEST(ExtensionManifest, ProposalsCountOnlyIfGranted) {
  const std::string text = package(R"({"languageModelTools":[{"name":"vscode_t","displayName":"T",
                 "modelDescription":"d"}]})",
                                   R"(,"enabledApiProposals":["chatParticipantPrivate@11"])");
  EXPECT_EQ(read_manifest(text).tools.size(), 1u);
  ManifestOptions options;
  options.grant_proposals = false;
  const auto refused = read_manifest(text, {}, options);
  EXPECT_TRUE(refused.tools.empty());
  EXPECT_EQ(kinds(refused.faults), (Kinds{"reserved_name_prefix"}));
}

TEST(ExtensionManifest, IconsAreNamesOrPaths) {
  const auto icon = [](std::string_view value, std::string root) {
    ManifestOptions options;
    options.root = std::move(root);
    const auto manifest =
        read_manifest(package(fmt::format(R"({{"languageModelTools":[{{"name":"t","displayName":"T",
                               "modelDescription":"d","icon":{}}}]}})",
                                          value)),
                      {}, options);
    return manifest.tools.at(0).icon;
  };
  EXPECT_EQ(icon("\"$(sync~spin)\"", "/e"), "$(sync~spin)");
  EXPECT_EQ(icon("\"$(a b)\"", "/e"), "/e/$(a b)");
  EXPECT_EQ(icon(R"("./m/../i.svg")", "/e"), "/e/i.svg");
  EXPECT_EQ(icon(R"("i.svg")", ""), "i.svg");
  EXPECT_EQ(icon(R"("/i.svg")", "/e"), "/e/i.svg");
  EXPECT_EQ(icon(R"({"light":"l","dark":"d"})", "/e"), R"({"light":"/e/l","dark":"/e/d"})");
  EXPECT_EQ(icon(R"({"light":"l","dark":"l"})", "/e"), "/e/l");
  EXPECT_EQ(icon(R"({"dark":"d"})", "/e"), "/e/d");
  EXPECT_EQ(icon("7", "/e"), "");
}

TEST(ExtensionManifest, TheSyntheticSetHasOnlyWhatWasRegistered) {
  Registry registry;
  const std::string both = package(
      R"({"languageModelTools":[{"name":"taken","displayName":"T","modelDescription":"d"},
                                {"name":"free","displayName":"F","modelDescription":"d"}]})");
  ToolData other;
  other.id = "taken";
  other.display_name = other.model_description = "Other";
  const auto first = registry.add_data(other);
  ASSERT_TRUE(first.has_value());
  const auto registered = register_manifest(registry, read_manifest(both));
  EXPECT_EQ(kinds(registered.faults), (Kinds{"duplicate_id"}));
  const auto catalog = registry.catalog();
  const CatalogSet* set = catalog->find_set("synthetic-toolset:acme.ext");
  ASSERT_NE(set, nullptr);
  ASSERT_EQ(set->tools.size(), 1u);
  EXPECT_EQ(catalog->tools[set->tools[0]].data().id, "free");
}

TEST(ExtensionManifest, SetsWithoutMembersAreNamed) {
  Registry registry;
  const auto manifest = read_manifest(
      package(R"({"languageModelTools":[)" + std::string(kTool) +
                  R"(],"languageModelToolSets":[{"name":"good","tools":["ref","later"]},
                      {"name":"bad","tools":["t"]}]})",
              R"(,"enabledApiProposals":["contribLanguageModelToolSets"])"));
  EXPECT_TRUE(manifest.faults.empty());
  const auto registered = register_manifest(registry, manifest);
  const auto faults = sets_without_members(*registry.catalog(), manifest);
  ASSERT_EQ(kinds(faults), (Kinds{"no_member_found"}));
  EXPECT_NE(faults[0].message.find("'bad'"), std::string::npos);
  EXPECT_NE(registry.catalog()->find_set("toolset:acme.ext/good"), nullptr);
}

}  // namespace
}  // namespace toolgate
