#include "gateway/gateway.h"

#include <atomic>
#include <csignal>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "agent/group_naming.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/metrics.h"
#include "gateway/builtin_tools.h"
#include "gateway/dispatch.h"
#include "gateway/file_watcher.h"
#include "gateway/http_tools.h"
#include "gateway/invoking.h"
#include "gateway/operator_token.h"
#include "hosts/hook_runner.h"
#include "net/loop_client.h"
#include "net/otlp_exporter.h"

namespace toolgate {
namespace {

// After cancelling, answers get this long to say so before their sockets are closed.
constexpr std::chrono::milliseconds kLastWords{2'000};

constexpr int kStopSignals[] = {SIGTERM, SIGINT, SIGHUP};  // the last one: the terminal has gone

// All is done: one that comes while the process ends must not make that look like a failure. Asio
// would restore their default, which is to kill, with the last of its sets; this one stays.
void ignore_signals() {
  static auto& context = *new boost::asio::io_context;
  static auto& kept = *new boost::asio::signal_set(context);
  for (const int signal : kStopSignals) {
    kept.add(signal);
    std::signal(signal, SIG_IGN);
  }
}

HttpServerLimits server_limits(const Limits& limits, std::size_t loops) {
  return {.header_bytes = limits.request_header_bytes,
          .body_bytes = limits.request_body_bytes,
          .connections = std::max<std::size_t>(1, limits.connections / loops),
          .header_time = limits.header_seconds,
          .body_stall = limits.body_seconds,
          .write_stall = limits.write_seconds,
          .keep_alive = limits.keep_alive_seconds,
          .stream_keep_alive = limits.stream_keep_alive_seconds};
}

Result<std::shared_ptr<const Snapshot>> load_snapshot(const GatewayOptions& options) {
  auto settings = load_settings(options.files, options.environment);
  if (!settings) return std::unexpected(settings.error());
  return make_snapshot(std::move(*settings), options.environment);
}

// Our own sockets share the port among the cores, and so would those of a second gateway, which
// would take every other request. A socket that does not share finds that out.
Result<void> check_port_is_free(const asio::ip::tcp::endpoint& endpoint) {
  if (endpoint.port() == 0) return {};
  boost::asio::io_context context;
  asio::ip::tcp::acceptor probe(context);
  error_code error;
  probe.open(endpoint.protocol(), error);
  if (!error) probe.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) probe.bind(endpoint, error);
  if (!error) return {};
  return fail(Errc::Io, "cannot listen on {}:{}: {}{}", endpoint.address().to_string(),
              endpoint.port(), error.message(),
              error == asio::error::address_in_use ? " (choose another with --port)" : "");
}

// Tells changes of the registry on the control loop, whichever thread made them.
class LoopTimer final : public ChangeTimer {
 public:
  explicit LoopTimer(boost::asio::io_context& context)
      : timer_(std::make_shared<boost::asio::steady_timer>(context)) {}

  void start(std::chrono::milliseconds delay, std::function<void()> fire) override {
    boost::asio::post(timer_->get_executor(), [timer = timer_, delay, fire = std::move(fire)] {
      timer->expires_after(delay);
      timer->async_wait([timer, fire](const error_code& error) {
        if (!error) fire();
      });
    });
  }
  void stop() override {
    boost::asio::post(timer_->get_executor(), [timer = timer_] { timer->cancel(); });
  }

 private:
  std::shared_ptr<boost::asio::steady_timer> timer_;
};

// One core's share: touched by its own thread only, once it runs.
struct Worker {
  Worker(std::shared_ptr<const Snapshot> snapshot, ToolCatalog& tools, Invoking& invoking,
         HttpTools& http_tools, std::size_t workers, bool is_first, Metrics& metrics,
         const std::string& operator_token, const GatewayOptions& options)
      : state{.snapshot = std::move(snapshot),
              .client = HttpClient(loop),
              .catalog = tools.catalog(),
              .registry = tools.registry(),
              .normalized_tools = NormalizedTools(),
              .known_parts = {},
              .tool_offers = {},
              .group_names = {},
              .tool_lists = {},
              .tools_service = ToolsService(invoking.ledger(), loop.deadlines(),
                                            surroundings(tools.registry(), invoking, metrics)),
              .invoking = invoking,
              .http_tools = http_tools,
              .metrics = metrics,
              .operator_token = operator_token,
              .listening_host = options.host,
              .operator_only = options.is_private},
        telemetry(loop, state.client, metrics, is_first),
        server(loop, server_limits(state.snapshot->settings.limits, workers),
               [this](HttpExchange& exchange) { return dispatch(exchange, state); }) {
    state.client.set_idle_limit(state.snapshot->settings.limits.upstream_idle_connections);
    take_hooks();
  }

