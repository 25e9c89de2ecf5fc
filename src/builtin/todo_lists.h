// The todo lists that models keep, one per conversation. In memory: they are about work that is
// under way. manage_todo_list.cpp calls it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace toolgate {

struct TodoItem {
  enum class Status : std::uint8_t { NotStarted, InProgress, Completed };

  std::int64_t id = 0;
  std::string title;
  std::string description;
  Status status = Status::NotStarted;
};

using TodoList = std::vector<TodoItem>;

// Any thread may use it; nobody waits for anybody.
class TodoLists {
 public:
  static constexpr std::size_t kMostLists = 1'000;  // then the one longest unchanged goes

  // Null: there is none.
  std::shared_ptr<const TodoList> find(const std::string& conversation) const;
  // An empty list is none.
  void keep(const std::string& conversation, TodoList list);

 private:
  struct Kept {
    std::shared_ptr<const TodoList> list;
    std::uint64_t change = 0;
  };
  using All = std::map<std::string, Kept>;

  static void make_room(All& all);

  std::atomic<std::shared_ptr<const All>> all_{std::make_shared<const All>()};
  std::atomic<std::uint64_t> changes_ = 0;
};

}  // namespace toolgate
