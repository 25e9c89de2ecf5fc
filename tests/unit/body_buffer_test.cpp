// Blocks for request bodies and their pool.
#include "net/body_buffer.h"

#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

void append(BodyBuffer& buffer, std::string_view text) {
  if (text.empty()) return;
  buffer.reserve(buffer.size() + text.size());
  std::memcpy(buffer.data() + buffer.size(), text.data(), text.size());
  buffer.resize(buffer.size() + text.size());
}

TEST(BodyBuffer, GrowingKeepsWhatIsThere) {
  BodyBuffer buffer;
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    const std::string text(static_cast<std::size_t>(i), static_cast<char>('a' + i % 26));
    append(buffer, text);
    expected += text;
  }
  EXPECT_EQ(buffer.view(), expected);
  EXPECT_GE(buffer.capacity(), expected.size());
}

TEST(BodyBuffer, NeverShrinks) {
  BodyBuffer buffer;
  buffer.reserve(1000);
  const char* const block = buffer.data();
  buffer.reserve(10);
  EXPECT_EQ(buffer.capacity(), 1000u);
  EXPECT_EQ(buffer.data(), block);
}

TEST(BodyBuffer, AnEmptyOneHasAnEmptyView) {
  EXPECT_EQ(BodyBuffer().view(), "");
}

TEST(BodyBuffer, ABodyInTheMiddleOfABlockGrowsToo) {
  auto block = std::make_unique<char[]>(100);
  std::memcpy(block.get(), "head and body", 13);
  BodyBuffer buffer(std::move(block), 100, 9, 4);
  EXPECT_EQ(buffer.view(), "body");
  append(buffer, std::string(80, 'x'));
  EXPECT_EQ(buffer.view(), "body" + std::string(80, 'x'));
  append(buffer, std::string(80, 'y'));
  EXPECT_EQ(buffer.view(), "body" + std::string(80, 'x') + std::string(80, 'y'));
}

TEST(BodyBufferPool, GivesBlocksOutAgainEmpty) {
  BodyBufferPool pool;
  BodyBuffer buffer = pool.take();
  EXPECT_EQ(buffer.capacity(), 0u);
  append(buffer, std::string(100'000, 'x'));
  const char* const block = buffer.data();
  pool.give(std::move(buffer));
  BodyBuffer again = pool.take();
  EXPECT_EQ(again.data(), block);
  EXPECT_EQ(again.size(), 0u);
  EXPECT_EQ(again.capacity(), 100'000u);
  EXPECT_EQ(pool.take().capacity(), 0u) << "it was given out twice";
}

TEST(BodyBufferPool, KeepsNothingHugeAndNotTooMuch) {
  BodyBufferPool pool;
  BodyBuffer huge;
  huge.reserve((std::size_t{1} << 20) + 1);
  pool.give(std::move(huge));
  EXPECT_EQ(pool.take().capacity(), 0u);

  for (int i = 0; i < 100; ++i) {
    BodyBuffer buffer;
    buffer.reserve(std::size_t{1} << 20);
    pool.give(std::move(buffer));
  }
  int kept = 0;
  while (pool.take().capacity() > 0) ++kept;
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, 20);
}

TEST(BodyBufferPool, KeepsReadBlocksApartAndNotTooMany) {
  BodyBufferPool pool;
  EXPECT_EQ(pool.take_read_block(), nullptr);
  const auto give_block = [&] {
    constexpr std::size_t kSize = BodyBufferPool::kReadBlock;
    auto block = std::make_unique<char[]>(kSize);
    const char* const place = block.get();
    pool.give(BodyBuffer(std::move(block), kSize, 100, 10'000));
    return place;
  };
  const char* const place = give_block();
  EXPECT_EQ(pool.take().capacity(), 0u);
  EXPECT_EQ(pool.take_read_block().get(), place);
  EXPECT_EQ(pool.take_read_block(), nullptr) << "it was given out twice";

  for (int i = 0; i < 1'000; ++i) give_block();
  int kept = 0;
  while (pool.take_read_block()) ++kept;
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, 100);
}

}  // namespace
}  // namespace toolgate