  InvokeSurroundings surroundings(Registry& registry, Invoking& invoking, Metrics& metrics) {
    InvokeSurroundings around;
    around.session = [this](const InvokeRequest&) -> Result<ChatSession> {
      return ChatSession{{.level = state.snapshot->settings.approvals.default_level}, true};
    };
    around.newest = [&registry] { return registry.catalog(); };
    around.spill = &invoking.results();
    around.metrics = &metrics;
    around.redaction = &invoking.redaction();
    return around;
  }

  void take_hooks() {
    const HookSettings& hooks = state.snapshot->settings.hooks;
    const bool any = !hooks.before.empty() || !hooks.after.empty();
    state.tools_service.set_hooks(any ? std::make_shared<HookRunner>(hooks, state.client)
                                      : nullptr);
  }

  void take_telemetry() {
    telemetry.set_target(state.snapshot->telemetry);
    state.tracer = telemetry.tracer();
  }

  Loop loop;
  LoopState state;
  LoopClient loop_client{state.client};
  OtlpExporter telemetry;
  HttpServer server;
  std::thread thread;
};

}  // namespace

struct Gateway::Impl {
  explicit Impl(GatewayOptions given)
      : options(std::move(given)),
        tools(options.tools, std::make_unique<LoopTimer>(control)),
        builtin_tools({.workspace = options.files.workspace,
                       .data = options.data,
                       .profile = options.tools.profile,
                       .settings_files = options.files.extra}),
        signals(control) {}

  Result<void> open_invoking();
  Result<void> listen();
  void reload();
  void publish(const std::shared_ptr<const Snapshot>& next);
  std::vector<std::filesystem::path> watched() const;
  void load_tools();
  void publish_tools(const std::shared_ptr<const Catalog>& catalog);
  void start_naming();
  void wait_for_signal();
  void stop_gently();
  void stop_now();
  void close_all();
  void worker_idle();

  GatewayOptions options;
  std::string operator_token;
  Metrics metrics;
  std::shared_ptr<const Snapshot> snapshot;
  boost::asio::io_context control{1};
  ToolCatalog tools;
  std::vector<std::string> told_problems;  // of the files and the catalogue, by the last load
  Registration tool_changes;
  std::unique_ptr<Invoking> invoking;
  BuiltinTools builtin_tools;
  std::unique_ptr<HttpTools> http_tools;
  std::unique_ptr<GroupNaming> naming;  // on the first worker's loop
  std::vector<std::unique_ptr<Worker>> workers;
  std::uint16_t port = 0;

