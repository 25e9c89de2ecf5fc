#include "async/offload.h"

#include "async/loop.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostPerThread = 8;

std::atomic<std::size_t> tickets = 0;

}  // namespace

boost::asio::thread_pool& offload_pool() {
  static boost::asio::thread_pool pool(usable_cpus());
  return pool;
}

OffloadTicket::OffloadTicket() {
  ++tickets;
}

OffloadTicket::~OffloadTicket() {
  --tickets;
}

bool offload_is_full() {
  return tickets >= kMostPerThread * usable_cpus();
}

}  // namespace toolgate
