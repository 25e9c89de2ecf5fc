#include "toolgate/run.h"

#include <exception>

#include <boost/asio/co_spawn.hpp>

namespace toolgate {

void run_to_end(Task<> task) {
  boost::asio::io_context loop(1);
  std::exception_ptr thrown;
  boost::asio::co_spawn(loop, std::move(task),
                        [&thrown](std::exception_ptr exception) { thrown = std::move(exception); });
  loop.run();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace toolgate
