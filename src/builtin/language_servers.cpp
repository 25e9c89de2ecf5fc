#include "builtin/language_servers.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "async/event.h"
#include "base/log.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLastWordsBytes = 2'000;  // of its standard error
constexpr Bell::TimePoint::duration kIdleCheckTime = 10s;
constexpr std::chrono::milliseconds kLeastIdleTime = 50ms;

std::string our_search_path() {
  const char* path = std::getenv("PATH");
  return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

}  // namespace

LanguageServers::~LanguageServers() {
  if (!thread_.joinable()) return;
  loop_.post([this] { loop_.scope().spawn(end_all(), "ending language servers"); });
  thread_.join();
}

void LanguageServers::start_thread() {
  std::call_once(started_, [this] {
    loop_.post([this] { loop_.scope().spawn(watch_idle(), "watching language servers"); });
    thread_ = std::thread([this] { loop_.run(); });
  });
}

Task<> LanguageServers::end_all() {
  stopping_ = true;
  bell_.ring();
  for (auto& [language, place] : places_)
    if (place.server) place.server->end();
  co_await loop_.scope().drain(1);  // but for us
  loop_.stop();
}

Task<> LanguageServers::run_there(const Job& job, const Cancel& cancel) {
  start_thread();
  const LoopHandle home = co_await LoopHandle::here();
  const auto there = std::make_shared<CancelSource>();
  Event done;
  const CancelHook hook(cancel, [&](CancelReason reason) {
    loop_.post([there, reason] { there->request(reason); });
  });
  loop_.post([&, there] {
    loop_.scope().spawn(do_job(job, there, home, [&done] { done.set(); }), "work on code");
  });
  co_await done.wait();
}

// `home` and `job` are the caller's, which goes on with `done` and no sooner.
Task<> LanguageServers::do_job(const Job& job, std::shared_ptr<CancelSource> cancel,
                               const LoopHandle& home, std::function<void()> done) {
  try {
    co_await job(*cancel);
  } catch (const std::exception& error) {
    log(LogLevel::Error, "work on code ended by an exception: {}", error.what());
  }
  home.post(std::move(done));
}

// The one place where the program and its surroundings are decided.
Result<LanguageServerOptions> LanguageServers::make_options(const CodeSettings& settings,
                                                            const Language& language) {
  if (!language.is_on)
    return fail(Errc::NotFound, "toolgate.languageServers turns the one for {} off", language.name);
  const auto& roots = settings.workspace->roots();
  const std::string search_path = our_search_path();
  auto command = find_command(language, search_path, roots);
  if (!command) return std::unexpected(command.error());
  LanguageServerOptions options;
  options.language = language;
  options.workspace = settings.workspace;
  options.request_time = settings.limits.request_time;
  options.initialization = initialization_options(command->front());
  options.command.arguments = std::move(*command);
  options.command.folder = settings.workspace->folder();
  options.command.error_limit = kLastWordsBytes;
  options.command.environment = make_child_environment();
  std::erase_if(options.command.environment,
                [](const std::string& entry) { return entry.starts_with("PATH="); });
  options.command.environment.push_back("PATH=" + trusted_search_path(search_path, roots));
  if (is_sandboxed(settings, language)) options.sandbox = settings.sandbox;
  return options;
}

// Where there cannot be one, servers run nevertheless, as they do in every editor.
bool LanguageServers::is_sandboxed(const CodeSettings& settings, const Language& language) {
  if (!settings.sandbox.enabled || !language.is_sandboxed) return false;
  const std::string& fault = sandbox_fault();
  if (!fault.empty() && !std::exchange(has_warned_, true))
    log(LogLevel::Warn,
        "language servers run without a sandbox, so code in the workspace that they load can do "
        "all that you can: {}",
        fault);
  return fault.empty();
}

Result<void> LanguageServers::check_ends(Place& place, const Language& language) const {
  while (!place.ends.empty() && place.ends.front() + kEndsTime < Clock::now())
    place.ends.pop_front();
  if (place.ends.size() < kMostEnds) return {};
  return fail(Errc::UpstreamBroken,
              "the language server for {} has ended by itself {} times within {} minutes and is "
              "left alone for a while; the last time it {}",
              language.name, place.ends.size(), kEndsTime.count(), place.last_ending);
}

Task<Result<std::shared_ptr<LanguageServer>>> LanguageServers::get(const CodeSettings& settings,
                                                                   const Language& language,
                                                                   const Cancel& cancel) {
  if (stopping_) co_return fail(Errc::ShuttingDown, "the gateway is stopping");
  auto options = make_options(settings, language);
  if (!options) co_return std::unexpected(options.error());
  Place& place = places_[language.name];
  place.idle_time = settings.limits.idle_time;
  const auto& running = place.server;
  const bool fits = running && !running->has_ended() && !running->is_ending() &&
                    running->command() == options->command.arguments &&
                    running->sandbox() == options->sandbox &&
                    running->workspace().roots() == settings.workspace->roots();
  if (!fits) {
    if (auto checked = check_ends(place, language); !checked)
      co_return std::unexpected(checked.error());
    if (place.server) place.server->end();
    place.server = std::make_shared<LanguageServer>(std::move(*options));
    loop_.scope().spawn(run_server(language.name, place.server), "a language server");
    bell_.ring();
  }
  const auto server = place.server;
  if (auto ready = co_await server->wait_until_ready(cancel); !ready)
    co_return std::unexpected(ready.error());
  co_return server;
}

Task<> LanguageServers::run_server(std::string language, std::shared_ptr<LanguageServer> server) {
  co_await server->run();
  Place& place = places_[language];
  if (!server->is_ending()) {
    place.ends.push_back(Clock::now());
    place.last_ending = server->ending();
    log(LogLevel::Warn, "the language server for {} {}", language, server->ending());
  }
  if (place.server == server) place.server.reset();
}

// A program that dies says so a moment later than its pipes do.
Task<bool> LanguageServers::has_gone(LanguageServer& server) {
  co_return co_await server.wait_for_end(1s);
}

std::vector<std::shared_ptr<LanguageServer>> LanguageServers::running(
    const Workspace& workspace) const {
  std::vector<std::shared_ptr<LanguageServer>> servers;
  for (const auto& [language, place] : places_)
    if (place.server && place.server->is_ready() &&
        place.server->workspace().roots() == workspace.roots())
      servers.push_back(place.server);
  return servers;
}

Task<> LanguageServers::watch_idle() {
  while (!stopping_) {
    const auto now = Clock::now();
    auto next = now + kIdleCheckTime;
    for (auto& [language, place] : places_) {
      if (!place.server) continue;
      next = std::min(next, now + std::max(place.idle_time / 2, kLeastIdleTime));
      if (place.server->is_idle() && place.server->is_ready() &&
          place.server->last_used() + place.idle_time <= now)
        place.server->end();
    }
    co_await bell_.wait(next);
  }
}

}  // namespace toolgate
