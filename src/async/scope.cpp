#include "async/scope.h"

#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/log.h"

namespace toolgate {

void Scope::spawn(Task<> task, const char* name) {
  ++running_;
  boost::asio::co_spawn(context_.get_executor(), run(std::move(task), name), boost::asio::detached);
}

Task<> Scope::run(Task<> task, const char* name) {
  try {
    co_await std::move(task);
  } catch (const std::exception& error) {
    log(LogLevel::Error, "{} ended by an exception: {}", name, error.what());
  } catch (...) {
    log(LogLevel::Error, "{} ended by an exception of an unknown kind", name);
  }
  if (--running_ <= awaited_) drained_.set();
}

Task<> Scope::drain(std::size_t most) {
  awaited_ = most;
  while (running_ > most) co_await drained_.wait();
}

}  // namespace toolgate
