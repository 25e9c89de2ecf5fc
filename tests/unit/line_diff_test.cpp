#include "base/line_diff.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

using Kind = DiffLine::Kind;

// As `diff -u` writes it, without the names.
std::string unified(std::string_view before, std::string_view after, std::size_t context = 3) {
  std::string out;
  for (const DiffHunk& hunk : diff_lines(before, after, context)) {
    out += "@@ -" + std::to_string(hunk.old_start) + "," + std::to_string(hunk.old_count) + " +" +
           std::to_string(hunk.new_start) + "," + std::to_string(hunk.new_count) + " @@\n";
    for (const DiffLine& line : hunk.lines) {
      out += line.kind == Kind::Same ? ' ' : line.kind == Kind::Added ? '+' : '-';
      out += std::string(line.text) + (line.ended ? "\n" : "\\\n");
    }
  }
  return out;
}

TEST(LineDiff, EqualTextsHaveNoHunks) {
  EXPECT_EQ(unified("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(unified("", ""), "");
}

TEST(LineDiff, AChangeStandsBetweenItsNeighbours) {
  EXPECT_EQ(unified("a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nX\ne\nf\ng\n", 1),
            "@@ -3,3 +3,3 @@\n c\n-d\n+X\n e\n");
}

TEST(LineDiff, FarChangesAreHunksOfTheirOwn) {
  EXPECT_EQ(unified("1\n2\n3\n4\n5\n6\n7\n8\n", "1\nx\n3\n4\n5\n6\ny\n8\n", 1),
            "@@ -1,3 +1,3 @@\n 1\n-2\n+x\n 3\n@@ -6,3 +6,3 @@\n 6\n-7\n+y\n 8\n");
  EXPECT_EQ(unified("1\n2\n3\n4\n5\n", "1\nx\n3\ny\n5\n", 1),
            "@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n-4\n+y\n 5\n");
}

TEST(LineDiff, ANewFileIsAddedAndAnEmptiedOneRemoved) {
  EXPECT_EQ(unified("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(unified("a\nb\n", ""), "@@ -1,2 +0,0 @@\n-a\n-b\n");
}

TEST(LineDiff, AMissingLineFeedAtTheEndIsADifference) {
  EXPECT_EQ(unified("a\nb\n", "a\nb"), "@@ -1,2 +1,2 @@\n a\n-b\n+b\\\n");
}

TEST(LineDiff, TheShortestWayIsFound) {
  EXPECT_EQ(unified("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", 0).find("-c"),
            std::string::npos);
}

TEST(LineDiff, TextsWithNothingInCommonAreReplacedAsAWhole) {
  std::string before;
  std::string after;
  for (int i = 0; i < 3'000; ++i) {
    before += "old " + std::to_string(i) + "\n";
    after += "new " + std::to_string(i) + "\n";
  }
  const auto hunks = diff_lines("same\n" + before + "end\n", "same\n" + after + "end\n");
  ASSERT_EQ(hunks.size(), 1u);
  EXPECT_EQ(hunks[0].old_count, 3'002u);
  EXPECT_EQ(hunks[0].new_count, 3'002u);
  EXPECT_EQ(hunks[0].lines.front().kind, Kind::Same);
}

// Applying what was found to the old text gives the new one, and the line numbers are right.
TEST(LineDiff, HunksLeadFromTheOldTextToTheNew) {
  std::mt19937 random(3);
  const auto make_text = [&] {
    std::string text;
    for (unsigned lines = random() % 12; lines > 0; --lines) {
      text += static_cast<char>('a' + random() % 3);
      if (lines > 1 || random() % 2 == 0) text += '\n';
    }
    return text;
  };
  for (int round = 0; round < 3'000; ++round) {
    const std::string before = make_text();
    const std::string after = make_text();
    std::string made;
    std::string_view rest = before;
    std::size_t old_line = 0;
    std::size_t new_line = 0;
    const auto copy_line = [&] {
      const std::size_t size = std::min(rest.find('\n'), rest.size() - 1) + 1;
      made += rest.substr(0, size);
      rest.remove_prefix(size);
      ++old_line;
      ++new_line;
    };
    for (const DiffHunk& hunk : diff_lines(before, after, random() % 4)) {
      while (old_line + (hunk.old_count > 0 ? 1 : 0) < hunk.old_start) copy_line();
      ASSERT_EQ(new_line + (hunk.new_count > 0 ? 1 : 0), hunk.new_start);
      for (const DiffLine& line : hunk.lines) {
        const std::string text = std::string(line.text) + (line.ended ? "\n" : "");
        if (line.kind != Kind::Added) {
          ASSERT_TRUE(rest.starts_with(text));
          rest.remove_prefix(text.size());
          ++old_line;
        }
        if (line.kind != Kind::Removed) {
          made += text;
          ++new_line;
        }
      }
    }
    while (!rest.empty()) copy_line();
    ASSERT_EQ(made, after) << before;
  }
}

}  // namespace
}  // namespace toolgate
