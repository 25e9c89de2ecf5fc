// The reader of server-sent events: line ends, packet borders, limits.
#include "wire/sse.h"

#include <vector>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

std::vector<std::string> drain(SseReader& reader) {
  std::vector<std::string> out;
  for (auto event = reader.next(); event && *event; event = reader.next()) {
    std::string text((*event)->data);
    if (!(*event)->event.empty()) text = std::string((*event)->event) + "=" + text;
    out.push_back(std::move(text));
  }
  return out;
}

// All events when the bytes come in packets of `size`.
std::vector<std::string> read_in_packets(std::string_view bytes, std::size_t size) {
  SseReader reader;
  std::vector<std::string> out;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    reader.feed(bytes.substr(at, size));
    for (auto& text : drain(reader)) out.push_back(std::move(text));
  }
  if (const auto last = reader.finish(); last && *last) out.emplace_back((*last)->data);
  return out;
}

using Events = std::vector<std::string>;

TEST(Sse, ReadsTheSameWithAnyLineEndAndAnyPacketBorder) {
  const Events expected{"one", "two\nlines", "error=three", "four"};
  for (const std::string_view end : {"\n", "\r\n", "\r"}) {
    std::string bytes =
        "\xEF\xBB\xBF: hello|data: one||data:two|: c|data: lines||"
        "event: error|id: 7|retry: 10|data: three|||data: four";
    for (std::size_t at = 0; (at = bytes.find('|', at)) != std::string::npos; at += end.size())
      bytes.replace(at, 1, end);
    for (std::size_t size = 1; size <= bytes.size(); ++size)
      ASSERT_EQ(read_in_packets(bytes, size), expected) << size << " " << end.size();
  }
}

TEST(Sse, EventIsGivenAsSoonAsItsBlankLineIsThere) {
  SseReader reader;
  reader.feed("data: a\r\n\r");
  EXPECT_EQ(drain(reader), Events{"a"});
  reader.feed("\ndata: b\n\n");
  EXPECT_EQ(drain(reader), Events{"b"});
}

TEST(Sse, CommentsPingsAndEmptyEventsArePassedOver) {
  SseReader reader;
  reader.feed(": keepalive\n\nevent: ping\n\ndata:\n\ndata\n\nunknown: x\n\ndata: a\n\n");
  EXPECT_EQ(drain(reader), Events{"a"});
}

TEST(Sse, NameOfAnEventWithoutDataDoesNotStick) {
  SseReader reader;
  reader.feed("event: ping\n\ndata: a\n\n");
  EXPECT_EQ(drain(reader), Events{"a"});
}

TEST(Sse, OneSpaceAfterTheColonIsNotPartOfTheValue) {
  SseReader reader;
  reader.feed("data:  a \n\ndata:b:c\n\ndata\ndata: d\n\n");
  EXPECT_EQ(drain(reader), (Events{" a ", "b:c", "\nd"}));
}

TEST(Sse, FinishGivesAnEventThatNoBlankLineClosed) {
  SseReader reader;
  reader.feed("data: a\n\ndata: b\nda");
  EXPECT_EQ(drain(reader), Events{"a"});
  auto last = reader.finish();
  ASSERT_TRUE(last && *last);
  EXPECT_EQ((*last)->data, "b");
  last = reader.finish();
  ASSERT_TRUE(last);
  EXPECT_FALSE(*last);
}

TEST(Sse, AnEventOverTheLimitFailsForGood) {
  for (const std::string& bytes :
       {"data: " + std::string(200, 'x'), "data: " + std::string(200, 'x') + "\n\n",
        std::string(200, ':')}) {
    SseReader reader(100);
    reader.feed(bytes);
    EXPECT_FALSE(reader.next());
    reader.feed("\n\ndata: a\n\n");
    EXPECT_FALSE(reader.next());
  }
}

TEST(Sse, ManySmallLinesOfOneEventCountTogether) {
  SseReader reader(1000);
  bool failed = false;
  for (int i = 0; i < 1000 && !failed; ++i) {
    reader.feed(i == 0 ? "data: x\n" : ": c\n");
    failed = !reader.next();
  }
  EXPECT_TRUE(failed);
}

TEST(Sse, ManyEventsTogetherMayBeOverTheLimit) {
  SseReader reader(100);
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += "data: " + std::string(50, 'x') + "\n\n";
  reader.feed(bytes);
  EXPECT_EQ(drain(reader).size(), 100U);
}

}  // namespace
}  // namespace toolgate
