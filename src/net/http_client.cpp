#include "net/http_client.h"

#include <algorithm>

#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/address_guard.h"

namespace toolgate {
namespace {

using Resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;
using Endpoints = std::vector<asio::ip::tcp::endpoint>;

constexpr std::size_t kResponseHeaderLimit = 256 << 10;
constexpr int kConnectTries = 3;
constexpr std::chrono::milliseconds kRetryPause{100};
// A connection unused for longer may be dead without our knowing (a router forgot it).
constexpr std::chrono::milliseconds kKeepTime{60'000};

Error cancelled() {
  return {Errc::Cancelled, "the request was cancelled", {}};
}

std::string connection_key(const HttpCall& call) {
  return call.public_addresses_only ? call.to.key + " public" : call.to.key;
}

// The system's resolver cannot be interrupted, so a lookup may outlive the one who waits for it.
struct Lookup {
  explicit Lookup(const Executor& executor) : resolver(executor) {}
  Resolver resolver;
  Event event;
  bool done = false;
  error_code failure;
  Resolver::results_type found;
};

Task<Result<Endpoints>> resolve(Loop& loop, const UpstreamAddress& to,
                                std::chrono::milliseconds time, const Cancel& cancel) {
  error_code error;
  const auto literal = asio::ip::make_address(to.host, error);
  if (!error) co_return Endpoints{{literal, static_cast<std::uint16_t>(std::stoi(to.port))}};
  auto lookup = std::make_shared<Lookup>(loop.context().get_executor());
  lookup->resolver.async_resolve(to.host, to.port,
                                 [lookup](const error_code& failure, Resolver::results_type found) {
                                   lookup->failure = failure;
                                   lookup->found = std::move(found);
                                   lookup->done = true;
                                   lookup->event.set();
                                 });
  Deadline deadline(loop.deadlines(), [&lookup] { lookup->event.set(); });
  deadline.arm(time);
  const CancelHook hook(cancel, [&lookup](CancelReason) { lookup->event.set(); });
  if (!lookup->done && !cancel.requested()) co_await lookup->event.wait();
  if (cancel.requested()) co_return std::unexpected(cancelled());
  if (!lookup->done)
    co_return fail(Errc::UpstreamTimeout,
                   "finding the host '{}' took too long (toolgate.limits.upstreamConnectSeconds)",
                   to.host);
  if (lookup->failure)
    co_return fail(Errc::UpstreamUnreachable, "the host '{}' cannot be found: {}", to.host,
                   lookup->failure.message());
  Endpoints endpoints;
  for (const auto& entry : lookup->found) endpoints.push_back(entry.endpoint());
  co_return endpoints;
}

}  // namespace

struct HttpClient::TlsContext {
  asio::ssl::context context{asio::ssl::context::tls_client};
};

// What one try came to. `retry` says that no byte of an answer had come.
struct HttpClient::Attempt {
  Result<std::unique_ptr<HttpResponse>> result;
  enum class Retry { No, Refused, Broken, StaleConnection } retry = Retry::No;
};

struct HttpClient::ConnectFailure {
  Error error;
  bool refused = false;
};

HttpClient::HttpClient(Loop& loop) : loop_(loop) {}

HttpClient::~HttpClient() {
  for (auto& [key, connections] : idle_)
    for (auto& connection : connections) {
      connection->forget_ended();
      connection->close();
    }
}

Task<Result<std::unique_ptr<HttpResponse>>> HttpClient::send(HttpCall call, const Cancel& cancel) {
  using Retry = Attempt::Retry;
  bool allow_reuse = !call.once;
  bool retried_broken = false;
  for (int refused = 1;;) {
    Attempt attempt = co_await try_once(call, allow_reuse, cancel);
    if (cancel.requested()) co_return std::unexpected(cancelled());
    if (attempt.retry == Retry::No) co_return std::move(attempt.result);
    if (attempt.retry == Retry::Refused && refused++ == kConnectTries)
      co_return std::move(attempt.result);
    const bool broken = attempt.retry == Retry::Broken || attempt.retry == Retry::StaleConnection;
    if (broken && (call.once || std::exchange(retried_broken, true)))
      co_return std::move(attempt.result);
    allow_reuse = false;
    // A kept connection that turns out dead says nothing about the upstream: no pause.
    if (attempt.retry == Retry::StaleConnection) continue;
    if (auto paused = co_await pause(kRetryPause * refused, cancel); !paused)
      co_return std::unexpected(paused.error());
  }
}

Task<HttpClient::Attempt> HttpClient::try_once(const HttpCall& call, bool allow_reuse,
                                               const Cancel& cancel) {
  using Retry = Attempt::Retry;
  std::string key = connection_key(call);
  std::shared_ptr<Connection> connection = allow_reuse ? take_idle(key) : nullptr;
  const bool reused = connection != nullptr;
  if (!connection) {
    auto connected = co_await connect(call, cancel);
    if (!connected) {
      const bool refused = connected.error().refused;
      co_return Attempt{std::unexpected(std::move(connected.error().error)),
                        refused ? Retry::Refused : Retry::No};
    }
    connection = std::move(*connected);
  }
  const CancelHook hook(cancel, [raw = connection.get()](CancelReason) { raw->close(); });

  std::vector<std::string_view> slices;
  slices.reserve(call.body.size() + 1);
  slices.push_back(call.head);
  slices.insert(slices.end(), call.body.begin(), call.body.end());
  IoStatus status = co_await connection->write(slices, call.times.idle);
  // An upstream may refuse a body before it has read it all: its answer is looked for all the same.
  if (status != IoStatus::Ok && status != IoStatus::Reset)
    co_return Attempt{fail(Errc::UpstreamTimeout, "the upstream does not take the request")};

  auto parser = std::make_unique<HttpParser>(HttpParser::Kind::Response, kResponseHeaderLimit);
  std::string no_body;
  bool answered = false;
  connection->arm(call.times.first_byte);
  while (true) {
    if (!connection->unread().empty()) {
      answered = true;
      const auto used = parser->put(connection->unread(), no_body);
      if (!used)
        co_return Attempt{fail(Errc::UpstreamBroken, "the upstream's answer is not HTTP: {}",
                               used.error().message)};
      connection->consume(*used);
      if (parser->header_done()) {
        const int code = parser->head().status;
        if (code == 101)
          co_return Attempt{fail(Errc::UpstreamBroken, "the upstream answered with status 101")};
        if (code >= 200) break;
        parser->reset(kResponseHeaderLimit);
        continue;
      }
    }
    const std::size_t before = connection->unread().size();
    status = co_await connection->fill();
    if (status == IoStatus::Timeout)
      co_return Attempt{fail(Errc::UpstreamTimeout,
                             "the upstream did not answer within {} s "
                             "(toolgate.limits.upstreamFirstByteSeconds)",
                             std::chrono::duration<double>(call.times.first_byte).count())};
    if (status != IoStatus::Ok)
      co_return Attempt{fail(Errc::UpstreamBroken, "the upstream closed the connection {}",
                             answered ? "in the middle of its header" : "before answering"),
                        answered ? Retry::No : (reused ? Retry::StaleConnection : Retry::Broken)};
    if (connection->unread().size() == before)
      co_return Attempt{fail(Errc::UpstreamBroken, "the upstream's header is too large")};
  }
  connection->disarm();
  co_return Attempt{std::make_unique<HttpResponse>(*this, std::move(key), std::move(connection),
                                                   std::move(parser), call.times,
                                                   call.method == "HEAD")};
}

Task<HttpClient::Connected> HttpClient::connect(const HttpCall& call, const Cancel& cancel) {
  auto endpoints = co_await resolve(loop_, call.to, call.times.connect, cancel);
  if (!endpoints) co_return std::unexpected(ConnectFailure{std::move(endpoints.error())});
  if (call.public_addresses_only) {
    std::erase_if(*endpoints, [](const auto& at) { return !is_public_address(at.address()); });
    if (endpoints->empty())
      co_return std::unexpected(ConnectFailure{
          {Errc::Forbidden, fmt::format("the host '{}' has no public address", call.to.host), {}}});
  }
  ConnectFailure last{{Errc::UpstreamUnreachable, "the upstream has no address", {}}};
  for (const auto& endpoint : *endpoints) {
    auto connected = co_await connect_to(endpoint, call, cancel);
    if (connected) co_return connected;
    if (cancel.requested()) co_return std::unexpected(ConnectFailure{cancelled()});
    last = std::move(connected.error());
  }
  co_return std::unexpected(std::move(last));
}

Task<HttpClient::Connected> HttpClient::connect_to(const asio::ip::tcp::endpoint& endpoint,
                                                   const HttpCall& call, const Cancel& cancel) {
  const auto failed = [](Error error, bool refused = false) {
    return std::unexpected(ConnectFailure{std::move(error), refused});
  };
  TcpSocket socket(loop_.context().get_executor());
  error_code error;
  socket.open(endpoint.protocol(), error);
  if (error) co_return failed({Errc::Io, "cannot open a socket: " + error.message(), {}});
  auto connection = std::make_shared<Connection>(loop_, std::move(socket));
  const CancelHook hook(cancel, [raw = connection.get()](CancelReason) { raw->close(); });
  connection->arm(call.times.connect);
  std::tie(error) = co_await connection->socket().async_connect(endpoint, kAwait);
  if (error == asio::error::operation_aborted)
    co_return failed({Errc::UpstreamTimeout,
                      fmt::format("connecting to {} took too long "
                                  "(toolgate.limits.upstreamConnectSeconds)",
                                  call.to.authority),
                      {}});
  if (error)
    co_return failed({Errc::UpstreamUnreachable,
                      fmt::format("cannot connect to {}: {}", call.to.authority, error.message()),
                      {}},
                     error == asio::error::connection_refused);
  if (call.to.tls) {
    auto context = tls_context();
    if (!context) co_return failed(std::move(context.error()));
    auto secured = co_await connection->start_tls((*context)->context, call.to.host);
    if (!secured) co_return failed(std::move(secured.error()));
  }
  connection->disarm();
  co_return connection;
}

Task<Result<void>> HttpClient::pause(std::chrono::milliseconds time, const Cancel& cancel) {
  asio::basic_waitable_timer<std::chrono::steady_clock,
                             asio::wait_traits<std::chrono::steady_clock>, Executor>
      timer(loop_.context(), time);
  const CancelHook hook(cancel, [&timer](CancelReason) { timer.cancel(); });
  co_await timer.async_wait(kAwait);
  if (cancel.requested()) co_return std::unexpected(cancelled());
  co_return Result<void>{};
}

std::shared_ptr<Connection> HttpClient::take_idle(const std::string& key) {
  const auto found = idle_.find(key);
  if (found == idle_.end()) return nullptr;
  auto& connections = found->second;
  while (!connections.empty()) {
    auto connection = std::move(connections.back());
    connections.pop_back();
    connection->forget_ended();
    connection->disarm();
    // Bytes nobody asked for: not to be trusted with the next request.
    if (connection->is_open() && connection->unread().empty()) return connection;
    connection->close();
  }
  return nullptr;
}

void HttpClient::give_back(const std::string& key, std::shared_ptr<Connection> connection) {
  auto& connections = idle_[key];
  if (connections.size() >= idle_limit_) {
    connection->close();
    return;
  }
  connection->arm(kKeepTime);
  Connection& kept = *connections.emplace_back(std::move(connection));
  kept.read_ahead([this, key, raw = &kept] { drop_idle(key, raw); });
}

void HttpClient::drop_idle(const std::string& key, const Connection* connection) {
  auto& connections = idle_[key];
  const auto found = std::ranges::find(connections, connection, &std::shared_ptr<Connection>::get);
  if (found == connections.end()) return;
  (*found)->close();
  connections.erase(found);
  if (connections.empty()) idle_.erase(key);
}

Result<HttpClient::TlsContext*> HttpClient::tls_context() {
  if (tls_) return tls_.get();
  auto made = std::make_unique<TlsContext>();
  error_code error;
  made->context.set_default_verify_paths(error);
  if (error)
    return fail(Errc::UpstreamUnreachable, "the system's CA certificates cannot be read: {}",
                error.message());
  SSL_CTX_set_min_proto_version(made->context.native_handle(), TLS1_2_VERSION);
  tls_ = std::move(made);
  return tls_.get();
}

}  // namespace toolgate
