#include "cli/chat_completion.h"

#include <gtest/gtest.h>

#include "cli/chat_commands.h"

namespace toolgate {
namespace {

using Names = std::vector<std::string>;

const ChatWords kWords{.commands = {"/help", "/tools", "/model"},
                       .references = {"get_forecast", "get_weather", "readFile"},
                       .models = {"gpt", "toolgate/demo"}};

// The text with the completion in it, or the choices.
std::string completed(std::string_view text) {
  const Completion found = complete_chat(text, text.size(), kWords);
  if (!found.choices.empty()) {
    std::string out;
    for (const std::string& choice : found.choices) out += choice + " ";
    return out + "?";
  }
  return found.text.empty() ? "" : std::string(text.substr(0, found.from)) + found.text;
}

TEST(ChatCompletion, ReferencesGetTheirCommonBeginningThenAList) {
  EXPECT_EQ(completed("is it #g"), "is it #get_");
  EXPECT_EQ(completed("is it #get_"), "get_forecast get_weather ?");
  EXPECT_EQ(completed("is it #get_w"), "is it #get_weather ");
  EXPECT_EQ(completed("(#READ"), "(#readFile ");
  EXPECT_EQ(completed("#"), "get_forecast get_weather readFile ?");
}

TEST(ChatCompletion, WhatIsNoReferenceStays) {
  EXPECT_EQ(completed("C#g"), "");
  EXPECT_EQ(completed("get"), "");
  EXPECT_EQ(completed("#nothing"), "");
  EXPECT_EQ(completed("a /he"), "");
}

TEST(ChatCompletion, CommandsAndWhatTheyTake) {
  EXPECT_EQ(completed("/h"), "/help ");
  EXPECT_EQ(completed("/"), "/help /tools /model ?");
  EXPECT_EQ(completed("/model to"), "/model toolgate/demo ");
  EXPECT_EQ(completed("/approvals re"), "reset revoke ?");
}

TEST(ChatCompletion, OnlyWhatStandsBeforeTheCursorCounts) {
  const Completion found = complete_chat("see #get_w now", 10, kWords);
  EXPECT_EQ(found.from, 5u);
  EXPECT_EQ(found.text, "get_weather ");
}

TEST(ChatCompletion, NamesComeFromToolsAndSetsThatMayBeReferenced) {
  const Names names = read_reference_names(
      R"({"data":[{"name":"b_tool","toolReferenceName":"b","fullReferenceName":"x/b"},{"name":"plain","fullReferenceName":"plain"},
          {"name":"hidden","fullReferenceName":"hidden","canBeReferencedInPrompt":false},{"name":"odd","toolReferenceName":"My Tool","fullReferenceName":"a"}]})",
      R"({"data":[{"referenceName":"set","fullReferenceName":"set","members":["b_tool"]},{"referenceName":"empty","members":[]}]})");
  EXPECT_EQ(names, (Names{"a", "b", "plain", "set", "x/b"}));
  EXPECT_EQ(read_reference_names("{", "nothing"), Names{});
}

TEST(ChatCommands, APathIsNoCommand) {
  EXPECT_TRUE(is_chat_command("/help"));
  EXPECT_TRUE(is_chat_command("/model gpt"));
  EXPECT_FALSE(is_chat_command("/etc/passwd is what?"));
  EXPECT_FALSE(is_chat_command("/help\nand more"));
  EXPECT_FALSE(is_chat_command("help"));
}

}  // namespace
}  // namespace toolgate