  boost::asio::signal_set signals;
  std::unique_ptr<FileWatcher> watcher;
  std::optional<boost::asio::steady_timer> stop_timer;
  enum class Stage { Running, Gentle, Now, Ended } stage = Stage::Running;
  std::size_t busy_workers = 0;
};

Gateway::Gateway(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Gateway::~Gateway() = default;

std::uint16_t Gateway::port() const {
  return impl_->port;
}
const std::string& Gateway::host() const {
  return impl_->options.host;
}

Result<std::unique_ptr<Gateway>> Gateway::open(GatewayOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  // Before the files are read, so that a change right after it is not missed.
  impl->watcher = std::make_unique<FileWatcher>(
      impl->control, [raw = impl.get()] { return raw->watched(); },
      [raw = impl.get()] { raw->reload(); });
  auto snapshot = load_snapshot(impl->options);
  if (!snapshot) return std::unexpected(snapshot.error());
  impl->snapshot = std::move(*snapshot);
  set_log_level(impl->snapshot->settings.log_level);
  auto declared = impl->builtin_tools.declare(impl->tools.registry(), impl->snapshot->settings);
  if (!declared) return std::unexpected(declared.error());
  impl->load_tools();
  impl->tool_changes = impl->tools.registry().on_change(
      [raw = impl.get()](const auto& catalog) { raw->publish_tools(catalog); });
  auto token = open_operator_token(impl->options.data);
  if (!token) return std::unexpected(token.error());
  impl->operator_token = std::move(*token);

  if (auto opened = impl->open_invoking(); !opened) return std::unexpected(opened.error());
  const std::size_t count = usable_cpus();
  for (std::size_t i = 0; i < count; ++i)
    impl->workers.push_back(std::make_unique<Worker>(
        impl->snapshot, impl->tools, *impl->invoking, *impl->http_tools, count, i == 0,
        impl->metrics, impl->operator_token, impl->options));
  impl->start_naming();
  if (auto listening = impl->listen(); !listening) return std::unexpected(listening.error());
  return std::unique_ptr<Gateway>(new Gateway(std::move(impl)));
}

// After the files' tools: a name that a file gives is not taken by a URL of old.
Result<void> Gateway::Impl::open_invoking() {
  auto opened = Invoking::open({.data = options.data,
                                .workspace = options.files.workspace,
                                .home = options.environment("HOME").value_or("")},
                               snapshot->settings);
  if (!opened) return std::unexpected(opened.error());
  invoking = std::move(*opened);
  auto run = builtin_tools.implement(tools.registry(), *invoking, snapshot->settings);
  if (!run) return run;
  http_tools = std::make_unique<HttpTools>(tools.registry(), invoking->ledger());
  if (auto loaded = http_tools->load(snapshot->settings.http_tools); !loaded) return loaded;
  tools.registry().flush();
  return {};
}

Result<void> Gateway::Impl::listen() {
  error_code error;
  const std::string name = options.host == "localhost" ? "127.0.0.1" : options.host;
  const auto address = asio::ip::make_address(name, error);
  if (error)
    return fail(Errc::InvalidSettings, "--host takes an IP address or 'localhost', not '{}'",
                options.host);
  port = options.port;
  if (auto free = check_port_is_free({address, port}); !free) return free;
  for (const auto& worker : workers) {
    auto got = worker->server.listen({address, port});
    if (!got) return std::unexpected(got.error());
    port = *got;
  }
  if (!address.is_loopback() && snapshot->settings.api_keys.empty())
    log(LogLevel::Warn,
        "listening on {} without toolgate.apiKeys: everyone who can reach this address can use the "
        "gateway",
        options.host);
  return {};
}

void Gateway::run(const std::function<void()>& ready) {
  Impl& impl = *impl_;
  for (const std::string& warning : impl.snapshot->settings.warnings)
    log(LogLevel::Warn, "{}", warning);
  const bool takes_signals = !impl.options.is_private;
  if (takes_signals)
    for (const int signal : kStopSignals) impl.signals.add(signal);
  impl.wait_for_signal();
  impl.busy_workers = impl.workers.size();
  for (const auto& worker : impl.workers) {
    worker->take_telemetry();
    worker->server.start();
    worker->thread = std::thread([&loop = worker->loop] { loop.run(); });
  }
  ready();
  impl.control.run();
  for (const auto& worker : impl.workers) worker->thread.join();
  // While signals are still ours: one more must not cut off the last commit.
  impl.http_tools.reset();
  impl.builtin_tools.stop();
  impl.invoking.reset();
  if (takes_signals) ignore_signals();
}

void Gateway::stop() {
  boost::asio::post(impl_->control, [raw = impl_.get()] {
    if (raw->stage == Impl::Stage::Running) raw->stop_gently();
  });
}

void Gateway::Impl::reload() {
  if (stage != Stage::Running) return;
  auto next = load_snapshot(options);
  // A file that was emptied by accident must not open the gateway to everyone.
  if (next && (*next)->settings.api_keys.empty() && !snapshot->settings.api_keys.empty())
    next = fail(Errc::InvalidSettings,
                "toolgate.apiKeys is gone; to run without keys, start the gateway anew");
  metrics.settings_reloaded(next.has_value());
  if (!next) {
    log(LogLevel::Error, "settings not changed, the last good ones stay: {}", next.error().message);
    load_tools();
    return;
  }
  for (const std::string& warning : (*next)->settings.warnings) log(LogLevel::Warn, "{}", warning);
  log(LogLevel::Info, "settings read again: {} models", (*next)->models.size());
  const bool reaches_elsewhere = (*next)->settings.http_tools.allowed_private_hosts !=
                                 snapshot->settings.http_tools.allowed_private_hosts;
  publish(*next);
  load_tools();
  if (!reaches_elsewhere) return;
  if (auto loaded = http_tools->load(snapshot->settings.http_tools); !loaded)
    log(LogLevel::Error, "tools behind URLs stay as they were: {}", loaded.error().message);
  tools.registry().flush();
}

// Everything that the files say is told in one step.
void Gateway::Impl::load_tools() {
  tools.load(snapshot->settings);
  tools.registry().flush();
  std::vector<std::string> problems;
  for (const CatalogProblem& problem : tools.problems()) problems.push_back(problem.message);
  for (const CatalogProblem& problem : tools.catalog()->problems)
    problems.push_back(problem.message);
  constexpr std::size_t kMostTold = 50;
  std::size_t told = 0;
  for (const std::string& problem : problems) {
    if (std::ranges::find(told_problems, problem) != told_problems.end()) continue;
    if (told++ < kMostTold) log(LogLevel::Warn, "{}", problem);
  }
  if (told > kMostTold)
    log(LogLevel::Warn, "{} more problems: 'toolgate doctor' lists them", told - kMostTold);
  told_problems = std::move(problems);
}

void Gateway::Impl::publish_tools(const std::shared_ptr<const Catalog>& catalog) {
  const auto enabled = std::ranges::count_if(catalog->tools, &CatalogTool::enabled);
  log(LogLevel::Info, "tools: {} registered, {} enabled", catalog->tools.size(), enabled);
  if (invoking)
    invoking->ledger().events()->append(
        {{"tools", fmt::format(R"({{"version":{},"registered":{},"enabled":{}}})", catalog->version,
                               catalog->tools.size(), enabled)}});
  for (const auto& worker : workers)
    worker->loop.post([raw = worker.get(), catalog] {
      // Two changes may be told by two threads; the newer one stays.
      if (catalog->version > raw->state.catalog->version) raw->state.catalog = catalog;
    });
}

void Gateway::Impl::start_naming() {
  Worker& home = *workers.front();
  naming = std::make_unique<GroupNaming>(
      home.loop, home.state.client, [this](const std::shared_ptr<const GroupNameTable>& table) {
        for (const auto& worker : workers)
          worker->loop.post([raw = worker.get(), table] { raw->state.group_names.table = table; });
      });
  for (const auto& worker : workers)
    worker->state.group_names.ask = [this, &home](NamingWish wish) {
      home.loop.post([this, wish = std::move(wish)]() mutable { naming->want(std::move(wish)); });
    };
}

std::vector<std::filesystem::path> Gateway::Impl::watched() const {
  auto files = watched_files(options.files);
  for (auto& file : tools.watched_files()) files.push_back(std::move(file));
  return files;
}

void Gateway::Impl::publish(const std::shared_ptr<const Snapshot>& next) {
  snapshot = next;
  set_log_level(next->settings.log_level);
  builtin_tools.use(next->settings);
  for (const auto& worker : workers)
    worker->loop.post([raw = worker.get(), next, count = workers.size()] {
      raw->server.set_limits(server_limits(next->settings.limits, count));
      raw->state.client.set_idle_limit(next->settings.limits.upstream_idle_connections);
      raw->state.snapshot = next;
      raw->take_hooks();
      raw->take_telemetry();
    });
}

void Gateway::Impl::wait_for_signal() {
  signals.async_wait([this](const error_code& error, int) {
    // One that came just before the end is told after it, without an error.
    if (error || stage == Stage::Ended) return;
    if (stage == Stage::Running)
      stop_gently();
    else
      stop_now();
    wait_for_signal();
  });
}

void Gateway::Impl::stop_gently() {
  stage = Stage::Gentle;
  watcher.reset();
  const auto patience = snapshot->settings.limits.shutdown_seconds;
  log(LogLevel::Info,
      "stopping: answers under way have {} s to finish; a second signal ends them now",
      std::chrono::duration<double>(patience).count());
  workers.front()->loop.post([this] { naming->stop(); });
  // Those who follow events look whether we stop.
  invoking->ledger().events()->append({{"shutdown", "{}"}});
  for (const auto& worker : workers)
    worker->loop.post([this, raw = worker.get()] {
      raw->state.tools_service.stop_waiting();
      raw->server.stop_gently();
      raw->telemetry.stop();
      // The loop ends when its last connection has.
      boost::asio::co_spawn(raw->loop.context(), raw->loop.scope().drain(),
                            [this, raw](const std::exception_ptr&) {
                              raw->loop.stop();
                              boost::asio::post(control, [this] { worker_idle(); });
                            });
    });
  stop_timer.emplace(control, patience);
  stop_timer->async_wait([this](const error_code& error) {
    if (!error) stop_now();
  });
}

void Gateway::Impl::stop_now() {
  if (stage >= Stage::Now) return;
  stage = Stage::Now;
  log(LogLevel::Warn, "stopping now: answers under way are cancelled");
  for (const auto& worker : workers)
    worker->loop.post([raw = worker.get()] { raw->server.stop_now(); });
  stop_timer.emplace(control, kLastWords);
  stop_timer->async_wait([this](const error_code& error) {
    if (!error) close_all();
  });
}

void Gateway::Impl::close_all() {
  for (const auto& worker : workers)
    worker->loop.post([raw = worker.get()] {
      raw->server.close_all();
      raw->telemetry.stop_now();
    });
}

void Gateway::Impl::worker_idle() {
  if (--busy_workers > 0) return;
  stage = Stage::Ended;
  stop_timer.reset();
  signals.cancel();
}

}  // namespace toolgate
