// What messages, tools, images and documents cost.
#include <gtest/gtest.h>

#include "tokens/base64.h"
#include "tokens/costs.h"

namespace toolgate {
namespace {

using std::string_literals::operator""s;

constexpr auto kEncoding = Encoding::O200kBase;

std::size_t text_cost(std::string_view text) {
  return count_tokens(kEncoding, text);
}

class Parsed {
 public:
  explicit Parsed(std::string text) : text_(std::move(text)) {
    const auto parsed = tree_.parse(text_);
    if (parsed) node_ = *parsed;
  }
  const JsonNode& node() const { return node_ == nullptr ? none_ : *node_; }

 private:
  std::string text_;
  JsonTree tree_;
  JsonNode none_;
  const JsonNode* node_ = nullptr;
};

std::size_t messages(std::string text) {
  return messages_cost(Parsed(std::move(text)).node(), kEncoding);
}

std::size_t tools(std::string text, CostRules rules) {
  return tools_cost(Parsed(std::move(text)).node(), kEncoding, rules);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      out += at + i <= bytes.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

std::string png(unsigned width, unsigned height) {
  std::string bytes = "\x89PNG\r\n\x1A\n\0\0\0\rIHDR"s;
  for (const unsigned value : {width, height})
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes + "\x08\x06\0\0\0"s;
}

std::string jpeg(unsigned width, unsigned height) {
  std::string bytes = "\xFF\xD8\xFF\xE0\x00\x04zz\xFF\xFF\xC4\x00\x03z\xFF\xC2\x00\x11\x08"s;
  for (const unsigned value : {height, width}) {
    bytes += static_cast<char>(value >> 8);
    bytes += static_cast<char>(value & 0xFF);
  }
  return bytes + "\x03";
}

TEST(TokenCosts, MessagesPayForListMessageAndStringValues) {
  EXPECT_EQ(messages("[]"), 3u);
  EXPECT_EQ(messages(R"([{"role":"user","content":"Hello, world!"}])"),
            3 + 3 + text_cost("user") + text_cost("Hello, world!"));
  EXPECT_EQ(messages(R"({"role":"user","content":"Hi"})"),
            messages(R"([{"role":"user","content":"Hi"}])"));
  EXPECT_EQ(
      messages(R"([{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"}])"),
      3 + 3 + 3 + text_cost("user") + text_cost("Hi") + text_cost("assistant") + text_cost("Ho"));
  EXPECT_EQ(messages("17"), 0u);
}

TEST(TokenCosts, NumbersBooleansAndNothingAreFree) {
  EXPECT_EQ(messages(R"([{"role":"user","content":null,"n":12345,"flag":true,"none":""}])"),
            3 + 3 + text_cost("user"));
}

TEST(TokenCosts, AContentPartPaysForItsTextOnly) {
  EXPECT_EQ(messages(R"([{"role":"user","content":[{"type":"text","text":"Hello, world!"}]}])"),
            messages(R"([{"role":"user","content":"Hello, world!"}])"));
}

TEST(TokenCosts, ANameCostsOneMore) {
  EXPECT_EQ(messages(R"([{"role":"user","content":"x","name":"Ann"}])"),
            messages(R"([{"role":"user","content":"x"}])") + text_cost("Ann") + 1);
  EXPECT_EQ(messages(R"([{"role":"user","content":"x","name":""}])"),
            messages(R"([{"role":"user","content":"x"}])"));
}

TEST(TokenCosts, ToolCallsCostHalfAsMuchAgain) {
  const std::size_t inside = text_cost("call_1") + text_cost("function") + text_cost("read_file") +
                             1 + text_cost(R"({"path":"a.txt"})");
  EXPECT_EQ(messages(R"([{"role":"assistant","tool_calls":[{"id":"call_1","type":"function",)"
                     R"("function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}}]}])"),
            3 + 3 + text_cost("assistant") + inside * 3 / 2);
}

TEST(TokenCosts, NoToolsCostNothing) {
  EXPECT_EQ(tools("[]", CostRules::Complete), 0u);
  EXPECT_EQ(tools("null", CostRules::Complete), 0u);
}

TEST(TokenCosts, ClassicToolsPayForWordsAndStringValues) {
  const std::size_t words = text_cost("name") + text_cost("description") + text_cost("parameters");
  const std::size_t values = text_cost("read_file") + text_cost("Reads a file.") +
                             text_cost("object") + text_cost("string") + text_cost("path");
  const std::string tool =
      R"({"name":"read_file","description":"Reads a file.","parameters":{"type":"object",)"
      R"("properties":{"path":{"type":"string","maxLength":100}},"required":["path"]}})";
  const auto expected =
      static_cast<std::size_t>(static_cast<double>(16 + 8 + words + values) * 1.1);
  EXPECT_EQ(tools("[" + tool + "]", CostRules::Classic), expected);
  EXPECT_EQ(tools(R"([{"type":"function","function":)" + tool + "}]", CostRules::Classic),
            expected);
  EXPECT_EQ(tools(tool, CostRules::Classic), expected);

  const std::size_t keys = text_cost("type") * 2 + text_cost("properties") + text_cost("path") +
                           text_cost("maxLength") + text_cost("100") + text_cost("required");
  EXPECT_EQ(tools("[" + tool + "]", CostRules::Complete),
            static_cast<std::size_t>(static_cast<double>(16 + 8 + words + values + keys) * 1.1));
}

TEST(TokenCosts, AToolWithoutDescriptionDoesNotPayForTheWord) {
  EXPECT_EQ(tools(R"([{"name":"x","description":""}])", CostRules::Classic),
            static_cast<std::size_t>((16 + 8 + 2) * 1.1));
}

