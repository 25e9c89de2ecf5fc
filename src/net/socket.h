// The socket types of the project, on the loop's concrete executor.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "toolgate/task.h"

namespace toolgate {

namespace asio = boost::asio;
using boost::system::error_code;

using TcpSocket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
using TcpAcceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;

// co_await with this gives (error_code, …) instead of throwing.
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<Executor>> kAwait{};

}  // namespace toolgate
