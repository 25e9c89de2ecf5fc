#include "invoke/result_limits.h"

#include <gtest/gtest.h>

#include "store/result_files.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

ToolResult with_text(std::string text) {
  ToolResult result;
  result.content.push_back({.text = std::move(text)});
  return result;
}

Result<void> shape(ToolResult& result, const ResultLimits& limits, ResultSpill* spill = nullptr,
                   std::optional<std::size_t> budget = {}) {
  return shape_result(result, limits, spill, "inv_1", budget, Encoding::O200kBase);
}

TEST(ResultLimits, AShortResultStaysAsItIs) {
  auto result = with_text("short");
  ASSERT_TRUE(shape(result, {}));
  EXPECT_EQ(result.content.front().text, "short");
}

TEST(ResultLimits, InvalidTextIsMended) {
  auto result = with_text(
      "a\xff"
      "b");
  ASSERT_TRUE(shape(result, {}));
  EXPECT_EQ(result.content.front().text,
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ResultLimits, ALongPartIsKeptWholeAndTheModelIsToldWhere) {
  const TemporaryFolder folder;
  ResultFiles files(folder.path() / "results");
  std::string text;
  while (text.size() < 5'000) text += "ä";
  auto result = with_text(text);
  ASSERT_TRUE(shape(result, {.part_bytes = 1'001}, &files));
  const std::string& told = result.content.front().text;
  EXPECT_TRUE(told.starts_with("ä"));
  EXPECT_TRUE(told.contains("The first 1000 of 5000 bytes")) << told.substr(1'000);
  EXPECT_TRUE(told.contains("toolgate://results/inv_1.0"));
  EXPECT_EQ(files.read("toolgate://results/inv_1.0", 0, 10'000)->bytes, text);
  const auto slice = files.read("inv_1.0", 4'998, 10'000);
  EXPECT_EQ(slice->bytes, "ä");
  EXPECT_EQ(slice->size, 5'000u);
}

std::string words(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("word {} of many; ", i);
  return text;
}

TEST(ResultLimits, TextBeyondTheTokenBudgetIsKeptAndItsBeginningShown) {
  const TemporaryFolder folder;
  ResultFiles files(folder.path() / "results");
  const std::string text = words(1'000);
  auto result = with_text(text);
  ASSERT_TRUE(shape(result, {}, &files, 500));
  const std::string& told = result.content.front().text;
  const std::size_t tokens = count_tokens(Encoding::O200kBase, told);
  EXPECT_LE(tokens, 500U);
  EXPECT_GE(tokens, 400U);
  EXPECT_TRUE(text.starts_with(told.substr(0, told.find("\n\n["))));
  EXPECT_TRUE(told.contains("toolgate://results/inv_1.0 (read_result reads on)"));
  EXPECT_EQ(files.read("inv_1.0", 0, 100'000)->bytes, text);
}

TEST(ResultLimits, PartsShareTheTokenBudgetInOrder) {
  const TemporaryFolder folder;
  ResultFiles files(folder.path() / "results");
  auto result = with_text(words(20));
  result.content.push_back({.text = words(500)});
  result.content.push_back({.text = words(10)});
  result.content.push_back({.text = words(500), .audience = {ToolContent::Audience::User}});
  ASSERT_TRUE(shape(result, {}, &files, 500));
  EXPECT_EQ(result.content[0].text, words(20));
  EXPECT_TRUE(result.content[1].text.contains("inv_1.1"));
  EXPECT_TRUE(result.content[2].text.starts_with("\n\n[The first 0 of ")) << result.content[2].text;
  EXPECT_EQ(result.content[3].text, words(500)) << "what the model does not see takes no room";
}

TEST(ResultLimits, APartBeyondBothLimitsIsKeptWhole) {
  const TemporaryFolder folder;
  ResultFiles files(folder.path() / "results");
  const std::string text = words(2'000);
  auto result = with_text(text);
  ASSERT_TRUE(shape(result, {.part_bytes = 10'000}, &files, 200));
  EXPECT_LE(count_tokens(Encoding::O200kBase, result.content.front().text), 200U);
  EXPECT_EQ(files.read("inv_1.0", 0, 100'000)->bytes, text);
}

TEST(ResultLimits, WithoutAPlaceForItTextIsCutToTheBudget) {
  auto result = with_text(words(1'000));
  ASSERT_TRUE(shape(result, {}, nullptr, 500));
  EXPECT_TRUE(result.content.front().text.ends_with(" bytes.]"));
  EXPECT_LE(count_tokens(Encoding::O200kBase, result.content.front().text), 500U);
}

TEST(ResultLimits, WithoutAPlaceForItALongPartIsAnErrorThatNamesTheLimit) {
  auto result = with_text(std::string(100, 'x'));
  const auto shaped = shape(result, {.part_bytes = 10});
  ASSERT_FALSE(shaped);
  EXPECT_TRUE(shaped.error().message.contains("toolgate.limits.resultBytes"));
}

TEST(ResultLimits, TooMuchOrTooManyIsAnErrorThatNamesTheLimit) {
  auto result = with_text(std::string(100, 'x'));
  EXPECT_TRUE(shape(result, {.total_bytes = 99}).error().message.contains("resultTotalBytes"));
  result.content.resize(3);
  EXPECT_TRUE(shape(result, {.parts = 2}).error().message.contains("resultParts"));
}

TEST(ResultLimits, ATreeIsRenderedAndPrunedToTheBudget) {
  const std::string tree =
      R"({"node":{"type":1,"ctor":2,"children":[)"
      R"({"type":1,"ctor":2,"priority":1,"children":[{"type":2,"text":"less important"}]},)"
      R"({"type":1,"ctor":2,"priority":9,"children":[{"type":2,"text":"keep"}]}]}})";
  auto whole = with_text(tree);
  whole.content.front().is_prompt_tsx = true;
  auto pruned = whole;
  ASSERT_TRUE(shape(whole, {}));
  EXPECT_TRUE(whole.content.front().text.contains("less important"));
  EXPECT_FALSE(whole.content.front().is_prompt_tsx);
  ASSERT_TRUE(shape(pruned, {}, nullptr, 2));
  EXPECT_EQ(pruned.content.front().text, "keep");
}

TEST(ResultLimits, PartsForPeopleAreNotForTheModel) {
  auto result = with_text("for all");
  result.content.push_back({.text = "for people", .audience = {ToolContent::Audience::User}});
  result.content.push_back({.text = std::string("\x01\x02\x03"), .mime_type = "image/png"});
  EXPECT_EQ(write_content(result, true),
            R"({"content":[{"type":"text","text":"for all"},)"
            R"({"type":"data","mimeType":"image/png","data":"AQID"}]})");
  EXPECT_TRUE(write_content(result, false).contains("for people"));
}

TEST(ResultFiles, AHandleLeadsNowhereElse) {
  const TemporaryFolder folder;
  ResultFiles files(folder.path() / "results");
  ASSERT_TRUE(files.keep("inv_1", 0, "text"));
  for (const std::string_view bad :
       {"", ".", "..", "../inv_1.0", "a/../inv_1.0", "/etc/passwd", "inv_1.0/", "inv_1.0\n",
        "toolgate://results/../x", "inv_1..0"})
    EXPECT_EQ(files.read(bad, 0, 10).error().code, Errc::NotFound) << bad;
  EXPECT_EQ(files.read("inv_2.0", 0, 10).error().code, Errc::NotFound);
  EXPECT_TRUE(files.read("inv_1.0", 100, 10)->bytes.empty());
}

TEST(ResultFiles, OldOnesMakeRoom) {
  const TemporaryFolder folder;
  ResultFiles files(folder.path() / "results", 1'000);
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(files.keep(fmt::format("inv_{}", i), 0, std::string(400, 'x')));
  EXPECT_FALSE(files.read("inv_0.0", 0, 1));
  EXPECT_TRUE(files.read("inv_9.0", 0, 1));
}

}  // namespace
}  // namespace toolgate
