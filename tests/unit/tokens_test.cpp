// Byte-pair encoding. Expected ids are those of tiktoken 1.0.22; the vectors in tests/golden/tokens
// have many more.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <unordered_map>

#include <gtest/gtest.h>

#include "tokens/encoding.h"

namespace toolgate {
namespace {

using Ids = std::vector<std::uint32_t>;
using std::string_literals::operator""s;

constexpr std::array kEncodings{Encoding::O200kBase, Encoding::Cl100kBase};

struct Example {
  std::string text;
  Ids o200k;
  Ids cl100k;
};

const std::vector<Example>& examples() {
  static const std::vector<Example> all{
      {"Hello, world!", {13225, 11, 2375, 0}, {9906, 11, 1917, 0}},
      {"I'LL they'Ve it'\305\277 don't 'sample",
       {40, 6, 7454, 1023, 6, 27493, 480, 6, 70067, 4128, 461, 28434},
       {40, 6, 4178, 814, 6, 43712, 433, 6, 129, 123, 1541, 956, 364, 13925}},
      {"HTTPServer fooBar XMLHttpRequest's",
       {17893, 6444, 30551, 4622, 100497, 2303, 885},
       {9412, 5592, 15586, 3511, 46938, 596}},
      {"12345678 \331\243\331\244\331\245\331\246 \302\262\302\263\302\271\342\201\264",
       {7633, 19354, 4388, 220, 81473, 98713, 97336, 122513, 220, 13848, 45681, 84125, 37127, 112},
       {4513, 10961, 2495, 220, 149, 96, 149, 97, 149, 98, 149, 99, 220, 30556, 44301, 60597, 53233,
        112}},
      {"a  b   c \012\012  d\011\011\011e  ",
       {64, 220, 287, 256, 274, 1202, 220, 272, 335, 12706, 256},
       {64, 220, 293, 256, 272, 4815, 220, 294, 298, 7883, 256}},
      {" \012 \012 x\015\012\015\012", {56319, 1215, 1414}, {33006, 865, 881}},
      {"\314\201ABC A\314\201BC \302\252ABC ABC\302\252D",
       {13430, 44197, 355, 13430, 7551, 1322, 103, 44197, 33047, 25661, 35},
       {54939, 26484, 362, 54939, 5002, 2188, 103, 26484, 19921, 65005, 35}},
      {"\307\205ungla \312\260ello \303\211COLE \303\251cole",
       {131, 227, 988, 1675, 220, 134, 108, 6053, 10055, 8310, 1400, 117814},
       {131, 227, 2234, 4355, 220, 134, 108, 4896, 29124, 8445, 877, 4046, 56745}},
      {"\346\227\245\346\234\254\350\252\236\343\201\257\351\233\243\343\201\227\343\201\204\343"
       "\201\247\343\201\231",
       {9048, 40909, 5205, 116676, 63386, 15121},
       {9080, 22656, 45918, 252, 15682, 25132, 96, 15024, 16995, 38641}},
      {"\340\244\250\340\244\256\340\244\270\340\245\215\340\244\244\340\245\207 "
       "\320\277\321\200\320\270\320\262\320\265\321\202",
       {998, 1637, 14681, 628, 145259},
       {61196, 88344, 79468, 31584, 97, 35470, 12561, 28089, 8341}},
      {"path/to//file.txt\012// x /\012/",
       {4189, 72231, 393, 2318, 7186, 198, 393, 1215, 70337, 14},
       {2398, 33529, 322, 1213, 3996, 198, 322, 865, 40081, 14}},
      {"\360\237\221\250\342\200\215\360\237\221\251\342\200\215\360\237\221\247 "
       "\360\237\230\200\360\237\230\200",
       {28823, 101, 2524, 28823, 102, 2524, 28823, 100, 88038, 84083},
       {9468, 239, 101, 378, 235, 9468, 239, 102, 378, 235, 9468, 239, 100, 91416, 76460, 222}},
      {"\302\240\302\240x\343\200\200y\342\200\250z\302\205w\357\273\277v",
       {5310, 5310, 87, 1397, 88, 51008, 89, 126, 227, 86, 5574, 85},
       {4194, 4194, 87, 23249, 88, 378, 101, 89, 126, 227, 86, 3305, 85}},
      {"\357\277\275", {3251}, {5809}},
      {"1\360\220\227\200\012 \012",
       {16, 172, 238, 245, 222, 47812},
       {16, 172, 238, 245, 222, 27907}},
      {"1\360\220\245\200\012 \012",
       {16, 172, 238, 98, 222, 198, 793},
       {16, 172, 238, 98, 222, 198, 720}},
  };
  return all;
}

// Byte-pair encoding as it is defined, without any haste.
class PlainEncoding {
 public:
  explicit PlainEncoding(Encoding encoding) {
    for (std::uint32_t id = 0;; ++id) {
      const auto bytes = decode_tokens(encoding, Ids{id});
      if (!bytes) break;
      ranks_.emplace(*bytes, id);
    }
  }

