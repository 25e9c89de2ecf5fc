// Talks to a running gateway as its operator: `call`, `chat`, `pending`, `approve`, `approvals` and
// `audit` ask it, where one runs, instead of doing their work themselves.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/co_spawn.hpp>

#include "async/loop.h"
#include "cli/catalog_options.h"
#include "cli/command.h"
#include "net/http_client.h"

namespace toolgate {

// Where to look for a gateway.
struct GatewayChoice {
  std::filesystem::path data;  // with gateway.json and the operator token
  std::string url;             // --url or TOOLGATE_URL; empty: the one that the folder names
};

// --data and --url, for commands that work with a running gateway only.
void add_gateway_options(CLI::App& command, GatewayChoice& choice);
// --url alone, for commands that take the options of the catalogue too.
void add_url_option(CLI::App& command, GatewayChoice& choice);

// The token of the data folder is sent to this machine only; TOOLGATE_TOKEN goes anywhere.
struct GatewayLink {
  UpstreamAddress address;
  std::string token;
  std::string workspace = {};  // where its tools work; empty: not known
};

// Nothing: no gateway runs.
Result<std::optional<GatewayLink>> find_gateway(const GatewayChoice& choice);
// An error that says what to do about it.
Result<GatewayLink> need_gateway(const GatewayChoice& choice);

// Commands that have tools do something in a folder. A gateway's tools do it in the gateway's
// workspace: another one that was named is an error, another current folder a line on stderr.
Result<void> check_workspace(const GatewayLink& link, const CatalogOptions& options);

class GatewayClient {
 public:
  explicit GatewayClient(GatewayLink link) : link_(std::move(link)), client_(loop_) {}

  Loop& loop() { return loop_; }
  const std::string& url() const { return link_.address.url; }

  // The body of an answer. What the gateway refuses is an error with its message and `where` its
  // param. Waits as long as it takes.
  Task<Result<std::string>> send(std::string method, std::string path, std::string body,
                                 const Cancel& cancel);
  // The same, blocking.
  Result<std::string> ask(std::string method, std::string path, std::string body = {});

  using Told = std::function<void(std::string_view event, std::string_view data)>;
  // Follows a stream of server-sent events until it ends, `connected` is called once none can be
  // missed any more.
  Task<Result<void>> follow(std::string path, std::function<void()> connected, Told told,
                            const Cancel& cancel);
  // The same of a POST that is answered with events. What refuses it is told too, as the error
  // that it would be in the midst of a stream.
  Task<Result<void>> post_and_follow(std::string path, std::string body, Told told,
                                     const Cancel& cancel);

 private:
  // All three live until it is done.
  Task<Result<std::unique_ptr<HttpResponse>>> open(const std::string& method,
                                                   const std::string& path, const std::string& body,
                                                   const Cancel& cancel);
  Task<Result<void>> read_events(std::string method, std::string path, std::string body,
                                 std::function<void()> connected, Told told, const Cancel& cancel);
  std::string head_of(std::string_view method, std::string_view path, std::size_t body) const;

  GatewayLink link_;
  Loop loop_;
  HttpClient client_;
};

// As it may stand in a path or query.
std::string encode_percent(std::string_view text);

// Runs the task to its end on this thread.
template <class T>
T run_on(Loop& loop, Task<T> task) {
  std::optional<T> value;
  std::exception_ptr thrown;
  loop.context().restart();
  boost::asio::co_spawn(loop.context(), std::move(task),
                        [&](std::exception_ptr exception, T result) {
                          thrown = std::move(exception);
                          value.emplace(std::move(result));
                          loop.stop();
                        });
  loop.run();
  if (thrown) std::rethrow_exception(thrown);
  return std::move(*value);
}

}  // namespace toolgate
