#include "builtin/todo_lists.h"

#include <algorithm>

namespace toolgate {

std::shared_ptr<const TodoList> TodoLists::find(const std::string& conversation) const {
  const auto all = all_.load();
  const auto found = all->find(conversation);
  return found == all->end() ? nullptr : found->second.list;
}

void TodoLists::keep(const std::string& conversation, TodoList list) {
  const auto kept = std::make_shared<const TodoList>(std::move(list));
  auto all = all_.load();
  for (;;) {
    auto next = std::make_shared<All>(*all);
    next->erase(conversation);
    if (!kept->empty()) {
      make_room(*next);
      next->insert_or_assign(conversation, Kept{kept, ++changes_});
    }
    if (all_.compare_exchange_strong(all, std::move(next))) return;
  }
}

void TodoLists::make_room(All& all) {
  if (all.size() < kMostLists) return;
  const auto by_change = [](const auto& entry) { return entry.second.change; };
  all.erase(std::ranges::min_element(all, {}, by_change));
}

}  // namespace toolgate