  Ids encode(const std::string& word) const {
    std::map<std::size_t, std::size_t> parts;  // from where to where
    for (std::size_t at = 0; at < word.size(); ++at) parts[at] = at + 1;
    std::set<std::pair<std::uint32_t, std::size_t>> pairs;  // rank, where the pair begins
    const auto pair_at =
        [&](std::size_t at) -> std::optional<std::pair<std::uint32_t, std::size_t>> {
      const auto next = parts.find(parts.at(at));
      if (next == parts.end()) return std::nullopt;
      const auto rank = ranks_.find(word.substr(at, next->second - at));
      if (rank == ranks_.end()) return std::nullopt;
      return std::pair(rank->second, at);
    };
    const auto update = [&](std::size_t at, auto change) {
      if (const auto pair = pair_at(at)) change(*pair);
    };
    const auto add = [&](auto pair) { pairs.insert(pair); };
    const auto drop = [&](auto pair) { pairs.erase(pair); };
    for (const auto& [at, end] : parts) update(at, add);
    while (!pairs.empty()) {
      const auto left = parts.find(pairs.begin()->second);
      const auto right = std::next(left);
      const auto before = left == parts.begin() ? left : std::prev(left);
      for (const auto& each : {before, left, right}) update(each->first, drop);
      left->second = right->second;
      parts.erase(right);
      for (const auto& each : {before, left}) update(each->first, add);
    }
    Ids ids;
    for (const auto& [at, end] : parts) ids.push_back(ranks_.at(word.substr(at, end - at)));
    return ids;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> ranks_;
};

std::string random_word(std::string_view letters, std::size_t size) {
  std::mt19937 random(7);
  std::string word;
  while (word.size() < size) word += letters[random() % letters.size()];
  return word;
}

TEST(Tokens, IdsAreThoseOfTiktoken) {
  for (const Example& example : examples()) {
    EXPECT_EQ(encode_tokens(Encoding::O200kBase, example.text), example.o200k) << example.text;
    EXPECT_EQ(encode_tokens(Encoding::Cl100kBase, example.text), example.cl100k) << example.text;
  }
}

TEST(Tokens, EmptyTextHasNone) {
  for (const Encoding encoding : kEncodings) {
    EXPECT_EQ(count_tokens(encoding, ""), 0u);
    EXPECT_TRUE(encode_tokens(encoding, "", SpecialTokens::AsTokens).empty());
  }
}

TEST(Tokens, SpecialTokensAreTextUnlessAskedFor) {
  const std::string text = "a<|endoftext|> b  <|fim_prefix|>\n<|endofprompt|><|endof";
  const Ids o200k{64, 199999, 287, 220, 464, 91, 103473, 33197, 91, 523, 200018, 27, 91, 419, 1440};
  const Ids cl100k{64, 100257, 293, 256, 100258, 198, 100276, 27, 91, 408, 1073};
  EXPECT_EQ(encode_tokens(Encoding::O200kBase, text, SpecialTokens::AsTokens), o200k);
  EXPECT_EQ(encode_tokens(Encoding::Cl100kBase, text, SpecialTokens::AsTokens), cl100k);
  EXPECT_EQ(*decode_tokens(Encoding::Cl100kBase, cl100k), text);
  for (const Encoding encoding : kEncodings)
    for (const std::uint32_t id : encode_tokens(encoding, text)) EXPECT_LT(id, 199998u);
  EXPECT_EQ(count_tokens(Encoding::O200kBase, "<|endofprompt|>"), 7u);
  EXPECT_EQ(count_tokens(Encoding::O200kBase, "<|endofprompt|>", SpecialTokens::AsTokens), 1u);
}

TEST(Tokens, CountIsTheNumberOfIdsAndTheTextComesBack) {
  for (const Example& example : examples()) {
    for (const Encoding encoding : kEncodings) {
      const Ids ids = encode_tokens(encoding, example.text);
      EXPECT_EQ(count_tokens(encoding, example.text), ids.size());
      EXPECT_EQ(decode_tokens(encoding, ids).value_or("failed"), example.text);
    }
  }
}

TEST(Tokens, WordsLongerThanAWindowMergeAsAWhole) {
  const std::vector<std::string> words{
      random_word("ab", 4300),
      random_word("etaoinshrdlu", 8500),
      random_word("abcdefghijklmnopqrstuvwxyz", 4097),
      std::string(4400, 'a'),
      std::string(4400, ' '),
  };
  for (const Encoding encoding : kEncodings) {
    const PlainEncoding plain(encoding);
    for (const std::string& word : words)
      EXPECT_EQ(encode_tokens(encoding, word), plain.encode(word)) << word.substr(0, 20);
  }
}

TEST(Tokens, OneHugeWordIsCounted) {
  EXPECT_EQ(count_tokens(Encoding::O200kBase, std::string(100'000, 'a')), 12'500u);
  EXPECT_EQ(count_tokens(Encoding::Cl100kBase, std::string(128'000, ' ')), 1000u);
}

TEST(Tokens, BytesThatAreNoUtf8AreKept) {
  const std::vector<std::string> texts{
      "\xFF\xFE"s,
      "a\xC3"s,
      "\xC3(x"s,
      "\xE2\x82"s,
      "\xF0\x9F\x98 x"s,
      "\xED\xA0\x80"s,
      "\xC0\xAF/"s,
      "\xF4\x90\x80\x80"s,
      "ok \x80\x80\x80 ok"s,
      "\0\0a\0"s,
      "\xE0\x80\x80 '\xC5"s,
  };
  for (const std::string& text : texts) {
    for (const Encoding encoding : kEncodings) {
      const Ids ids = encode_tokens(encoding, text);
      EXPECT_EQ(decode_tokens(encoding, ids).value_or("failed"), text);
      EXPECT_EQ(count_tokens(encoding, text), ids.size());
    }
  }
}

TEST(Tokens, EveryTokenIsItsOwnBytes) {
  for (const Encoding encoding : kEncodings) {
    const std::uint32_t count = encoding == Encoding::O200kBase ? 199998 : 100256;
    std::size_t longest = 0;
    for (std::uint32_t id = 0; id < count; ++id) {
      const auto bytes = decode_tokens(encoding, Ids{id});
      ASSERT_TRUE(bytes);
      ASSERT_FALSE(bytes->empty());
      longest = std::max(longest, bytes->size());
    }
    EXPECT_EQ(longest, 128u);
  }
}

TEST(Tokens, UnknownIdsAreNamed) {
  const auto text = decode_tokens(Encoding::Cl100kBase, Ids{9906, 100256});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "100256 is not a token of cl100k_base");
  EXPECT_FALSE(decode_tokens(Encoding::O200kBase, Ids{UINT32_MAX}));
  EXPECT_EQ(*decode_tokens(Encoding::O200kBase, Ids{199999}), "<|endoftext|>");
}

TEST(Tokens, EncodingsHaveNames) {
  for (const Encoding encoding : kEncodings)
    EXPECT_EQ(encoding_named(encoding_name(encoding)), encoding);
  EXPECT_FALSE(encoding_named("p50k_base"));
}

TEST(Tokens, EncodingFollowsSettingThenModelThenFamily) {
  EXPECT_EQ(encoding_for("cl100k_base", "gpt-4o", "gpt-4o"), Encoding::Cl100kBase);
  EXPECT_EQ(encoding_for("", "gpt-4", "my-deployment"), Encoding::Cl100kBase);
  EXPECT_EQ(encoding_for("", "gpt-4", "gpt-4o-mini"), Encoding::O200kBase);
  EXPECT_EQ(encoding_for("nonsense", "", "gpt-3.5-turbo"), Encoding::Cl100kBase);
}

TEST(Tokens, EncodingOfKnownModels) {
  for (const char* model :
       {"gpt-4", "gpt-4-turbo-2024-04-09", "gpt-4-0613", "gpt-3.5-turbo", "openai/gpt-4",
        "ft:gpt-3.5-turbo:me", "gpt-35-turbo", "text-embedding-3-small"})
    EXPECT_EQ(encoding_for("", "", model), Encoding::Cl100kBase) << model;
  for (const char* model :
       {"gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.5-preview", "o1", "o3-mini", "gpt-5",
        "chatgpt-4o-latest", "claude-sonnet-4", "gemini-2.5-pro", "", "demo", "openai/gpt-4o"})
    EXPECT_EQ(encoding_for("", "", model), Encoding::O200kBase) << model;
}

}  // namespace
}  // namespace toolgate
