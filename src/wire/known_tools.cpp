#include "wire/known_tools.h"

#include <algorithm>

namespace toolgate {
namespace {

constexpr std::size_t kMostLists = 16;
constexpr std::size_t kMostBytes = 256 << 10;  // of one list

}  // namespace

// An array ends with its bracket, so that a text which begins with all of it goes on behind it.
const KnownTools::List* KnownTools::find(std::string_view caller, std::string_view text) {
  const auto found = std::ranges::find_if(lists_, [&](const List& list) {
    return list.caller == caller && text.starts_with(list.text);
  });
  if (found == lists_.end()) return nullptr;
  std::rotate(lists_.begin(), found, found + 1);
  return &lists_.front();
}

void KnownTools::add(std::string_view caller, std::string_view text,
                     std::span<const ChatTool> tools) {
  if (text.size() > kMostBytes) return;
  List list{std::string(caller), std::string(text), {}};
  list.tools.reserve(tools.size());
  for (const ChatTool& tool : tools)
    list.tools.push_back(
        {tool.name, static_cast<std::size_t>(tool.raw.data() - text.data()), tool.raw.size()});
  if (lists_.size() == kMostLists) lists_.pop_back();
  lists_.insert(lists_.begin(), std::move(list));
}

}  // namespace toolgate
