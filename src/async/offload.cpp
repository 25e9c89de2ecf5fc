#include "async/offload.h"

#include "async/loop.h"

namespace toolgate {

boost::asio::thread_pool& offload_pool() {
  static boost::asio::thread_pool pool(usable_cpus());
  return pool;
}

}  // namespace toolgate
