// Which addresses are on the public Internet. http_client.cpp asks it about the very address it is
// about to connect to, so that no name can be resolved to another one in between.
#pragma once

#include <boost/asio/ip/address.hpp>

namespace toolgate {

// False for everything that reaches this machine, its networks or nobody: loopback, private,
// link-local, shared (100.64/10), multicast, reserved, documentation and benchmarking addresses,
// what clouds serve their machines with, and IPv6 addresses that carry such an IPv4 one.
bool is_public_address(const boost::asio::ip::address& address);

}  // namespace toolgate
