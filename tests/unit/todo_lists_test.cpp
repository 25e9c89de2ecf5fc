// The lists that models keep: one per conversation, so many at most.
#include "builtin/todo_lists.h"

#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace toolgate {
namespace {

TodoList list_of(std::string title) {
  return {{.id = 1, .title = std::move(title)}};
}

TEST(TodoLists, OfOneConversationAreNotThoseOfAnother) {
  TodoLists lists;
  EXPECT_FALSE(lists.find("a"));
  lists.keep("a", list_of("first"));
  lists.keep("b", list_of("second"));
  lists.keep("a", list_of("third"));
  EXPECT_EQ(lists.find("a")->at(0).title, "third");
  EXPECT_EQ(lists.find("b")->at(0).title, "second");
  lists.keep("a", {});
  EXPECT_FALSE(lists.find("a"));
}

TEST(TodoLists, TheOneLongestUnchangedMakesRoom) {
  TodoLists lists;
  for (std::size_t i = 0; i < TodoLists::kMostLists; ++i)
    lists.keep(fmt::format("{}", i), list_of("x"));
  lists.keep("0", list_of("changed"));
  lists.keep("new", list_of("y"));
  EXPECT_TRUE(lists.find("0"));
  EXPECT_TRUE(lists.find("new"));
  EXPECT_FALSE(lists.find("1"));
  EXPECT_TRUE(lists.find("2"));
}

TEST(TodoLists, NothingIsLostWhenSeveralThreadsWrite) {
  constexpr int kThreads = 4;
  constexpr int kEach = 50;
  TodoLists lists;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&lists, thread] {
        for (int i = 0; i < kEach; ++i) lists.keep(fmt::format("{}/{}", thread, i), list_of("x"));
      });
  }
  for (int thread = 0; thread < kThreads; ++thread)
    for (int i = 0; i < kEach; ++i) EXPECT_TRUE(lists.find(fmt::format("{}/{}", thread, i)));
}

}  // namespace
}  // namespace toolgate
