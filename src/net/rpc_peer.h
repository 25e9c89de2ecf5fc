// A program that speaks JSON-RPC over its input and output, such as a language server: requests to
// it with time limits and cancellation, and answers to its own. It is not trusted: messages that
// are too big, that nobody asked for, or that make no sense end it or are dropped.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "net/child_pipes.h"
#include "toolgate/cancel.h"
#include "wire/jsonrpc.h"

namespace toolgate {

struct RpcHandlers {
  // What it asks of us.
  std::function<Result<json::value>(const std::string& method, const json::value& params)> request;
  std::function<void(const std::string& method, const json::value& params)> notification;
};

struct RpcLimits {
  std::size_t message_bytes = std::size_t{16} << 20;
  std::size_t queued_bytes = std::size_t{64} << 20;   // that it has not taken yet
  std::size_t unasked_bytes = std::size_t{32} << 20;  // since it last answered a call
};

// On one loop. It must not go before run() has ended.
class RpcPeer {
 public:
  RpcPeer(std::unique_ptr<ChildPipes> pipes, RpcHandlers handlers, RpcLimits limits = {});
  ~RpcPeer();

  // Reads and writes until the program has ended; to be run once. Calls that wait then fail.
  Task<> run();

  // An error that it answers is InvalidRequest with its words. When the time is over or `cancel` is
  // requested, it is told that nobody waits any more.
  Task<Result<json::value>> call(std::string method, json::value params,
                                 std::chrono::milliseconds limit, const Cancel& cancel);
  void notify(std::string_view method, const json::value& params);
  // As ChildPipes::end().
  void end(std::chrono::milliseconds grace) { pipes_->end(grace); }

  bool has_ended() const { return has_ended_; }
  const std::string& ending() const { return ending_; }

 private:
  struct Waiting {
    explicit Waiting(const Executor& executor) : timer(executor) {}
    SteadyTimer timer;
    std::optional<Result<json::value>> answer;
  };

  Task<> read_messages();
  Task<> write_messages();
  Task<> watch_program();
  Result<void> take(const std::string& text);
  void take_answer(RpcMessage message);
  void send(std::string_view body);
  void give_up(std::string reason);
  void fail_all();

  std::unique_ptr<ChildPipes> pipes_;
  RpcHandlers handlers_;
  const RpcLimits limits_;
  std::optional<SteadyTimer> more_to_write_;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;
  std::size_t unasked_bytes_ = 0;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, Waiting*> waiting_;
  std::string broken_;  // why we ended it
  std::string ending_;
  bool has_ended_ = false;
};

}  // namespace toolgate