TEST(TokenCosts, ImagesCostTiles) {
  EXPECT_EQ(image_cost({100, 100}, "low"), 85u);
  EXPECT_EQ(image_cost({512, 512}, "high"), 765u);
  EXPECT_EQ(image_cost({1024, 1024}, ""), 765u);
  EXPECT_EQ(image_cost({2048, 4096}, "auto"), 1105u);
  EXPECT_EQ(image_cost({4096, 2048}, "high"), 1105u);
  EXPECT_EQ(image_cost({1920, 1080}, "high"), 1105u);
}

TEST(TokenCosts, ASizeFromHellIsStillANumber) {
  EXPECT_GT(image_cost({1, UINT32_MAX}, "high"), 85u);
  EXPECT_GT(image_cost({UINT32_MAX, UINT32_MAX}, "high"), 85u);
  EXPECT_GT(image_cost({0, 0}, "high"), 85u);
}

TEST(TokenCosts, SizesAreReadFromHeaders) {
  EXPECT_EQ(image_size(png(640, 70000)), (ImageSize{640, 70000}));
  EXPECT_EQ(image_size(jpeg(800, 601)), (ImageSize{800, 601}));
  EXPECT_EQ(image_size("GIF89a\x40\x01\xF0\x00"s), (ImageSize{320, 240}));
  const std::string riff = "RIFF\x24\0\0\0WEBP"s;
  EXPECT_EQ(image_size(riff + "VP8X\x0A\0\0\0\0\0\0\0\x8F\x01\0\x2B\x01\0"s),
            (ImageSize{400, 300}));
  EXPECT_EQ(image_size(riff + "VP8 \x0A\0\0\0\0\0\0\x9D\x01\x2A\x90\x01\x2C\x41"s),
            (ImageSize{400, 300}));
  EXPECT_EQ(image_size(riff + "VP8L\x0A\0\0\0\x2F\x8F\xC1\x4A\0\0\0\0\0\0"s),
            (ImageSize{400, 300}));
}

TEST(TokenCosts, CutAndHostileHeadersHaveNoSize) {
  struct Header {
    std::string bytes;
    std::size_t needed;
  };
  const std::string webp = "RIFF\x24\0\0\0WEBPVP8X\x0A\0\0\0\0\0\0\0\x8F\x01\0\x2B\x01\0"s;
  for (const Header& header : {Header{png(3, 4), 24}, Header{jpeg(3, 4), jpeg(3, 4).size() - 1},
                               Header{"GIF89a\x40\x01\xF0\x00"s, 10}, Header{webp, 30}}) {
    for (std::size_t size = 0; size < header.needed; ++size)
      EXPECT_FALSE(image_size(header.bytes.substr(0, size))) << size;
    EXPECT_TRUE(image_size(header.bytes.substr(0, header.needed)));
  }
  EXPECT_FALSE(image_size("\xFF\xD8\xFF\xE0\x00\x00\x00\x00\x00\x00"s));
  EXPECT_FALSE(image_size("\xFF\xD8\xFF\xE0\xFF\xFF"s));
  EXPECT_FALSE(image_size("\xFF\xD8"s + std::string(1000, '\xFF')));
  EXPECT_FALSE(image_size(png(0, 5)));
  EXPECT_FALSE(image_size("RIFF0000WEBP"s));
  EXPECT_FALSE(image_size("<svg/>"));
}

TEST(TokenCosts, ImageUrlsArePaidBySizeAndOthersAsText) {
  const std::string url = "data:image/png;base64," + base64(png(2048, 4096));
  EXPECT_EQ(image_url_cost(url, "high", kEncoding), 1105u);
  EXPECT_EQ(image_url_cost(url, "low", kEncoding), 85u);
  EXPECT_EQ(image_url_cost("DATA:image/png;base64," + base64(png(2048, 4096)), "", kEncoding),
            1105u);
  EXPECT_EQ(image_url_cost("data:image/png;base64,AAAA", "", kEncoding), 765u);
  EXPECT_EQ(image_url_cost("data:image/svg+xml,<svg/>", "", kEncoding), 765u);
  const std::string link = "https://example.com/cat.png";
  EXPECT_EQ(image_url_cost(link, "", kEncoding), text_cost(link));
  EXPECT_EQ(messages(R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":")" +
                     url + R"(","detail":"low"}}]}])"),
            3 + 3 + text_cost("user") + 85);
}

TEST(TokenCosts, DocumentsCostAnEighthOfTheirBytes) {
  EXPECT_EQ(document_cost(0), 0u);
  EXPECT_EQ(document_cost(1), 1u);
  EXPECT_EQ(document_cost(8), 1u);
  EXPECT_EQ(document_cost(9), 2u);
  EXPECT_EQ(messages(R"([{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf",)"
                     R"("file_data":"data:application/pdf;base64,)" +
                     base64(std::string(100, 'x')) + R"("}}]}])"),
            3 + 3 + text_cost("user") + 13);
}

TEST(TokenCosts, Base64SizesAreExact) {
  for (std::size_t size = 0; size < 20; ++size) {
    const std::string bytes(size, 'q');
    EXPECT_EQ(base64_bytes(base64(bytes)), size);
    EXPECT_EQ(decode_base64_prefix(base64(bytes), 1000), bytes);
  }
  EXPECT_EQ(decode_base64_prefix("QUJD QUJD", 1000), "ABC");
}

TEST(TokenCosts, AnAgentKeepsAReserve) {
  EXPECT_EQ(agent_budget(1000, 200), 680u);
  EXPECT_EQ(agent_budget(101, 0), 85u);
  EXPECT_EQ(agent_budget(100, 200), 0u);
}

}  // namespace
}  // namespace toolgate
