// The language servers of a workbench: one per language, started when first asked, kept while they
// are used, started again when they end by themselves. All on one thread of their own; tools on
// other loops have work done there.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "async/bell.h"
#include "async/loop.h"
#include "async/loop_handle.h"
#include "builtin/language_server.h"
#include "builtin/languages.h"
#include "builtin/workspace.h"

namespace toolgate {

class LanguageServers {
 public:
  // So often may one end by itself within this time; then it is left alone until that is over.
  static constexpr std::size_t kMostEnds = 3;
  static constexpr std::chrono::minutes kEndsTime{5};

  LanguageServers() = default;
  LanguageServers(const LanguageServers&) = delete;
  LanguageServers& operator=(const LanguageServers&) = delete;
  // Ends all. Nobody waits for work any more.
  ~LanguageServers();

  // Runs `work`, a coroutine that gets a `const Cancel&` and gives a Result, on the servers' loop,
  // and comes back with what it gives. From any loop. `work` may use what the caller's frame has.
  template <class Work>
  auto run(Work work, const Cancel& cancel)
      -> Task<typename std::invoke_result_t<Work&, const Cancel&>::value_type> {
    using Answer = typename std::invoke_result_t<Work&, const Cancel&>::value_type;
    std::optional<Answer> answer;
    const Job job = [&](const Cancel& there) -> Task<> { answer.emplace(co_await work(there)); };
    co_await run_there(job, cancel);
    if (!answer) co_return fail(Errc::Internal, "the work on code broke off");
    co_return std::move(*answer);
  }

  // The following are for the servers' loop.

  // Ready for questions.
  Task<Result<std::shared_ptr<LanguageServer>>> get(const CodeSettings& settings,
                                                    const Language& language, const Cancel& cancel);
  // Those that run and are ready, for this workspace.
  std::vector<std::shared_ptr<LanguageServer>> running(const Workspace& workspace) const;

  // `work` with the server of a language; once more with a new one if that ends meanwhile.
  template <class Work>
  auto ask(const CodeSettings& settings, const Language& language, Work work, const Cancel& cancel)
      -> Task<typename std::invoke_result_t<Work&, LanguageServer&>::value_type> {
    for (bool again = false;; again = true) {
      auto server = co_await get(settings, language, cancel);
      if (!server) co_return std::unexpected(server.error());
      auto answer = co_await work(**server);
      if (answer || again || cancel.requested() || !(co_await has_gone(**server))) co_return answer;
    }
  }

 private:
  using Job = std::function<Task<>(const Cancel&)>;
  using Clock = std::chrono::steady_clock;
  struct Place {
    std::shared_ptr<LanguageServer> server;
    std::deque<Clock::time_point> ends;  // by itself, the last ones
    std::string last_ending;
    std::chrono::milliseconds idle_time{0};
  };

  Task<> run_there(const Job& job, const Cancel& cancel);
  Task<> do_job(const Job& job, std::shared_ptr<CancelSource> cancel, const LoopHandle& home,
                std::function<void()> done);
  void start_thread();
  Result<LanguageServerOptions> make_options(const CodeSettings& settings,
                                             const Language& language);
  bool is_sandboxed(const CodeSettings& settings, const Language& language);
  Result<void> check_ends(Place& place, const Language& language) const;
  Task<> run_server(std::string language, std::shared_ptr<LanguageServer> server);
  Task<bool> has_gone(LanguageServer& server);
  Task<> watch_idle();
  Task<> end_all();

  std::once_flag started_;
  Loop loop_;
  std::map<std::string, Place> places_;
  bool stopping_ = false;
  bool has_warned_ = false;  // that there is no sandbox
  Bell bell_;
  std::thread thread_;
};

}  // namespace toolgate
