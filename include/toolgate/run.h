// For programs without an event loop of their own: waits for a Task on the calling thread.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "toolgate/task.h"

namespace toolgate {

// Runs `task` on a loop made for it and returns when it has ended; an exception that leaves the
// task leaves here. Within a Task use co_await instead: this would hold up its whole loop.
void run_to_end(Task<> task);

namespace detail {
template <class T>
Task<> keep_result(Task<T> task, std::optional<T>& result) {
  result.emplace(co_await std::move(task));
}
}  // namespace detail

// The same, with what the task came to:
//   Result<ToolResult> result = run_task(tool.invoke(call, cancel));
template <class T>
T run_task(Task<T> task) {
  if constexpr (std::is_void_v<T>) {
    run_to_end(std::move(task));
  } else {
    std::optional<T> result;
    run_to_end(detail::keep_result(std::move(task), result));
    return std::move(*result);
  }
}

}  // namespace toolgate
