// Ends of JSON strings, found by every way of scanning, against one byte at a time.
#include "base/json_scan.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace toolgate {
namespace {

struct Expected {
  std::size_t end = 0;  // behind the quote
  bool escaped = false;
  StringFault fault = StringFault::None;
};

Expected scan_slowly(std::string_view text) {
  Expected expected;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x20)
      return {0, false, StringFault::ControlCharacter};
    if (text[i] == '"') {
      expected.end = i + 1;
      if (!is_valid_utf8(text.substr(0, i))) expected.fault = StringFault::InvalidUtf8;
      return expected;
    }
    if (text[i] != '\\') continue;
    expected.escaped = true;
    ++i;
    if (i < text.size() && static_cast<unsigned char>(text[i]) < 0x20)
      return {0, false, StringFault::ControlCharacter};
  }
  return {0, false, StringFault::NotClosed};
}

void compare(const std::string& text) {
  const Expected expected = scan_slowly(text);
  // On the heap and exactly as long, so that the address sanitizer sees a byte read behind it.
  const std::vector<char> exact(text.begin(), text.end());
  const char* const begin = exact.data();
  auto scanners = string_scanners();
  scanners.push_back(scan_string);
  for (const StringScanner scan : scanners) {
    const StringScan got = scan(begin, begin + exact.size());
    ASSERT_EQ(got.fault, expected.fault) << text;
    if (got.end == nullptr) continue;
    ASSERT_EQ(static_cast<std::size_t>(got.end - begin), expected.end) << text;
    ASSERT_EQ(got.escaped, expected.escaped) << text;
  }
}

TEST(JsonScan, FindsTheQuoteAtEveryPlace) {
  for (std::size_t size = 0; size < 200; ++size) compare(std::string(size, 'a') + "\" : 1}");
}

TEST(JsonScan, BackslashesInRunsOfEveryLengthAtEveryPlace) {
  for (std::size_t before = 50; before < 70; ++before)
    for (std::size_t run = 1; run < 140; ++run)
      compare(std::string(before, 'a') + std::string(run, '\\') + "\" tail \" and more");
}

TEST(JsonScan, NamesWhatIsWrong) {
  compare("");
  compare("never closed");
  compare(std::string(64, 'a'));
  compare("escaped quote at the end\\\"");
  for (std::size_t size : {0, 15, 16, 63, 64, 65, 200}) {
    compare(std::string(size, 'a') + "\n\"");
    compare(std::string(size, 'a') + "\xff\"");
    compare(std::string(size, 'a') + "\xc3\xa9\"");
    compare(std::string(size, 'a') + "\xc3\"");
    compare(std::string(size, 'a') + "\" \x01 \xff behind the end");
  }
}

TEST(JsonScan, AgreesOnRandomText) {
  std::mt19937 random(1);
  constexpr std::string_view kParts[] = {"a", "bcd",  "\\",   "\\", "\"",
                                         "é", "日本", "\xf0", "\n", "    "};
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 70, 'x');
    const std::size_t kinds = 3 + random() % 8;
    for (std::size_t i = random() % 60; i > 0; --i)
      text += kParts[random() % std::min<std::size_t>(kinds, 10)];
    compare(text);
  }
}

}  // namespace
}  // namespace toolgate
