#include "net/rpc_peer.h"

#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/utf8.h"
#include "net/socket.h"

namespace toolgate {
namespace {

constexpr std::size_t kBlockBytes = 64 << 10;

std::string words_of(const json::value& error) {
  const json::value* message = find(error, "message");
  return mend_utf8(message && message->is_string() ? std::string_view(message->get_string())
                                                   : "an error without words");
}

}  // namespace

RpcPeer::RpcPeer(std::unique_ptr<ChildPipes> pipes, RpcHandlers handlers, RpcLimits limits)
    : pipes_(std::move(pipes)), handlers_(std::move(handlers)), limits_(limits) {}

RpcPeer::~RpcPeer() = default;

Task<> RpcPeer::run() {
  using namespace asio::experimental::awaitable_operators;
  more_to_write_.emplace(co_await asio::this_coro::executor);
  co_await (read_messages() && write_messages() && watch_program());
}

Task<> RpcPeer::watch_program() {
  co_await pipes_->run_to_end();
  has_ended_ = true;
  ending_ = mend_utf8(broken_.empty() ? pipes_->ending() : broken_);
  more_to_write_->cancel();
  fail_all();
}

Task<> RpcPeer::read_messages() {
  RpcFrameReader reader(limits_.message_bytes);
  const auto block = std::make_unique<char[]>(kBlockBytes);
  while (broken_.empty()) {
    const std::size_t size = co_await pipes_->read({block.get(), kBlockBytes});
    if (size == 0) break;
    unasked_bytes_ += size;
    if (unasked_bytes_ > limits_.unasked_bytes) {
      give_up("was ended because it flooded us with messages that nobody asked for");
      break;
    }
    reader.feed({block.get(), size});
    auto message = reader.next();
    for (; message && *message; message = reader.next())
      if (auto taken = take(**message); !taken) {
        message = std::unexpected(taken.error());
        break;
      }
    if (!message) give_up("was ended because it broke the protocol: " + message.error().message);
  }
  pipes_->end(std::chrono::milliseconds(500));
}

Task<> RpcPeer::write_messages() {
  while (!pipes_->has_ended() && !has_ended_) {
    if (queue_.empty()) {
      more_to_write_->expires_at(std::chrono::steady_clock::time_point::max());
      co_await more_to_write_->async_wait(kAwait);
      continue;
    }
    const std::string message = std::move(queue_.front());
    queue_.pop_front();
    if (!co_await pipes_->write(message)) co_return;
    queued_bytes_ -= message.size();
  }
}

Result<void> RpcPeer::take(const std::string& text) {
  auto message = parse_rpc_message(text);
  if (!message) return std::unexpected(message.error());
  switch (message->kind) {
    case RpcMessage::Kind::Answer:
      take_answer(std::move(*message));
      break;
    case RpcMessage::Kind::Notification:
      handlers_.notification(message->method, message->content);
      break;
    case RpcMessage::Kind::Request:
      send(write_rpc_answer(message->id, handlers_.request(message->method, message->content)));
      break;
  }
  return {};
}

// One that nobody waits for came too late, or was never asked for.
void RpcPeer::take_answer(RpcMessage message) {
  const std::int64_t* id = message.id.if_int64();
  const auto found = id ? waiting_.find(*id) : waiting_.end();
  if (found == waiting_.end() || found->second->answer) return;
  unasked_bytes_ = 0;
  Waiting& waiting = *found->second;
  if (message.is_error)
    waiting.answer = fail(Errc::InvalidRequest, "{}", words_of(message.content));
  else
    waiting.answer = std::move(message.content);
  waiting.timer.cancel();
}

void RpcPeer::send(std::string_view body) {
  if (has_ended_ || !broken_.empty()) return;
  std::string frame = write_rpc_frame(body);
  queued_bytes_ += frame.size();
  if (queued_bytes_ > limits_.queued_bytes) {
    give_up("was ended because it did not read what it was sent");
    return;
  }
  queue_.push_back(std::move(frame));
  if (more_to_write_) more_to_write_->cancel();
}

void RpcPeer::give_up(std::string reason) {
  if (!broken_.empty()) return;
  broken_ = std::move(reason);
  pipes_->end(std::chrono::milliseconds(0));
}

void RpcPeer::fail_all() {
  for (auto& [id, waiting] : waiting_) {
    if (!waiting->answer) waiting->answer = fail(Errc::UpstreamBroken, "{}", ending_);
    waiting->timer.cancel();
  }
}

void RpcPeer::notify(std::string_view method, const json::value& params) {
  send(write_rpc_notification(method, params));
}

Task<Result<json::value>> RpcPeer::call(std::string method, json::value params,
                                        std::chrono::milliseconds limit, const Cancel& cancel) {
  if (has_ended_) co_return fail(Errc::UpstreamBroken, "{}", ending_);
  if (cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
  const std::int64_t id = ++last_id_;
  Waiting waiting(co_await asio::this_coro::executor);
  waiting_.emplace(id, &waiting);
  send(write_rpc_request(id, method, params));
  const auto latest = std::chrono::steady_clock::now() + limit;
  const CancelHook hook(cancel, [&waiting](CancelReason) { waiting.timer.cancel(); });
  while (!waiting.answer && !cancel.requested() && std::chrono::steady_clock::now() < latest) {
    waiting.timer.expires_at(latest);
    co_await waiting.timer.async_wait(kAwait);
  }
  waiting_.erase(id);
  if (waiting.answer) co_return std::move(*waiting.answer);
  notify("$/cancelRequest", json::object{{"id", id}});
  if (cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
  co_return fail(Errc::UpstreamTimeout, "no answer to {} within {} s", method,
                 std::chrono::duration<double>(limit).count());
}

}  // namespace toolgate
