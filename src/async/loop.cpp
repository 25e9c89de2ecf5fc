#include "async/loop.h"

#include <sched.h>

#include <boost/asio/executor_work_guard.hpp>

namespace toolgate {

void Loop::run() {
  auto work = boost::asio::make_work_guard(context_);
  context_.run();
}

void Loop::stop() {
  context_.stop();
}

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1;
}

}  // namespace toolgate
