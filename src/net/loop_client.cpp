#include "net/loop_client.h"

#include <boost/asio/execution_context.hpp>
#include <boost/asio/this_coro.hpp>

namespace toolgate {
namespace {

// An io_context keeps one object of each such class.
class Slot final : public asio::execution_context::service {
 public:
  using key_type = Slot;
  static inline asio::execution_context::id id;

  explicit Slot(asio::execution_context& context) : service(context) {}

  HttpClient* client = nullptr;

 private:
  void shutdown() noexcept override {}
};

Slot& slot_of(asio::execution_context& context) {
  return asio::use_service<Slot>(context);
}

}  // namespace

LoopClient::LoopClient(HttpClient& client) : loop_(client.loop()) {
  slot_of(loop_.context()).client = &client;
}

LoopClient::~LoopClient() {
  slot_of(loop_.context()).client = nullptr;
}

Task<HttpClient*> LoopClient::find() {
  const Executor executor = co_await asio::this_coro::executor;
  co_return slot_of(executor.context()).client;
}

}  // namespace toolgate
