// The coroutine type of the project: Asio's awaitable on a concrete executor, which is cheaper than
// the type-erased default. Everything that waits returns a Task and is awaited on its loop's
// thread. A Task does nothing until it is awaited, and the arguments that it takes by reference
// must live until it ends. Without a loop: run.h.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace toolgate {

using Executor = boost::asio::io_context::executor_type;

template <class T = void>
using Task = boost::asio::awaitable<T, Executor>;

}  // namespace toolgate
