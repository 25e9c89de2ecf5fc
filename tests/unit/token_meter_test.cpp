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
