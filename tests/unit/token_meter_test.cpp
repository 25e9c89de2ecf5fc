// Counting along with an answer, piece by piece.
#include "models/token_meter.h"

#include <string>

#include <gtest/gtest.h>

#include "wire/openai_chat.h"

namespace toolgate {
namespace {

constexpr std::string_view kBody = R"({"messages":[{"role":"user","content":"hello world"}]})";

TEST(TokenMeter, CountsThePromptWithItsTools) {
  const auto plain = parse_chat_request(kBody);
  const std::string with_tools =
      R"({"messages":[{"role":"user","content":"hello world"}],"tools":[{"type":"function","function":{"name":"f"}}]})";
  const auto tools = parse_chat_request(with_tools);
  ASSERT_TRUE(plain && tools);
  const auto prompt = make_token_meter(*plain, Encoding::O200kBase)->prompt_tokens();
  EXPECT_EQ(prompt, 3 + 3 + 1 + 2);
  EXPECT_GT(make_token_meter(*tools, Encoding::O200kBase)->prompt_tokens(), prompt + 16);
}

TEST(TokenMeter, APictureCostsWhatItsSizeSaysHoweverManyBytesItHas) {
  // A PNG header of 512 x 512, and then megabytes.
  const std::string head = "iVBORw0KGgoAAAANSUhEUgAAAgAAAAIACAYAAAD0eNT6";
  const auto cost = [&](std::size_t more) {
    const std::string body =
        R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,)" +
        head + std::string(more, 'A') + R"("}}]}]})";
    const auto request = parse_chat_request(body);
    return make_token_meter(*request, Encoding::O200kBase)->prompt_tokens();
  };
  EXPECT_EQ(cost(0), 765 + 3 + 3 + 1);
  EXPECT_EQ(cost(std::size_t{5} << 20), cost(0));
}

TEST(TokenMeter, OnlyToolsThatAreSentCount) {
  const auto cost = [](std::string_view choice) {
    const std::string body = R"({"messages":[{"role":"user","content":"x"}],"tools":[)"
                             R"({"type":"function","function":{"name":"f","description":"one"}},)"
                             R"({"type":"function","function":{"name":"g","description":"two"}}])" +
                             std::string(choice) + "}";
    const auto request = parse_chat_request(body);
    return make_token_meter(*request, Encoding::O200kBase)->prompt_tokens();
  };
  const auto both = cost("");
  const auto one = cost(R"(,"tool_choice":{"type":"function","function":{"name":"f"}})");
  const auto none = cost(R"(,"tool_choice":"none")");
  EXPECT_GT(both, one);
  EXPECT_GT(one, none);
  EXPECT_EQ(none, 3 + 3 + 1 + 1);
}

TEST(TokenMeter, PiecesCountAsTheWhole) {
  const auto request = parse_chat_request(kBody);
  ASSERT_TRUE(request);
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += i % 7 == 0 ? " word, café\n" : " something else";
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
    const auto meter = make_token_meter(*request, Encoding::O200kBase);
    for (std::size_t at = 0; at < text.size(); at += size)
      meter->add_output(0, std::string_view(text).substr(at, size));
    EXPECT_EQ(meter->output_tokens(),
              static_cast<std::int64_t>(count_tokens(Encoding::O200kBase, text)))
        << size;
  }
}

TEST(TokenMeter, TextWithoutABorderIsCountedToo) {
  const auto request = parse_chat_request(kBody);
  ASSERT_TRUE(request);
  const auto meter = make_token_meter(*request, Encoding::Cl100kBase);
  meter->add_output(0, std::string(100'000, 'a'));
  EXPECT_GE(meter->output_tokens(), 100'000 / 8);
}

TEST(TokenMeter, ChoicesAreCountedApart) {
  const auto request = parse_chat_request(kBody);
  ASSERT_TRUE(request);
  const auto meter = make_token_meter(*request, Encoding::O200kBase);
  for (const std::string_view piece : {"hel", "lo wor", "ld"})
    for (const int choice : {0, 1}) meter->add_output(choice, piece);
  EXPECT_EQ(meter->output_tokens(), 4);
}

}  // namespace
}  // namespace toolgate
