// Lines of real files, small blocks of them and such that are larger than a block.
#include "builtin/line_reader.h"

#include <fcntl.h>
#include <random>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/descriptor.h"
#include "builtin/line_mark_cache.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

const std::atomic<bool> kNever = false;

class LineReaderTest : public testing::Test {
 protected:
  void write(std::string_view text, off_t at = 0) {
    ASSERT_EQ(::pwrite(file_.get(), text.data(), text.size(), at),
              static_cast<ssize_t>(text.size()));
  }
  LinesRead read(std::uint64_t first, std::uint64_t count, const LineLimits& limits = {},
                 ReadEncoding encoding = ReadEncoding::Utf8, const LineMarks& known = {}) {
    LineReader reader(file_.get(), encoding, limits, kNever);
    auto lines = reader.read(first, count, known);
    EXPECT_TRUE(lines) << lines.error().message;
    marks_ = reader.marks();
    return lines ? *lines : LinesRead();
  }

  TemporaryFolder folder_;
  Descriptor file_{::open((folder_.path() / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  LineMarks marks_;
};

std::string wide(std::u16string_view text, bool big) {
  std::string bytes;
  for (const char16_t unit : std::u16string(1, 0xFEFF) + std::u16string(text)) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    bytes += big ? high : low;
    bytes += big ? low : high;
  }
  return bytes;
}

TEST_F(LineReaderTest, ReadsRanges) {
  write("one\ntwo\nthree");
  EXPECT_EQ(read(1, 2).text, "one\ntwo\n");
  EXPECT_EQ(read(3, 9).text, "three");
  EXPECT_TRUE(read(3, 9).ends_without_break);
  EXPECT_EQ(read(2, 1).total, 3);
  EXPECT_EQ(read(4, 1).count, 0);
  EXPECT_EQ(read(4, 1).total, 3);
}

TEST_F(LineReaderTest, AnEmptyFileHasNoLines) {
  EXPECT_EQ(read(1, 1).total, 0);
  EXPECT_EQ(read(7, 1).total, 0);
}

TEST_F(LineReaderTest, CutsLongLinesBetweenCharacters) {
  write("ää\nb\n");
  const auto lines = read(1, 2, {.line_bytes = 3});
  EXPECT_EQ(lines.text, "ä[… this line has 5 bytes]\nb\n");
  EXPECT_EQ(lines.lines_cut, 1);
}

TEST_F(LineReaderTest, StopsWhenTheTextIsLong) {
  write("1234\n1234\n1234\n");
  EXPECT_EQ(read(1, 3, {.text_bytes = 6}).count, 2);
}

TEST_F(LineReaderTest, DoesNotCountOnForEver) {
  write(std::string(3 << 20, '\n'));
  EXPECT_EQ(read(1, 1).total, std::nullopt);
  EXPECT_EQ(read(1, 1, {.count_on_bytes = 8 << 20}).total, 3u << 20);
}

TEST_F(LineReaderTest, AWideLineBreakIsTwoBytesAtTheRightPlace) {
  for (const bool big : {false, true}) {
    const auto encoding = big ? ReadEncoding::Utf16Big : ReadEncoding::Utf16Little;
    ASSERT_EQ(::ftruncate(file_.get(), 0), 0);
    write(wide(u"\u0A0A\u010A\u0A00\r\n\U0001F600\n", big));
    EXPECT_EQ(read(1, 1, {}, encoding).text, "\u0A0A\u010A\u0A00\n");
    EXPECT_EQ(read(2, 1, {}, encoding).text, "\U0001F600\n");
    EXPECT_EQ(read(2, 1, {}, encoding).total, 2);
  }
}

TEST_F(LineReaderTest, SkipsHoles) {
  constexpr off_t kFar = off_t{1} << 40;
  write("a\nb");
  write("c\nd\n", kFar);
  EXPECT_EQ(read(3, 1).text, "d\n");
  const auto second = read(2, 1);
  EXPECT_EQ(second.lines_cut, 1);
  EXPECT_TRUE(second.text.ends_with("[… this line has 1099511627776 bytes]\n"));
  EXPECT_EQ(second.total, 3);
}

TEST_F(LineReaderTest, CanBeStopped) {
  write("a\nb\n");
  const std::atomic<bool> now = true;
  LineReader reader(file_.get(), ReadEncoding::Utf8, {}, now);
  EXPECT_EQ(reader.read(1, 1).error().code, Errc::Cancelled);
}

TEST_F(LineReaderTest, GivesUpWhenTheTimeIsOver) {
  write("a\nb\n");
  LineReader reader(file_.get(), ReadEncoding::Utf8, {.time = std::chrono::milliseconds(-1)},
                    kNever);
  EXPECT_EQ(reader.read(2, 1).error().code, Errc::TooLarge);
}

// Against all lines split in memory, with lines of all lengths around the size of a block.
TEST_F(LineReaderTest, AgreesWithAllLinesAtOnce) {
  std::mt19937 random(7);
  std::vector<std::string> lines;
  std::string all;
  while (all.size() < (5u << 20)) {
    const bool is_long = random() % 50 == 0;
    lines.push_back(std::string(random() % (is_long ? 600'000 : 2'000), 'x') +
                    std::to_string(lines.size()) + '\n');
    all += lines.back();
  }
  write(all);
  const LineLimits limits{.line_bytes = 1 << 20, .text_bytes = 16 << 20};
  LineMarks known;
  for (int round = 0; round < 60; ++round) {
    const std::size_t first = random() % lines.size();
    const std::size_t count = 1 + random() % 5;
    std::string expected;
    for (std::size_t i = first; i < std::min(lines.size(), first + count); ++i)
      expected += lines[i];
    EXPECT_EQ(read(first + 1, count, limits, ReadEncoding::Utf8, known).text, expected) << first;
    if (marks_.size() > known.size()) known = marks_;
  }
  EXPECT_GT(known.size(), 2u);
  EXPECT_EQ(read(lines.size() + 1, 1, limits, ReadEncoding::Utf8, known).total, lines.size());
}

TEST(LineMarkCacheTest, KnowsAFileByItsFacts) {
  LineMarkCache cache;
  struct stat facts = {};
  facts.st_ino = 1;
  facts.st_size = 100;
  cache.keep(facts, {{10, 1}}, 1000);
  ASSERT_TRUE(cache.find(facts));
  EXPECT_EQ(cache.find(facts)->front().offset, 10);
  struct stat other = facts;
  other.st_size = 101;
  EXPECT_FALSE(cache.find(other));
  other = facts;
  other.st_mtim.tv_nsec = 1;
  EXPECT_FALSE(cache.find(other));
  other = facts;
  other.st_ino = 2;
  EXPECT_FALSE(cache.find(other));
}

TEST(LineMarkCacheTest, DoesNotTrustWhatHasJustChanged) {
  LineMarkCache cache;
  struct stat facts = {};
  facts.st_mtim.tv_sec = 999;
  cache.keep(facts, {{10, 1}}, 1000);
  EXPECT_FALSE(cache.find(facts));
  cache.keep(facts, {{10, 1}}, 1001);
  EXPECT_TRUE(cache.find(facts));
}

TEST(LineMarkCacheTest, ForgetsTheOldest) {
  LineMarkCache cache;
  struct stat facts = {};
  for (ino_t number = 0; number < 20; ++number) {
    facts.st_ino = number;
    cache.keep(facts, {{1, 1}}, 1000);
  }
  EXPECT_TRUE(cache.find(facts));
  facts.st_ino = 0;
  EXPECT_FALSE(cache.find(facts));
}

TEST(ReadEncodingTest, IsFoundByTheMark) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(find_encoding("\xEF\xBB\xBFx"), ReadEncoding::Utf8WithMark);
  EXPECT_EQ(find_encoding("\xFF\xFEx\0"sv), ReadEncoding::Utf16Little);
  EXPECT_EQ(find_encoding("\xFE\xFF\0x"sv), ReadEncoding::Utf16Big);
  EXPECT_EQ(find_encoding("\xFF\xFE\0\0"sv), ReadEncoding::Utf8);
  EXPECT_TRUE(is_binary("a\0b"sv));
  EXPECT_TRUE(is_binary("\xFF\xFE\0\0"sv));
  EXPECT_FALSE(
      is_binary("\xFF\xFE"
                "a\0"sv));
  EXPECT_FALSE(is_binary("text"));
}

TEST(ReadEncodingTest, LoneSurrogatesAndOddBytesAreReplaced) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(decode_utf16("\x00\xD8"
                         "a\0"sv,
                         false),
            "\uFFFD"
            "a");
  EXPECT_EQ(decode_utf16("\x00\xDC"
                         "a"sv,
                         false),
            "\uFFFD\uFFFD");
  EXPECT_EQ(decode_utf16("\xD8\x3D\xDE\x00"sv, true), "\U0001F600");
}

TEST(ReadEncodingTest, WhatIsNotUtf8IsMadeReadable) {
  EXPECT_EQ(make_readable("ä").as, ReadableText::As::Itself);
  EXPECT_EQ(make_readable("caf\xE9").text, "café");
  EXPECT_EQ(make_readable("ä\xE9").text, "ä\uFFFD");
  EXPECT_EQ(make_readable("ä\xE9").as, ReadableText::As::Mended);
}

}  // namespace
}  // namespace toolgate
