#include "builtin/terminals.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <list>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "async/loop.h"
#include "async/loop_waker.h"
#include "base/ids.h"
#include "builtin/terminal_process.h"
#include "builtin/terminal_text.h"
#include "builtin/test_report.h"
#include "net/socket.h"

namespace toolgate {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Stream = asio::posix::basic_stream_descriptor<Executor>;

constexpr std::size_t kMostRunning = 16;
constexpr std::size_t kMostKept = 48;  // with those that have ended
constexpr std::chrono::hours kLongestIdle{6};
constexpr std::chrono::milliseconds kIdleLook{60'000};
constexpr std::chrono::milliseconds kReportEvery{100};
constexpr std::size_t kBlockBytes = 64 << 10;
constexpr std::size_t kMostDrained = 4 << 20;
constexpr std::size_t kShownLines = 8;
constexpr std::size_t kShownBytes = 1'000;

std::string words_of(const TerminalRequest& request) {
  if (request.program.empty()) return request.command;
  return fmt::format("{}", fmt::join(request.program, " "));
}

// One command, on the thread of the terminals.
class Terminal {
 public:
  Terminal(Loop& loop, TerminalRequest request)
      : request_(std::move(request)),
        master_(loop.context()),
        control_(loop.context()),
        process_(loop.context()),
        time_limit_(loop.deadlines(),
                    [this] {
                      end(fmt::format("its time of {} ms was over", request_.time_limit.count()));
                    }),
        next_report_(loop.deadlines(), [this] { wake(); }) {}

  const std::string& id() const { return id_; }
  const TerminalRequest& request() const { return request_; }
  bool is_running() const { return is_running_; }
  Clock::time_point last_used() const { return last_used_; }

  void attach(SpawnedTerminal spawned) {
    supervisor_ = spawned.supervisor;
    master_.assign(spawned.master.release());
    control_.assign(spawned.control.release());
    process_.assign(spawned.process.release());
    master_.non_blocking(true);
    control_.non_blocking(true);
    if (request_.time_limit.count() > 0) time_limit_.arm(request_.time_limit);
  }

  // Until everything it started has ended.
  Task<> live() {
    using namespace asio::experimental::awaitable_operators;
    co_await (read_output() && read_messages() && wait_for_end());
    time_limit_.disarm();
    next_report_.disarm();
    duration_ = Clock::now() - started_;
    is_running_ = false;
    error_code ignored;
    master_.close(ignored);
    control_.close(ignored);
    process_.close(ignored);
    wake();
  }

  void end(std::string why) {
    if (!is_running_) return;
    if (view_.ended_by.empty()) view_.ended_by = std::move(why);
    ::shutdown(control_.native_handle(), SHUT_WR);
  }

  Result<void> type(std::string_view text) {
    if (!is_running_) return fail(Errc::Conflict, "the terminal {} has ended", id_);
    while (!text.empty()) {
      const ssize_t size = ::write(master_.native_handle(), text.data(), text.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0)
        return fail(Errc::Conflict, "the program in terminal {} does not read its input", id_);
      text.remove_prefix(static_cast<std::size_t>(size));
    }
    return {};
  }

  TerminalView view() {
    last_used_ = Clock::now();
    TerminalView view = view_;
    view.id = id_;
    view.command = words_of(request_);
    view.title = request_.title;
    view.folder = request_.folder;
    view.is_sandboxed = request_.is_sandboxed;
    view.is_running = is_running_;
    view.output = text_.text();
    view.left_out = text_.left_out();
    view.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        is_running_ ? Clock::now() - started_ : duration_);
    return view;
  }
  std::string last_lines() const { return text_.last_lines(kShownLines, kShownBytes); }

  void watch(std::shared_ptr<LoopWaker> watcher) { watchers_.push_back(std::move(watcher)); }
  void unwatch(const std::shared_ptr<LoopWaker>& watcher) { std::erase(watchers_, watcher); }

 private:
  void wake() {
    for (const auto& watcher : watchers_) watcher->wake();
  }

  Task<> read_output() {
    const auto block = std::make_unique<char[]>(kBlockBytes);
    for (;;) {
      const auto [error, size] =
          co_await master_.async_read_some(asio::buffer(block.get(), kBlockBytes), kAwait);
      take_output({block.get(), size});
      if (error == asio::error::operation_aborted) break;
      if (error) co_return;  // nobody has the terminal open any more
    }
    for (std::size_t taken = 0; taken < kMostDrained;) {
      error_code error;
      const std::size_t size = master_.read_some(asio::buffer(block.get(), kBlockBytes), error);
      if (error || size == 0) co_return;
      take_output({block.get(), size});
      taken += size;
    }
  }

  void take_output(std::string_view bytes) {
    if (bytes.empty()) return;
    text_.feed(bytes);
    last_used_ = Clock::now();
    if (!watchers_.empty() && !next_report_.armed()) next_report_.arm(kReportEvery);
  }

  Task<> read_messages() {
    for (;;) {
      const auto [error] = co_await control_.async_wait(Stream::wait_read, kAwait);
      if (!take_messages() || error) co_return;
    }
  }

  // False: there will be no more.
  bool take_messages() {
    for (;;) {
      char text[512];
      const ssize_t size = ::recv(control_.native_handle(), text, sizeof text, MSG_DONTWAIT);
      if (size < 0) return errno == EAGAIN || errno == EINTR;
      if (size == 0) return false;
      take_message({text, static_cast<std::size_t>(size)});
    }
  }

  void take_message(std::string_view message) {
    const std::string_view word = message.substr(0, message.find(' '));
    const std::string rest(message.substr(std::min(word.size() + 1, message.size())));
    if (word == "exit") view_.exit_code = std::atoi(rest.c_str());
    if (word == "signal") view_.signal = std::atoi(rest.c_str());
    if (word == "failed") view_.failure = rest;
    knows_its_end_ = knows_its_end_ || word == "exit" || word == "signal" || word == "failed";
    if (word == "limit" && view_.ended_by.empty()) view_.ended_by = rest;
  }

  Task<> wait_for_end() {
    co_await process_.async_wait(Stream::wait_read, kAwait);
    take_messages();
    // Before it is reaped: until then the number of its group is nobody else's.
    if (!knows_its_end_) ::kill(-supervisor_, SIGKILL);
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(supervisor_), &info, WEXITED) != 0)
      if (errno != EINTR) break;
    if (!knows_its_end_) {
      view_.signal = SIGKILL;
      view_.ended_by =
          "the program that watches over it was ended, so how far it got is not known, and some of "
          "what it started may still run";
    }
    error_code ignored;
    master_.cancel(ignored);
    control_.cancel(ignored);
  }

  TerminalRequest request_;
  const std::string id_ = make_id("term_");
  const Clock::time_point started_ = Clock::now();
  Clock::time_point last_used_ = started_;
  Clock::duration duration_{};
  pid_t supervisor_ = 0;
  Stream master_;
  Stream control_;
  Stream process_;
  Deadline time_limit_;
  Deadline next_report_;
  TerminalText text_{kTerminalRows};
  TerminalView view_;
  bool is_running_ = true;
  bool knows_its_end_ = false;  // the supervisor has told it
  std::vector<std::shared_ptr<LoopWaker>> watchers_;
};

// Resumes on the caller's loop with what `work` gave on the other one.
template <class Work>
Task<std::invoke_result_t<Work>> run_on(Loop& other, Work work) {
  constexpr asio::use_awaitable_t<Executor> kAwaitHere{};
  const Executor here = co_await asio::this_coro::executor;
  const auto keeps_running = asio::make_work_guard(here);
  co_await asio::post(asio::bind_executor(other.context().get_executor(), kAwaitHere));
  std::optional<std::invoke_result_t<Work>> result;
  std::exception_ptr thrown;
  try {
    result.emplace(work());
  } catch (...) {
    thrown = std::current_exception();
  }
  co_await asio::post(asio::bind_executor(here, kAwaitHere));
  if (thrown) std::rethrow_exception(thrown);
  co_return std::move(*result);
}

}  // namespace

struct Terminals::Impl {
  explicit Impl(std::string our_program) : program(std::move(our_program)) {
    thread = std::thread([this] { loop.run(); });
    // The answer is there when the first command is asked about.
    loop.post([this] {
      sandbox_fault();
      next_idle_look.arm(kIdleLook);
    });
  }

  ~Impl() {
    loop.post([this] {
      next_idle_look.disarm();
      for (const auto& each : all) each->end("the gateway stops");
      loop.scope().spawn(stop_when_empty(), "stopping the terminals");
    });
    thread.join();
  }

  Task<> stop_when_empty() {
    co_await loop.scope().drain(1);
    all.clear();
    loop.stop();
  }

  void end_idle() {
    for (const auto& each : all)
      if (Clock::now() - each->last_used() > kLongestIdle) each->end("nobody used it for long");
    next_idle_look.arm(kIdleLook);
  }

  // The following are for the thread of the terminals.

  Result<std::shared_ptr<Terminal>> open(TerminalRequest request) {
    const auto running = std::ranges::count_if(all, &Terminal::is_running,
                                               [](const auto& each) -> Terminal& { return *each; });
    if (static_cast<std::size_t>(running) >= kMostRunning)
      return fail(Errc::Overloaded,
                  "{} commands run already, which is the most; end one with kill_terminal",
                  running);
    if (request.folder.empty()) request.folder = request.workspace->folder();
    auto spawned = spawn_terminal(program, request);
    if (!spawned) return std::unexpected(spawned.error());
    auto terminal = std::make_shared<Terminal>(loop, std::move(request));
    terminal->attach(std::move(*spawned));
    all.push_back(terminal);
    forget_oldest();
    loop.scope().spawn(keep(terminal), "a terminal");
    return terminal;
  }
  static Task<> keep(std::shared_ptr<Terminal> terminal) { co_await terminal->live(); }

  void forget_oldest() {
    for (auto each = all.begin(); each != all.end() && all.size() > kMostKept;)
      each = (*each)->is_running() ? std::next(each) : all.erase(each);
  }

  static bool belongs(const Terminal& terminal, const TerminalOwner& owner) {
    return terminal.request().owner.caller == owner.caller;
  }

  Result<std::shared_ptr<Terminal>> find(const std::string& id, const TerminalOwner& owner) {
    for (const auto& each : all)
      if (each->id() == id && belongs(*each, owner)) return each;
    return fail(Errc::NotFound,
                "there is no terminal {}; run_in_terminal gives the ids of background commands",
                id);
  }

  Result<std::shared_ptr<Terminal>> find_latest(const TerminalOwner& owner, Which which,
                                                const std::string& title, const std::string& root) {
    for (auto each = all.rbegin(); each != all.rend(); ++each) {
      const TerminalRequest& request = (*each)->request();
      if (!belongs(**each, owner)) continue;
      if (!owner.session.empty() && request.owner.session != owner.session) continue;
      if (which == Which::Task && request.title.empty()) continue;
      if (which == Which::Test && !is_test_command(words_of(request), request.title)) continue;
      if (!title.empty() && request.title != title) continue;
      if (!root.empty() && request.root != root) continue;
      return *each;
    }
    return fail(Errc::NotFound, "nothing like that has been run yet");
  }

  struct Moment {
    bool is_running;
    std::string last_lines;
  };

  // Waits on the caller's loop until the command has ended, or for so long.
  Task<Result<TerminalView>> follow(std::shared_ptr<Terminal> terminal, Report report,
                                    std::optional<std::chrono::milliseconds> longest,
                                    bool ends_with_call, const Cancel& cancel) {
    const auto waker = std::make_shared<LoopWaker>(co_await LoopHandle::here());
    const Executor here = co_await asio::this_coro::executor;
    const CancelHook hook(cancel, [&, ends_with_call](CancelReason) {
      if (ends_with_call) loop.post([terminal] { terminal->end("it was cancelled"); });
      waker->wake();
    });
    asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor> timer(here);
    bool is_over = false;
    if (longest) {
      timer.expires_after(*longest);
      timer.async_wait([&is_over, waker](const error_code& error) {
        if (error) return;
        is_over = true;
        waker->event().set();
      });
    }
    for (bool first = true;; first = false) {
      const auto moment = co_await run_on(loop, [&]() -> Moment {
        if (first) terminal->watch(waker);
        return {terminal->is_running(), terminal->last_lines()};
      });
      if (!moment.is_running || is_over || (cancel.requested() && !ends_with_call)) break;
      if (report && !moment.last_lines.empty()) report(moment.last_lines);
      co_await waker->event().wait();
    }
    timer.cancel();
    co_return co_await run_on(loop, [&]() -> Result<TerminalView> {
      terminal->unwatch(waker);
      return terminal->view();
    });
  }

  const std::string program;
  Loop loop;
  std::list<std::shared_ptr<Terminal>> all;  // oldest first
  Deadline next_idle_look{loop.deadlines(), [this] { end_idle(); }};
  std::thread thread;
};

Terminals::Terminals(std::string program) : impl_(std::make_unique<Impl>(std::move(program))) {}
Terminals::~Terminals() = default;

Task<Result<TerminalView>> Terminals::run(TerminalRequest request, Report report,
                                          const Cancel& cancel) {
  if (cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
  auto opened = co_await run_on(impl_->loop, [&] { return impl_->open(std::move(request)); });
  if (!opened) co_return std::unexpected(opened.error());
  auto view = co_await impl_->follow(*opened, std::move(report), {}, true, cancel);
  if (view && cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
  co_return view;
}

Task<Result<TerminalView>> Terminals::start(TerminalRequest request,
                                            std::chrono::milliseconds first_look,
                                            const Cancel& cancel) {
  if (cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
  auto opened = co_await run_on(impl_->loop, [&] { return impl_->open(std::move(request)); });
  if (!opened) co_return std::unexpected(opened.error());
  co_return co_await impl_->follow(*opened, {}, first_look, false, cancel);
}

Task<Result<TerminalView>> Terminals::look(std::string id, TerminalOwner owner) {
  co_return co_await run_on(impl_->loop, [&]() -> Result<TerminalView> {
    auto found = impl_->find(id, owner);
    if (!found) return std::unexpected(found.error());
    return (*found)->view();
  });
}

Task<Result<TerminalView>> Terminals::send(std::string id, TerminalOwner owner, std::string text,
                                           std::chrono::milliseconds first_look,
                                           const Cancel& cancel) {
  auto typed = co_await run_on(impl_->loop, [&]() -> Result<std::shared_ptr<Terminal>> {
    auto found = impl_->find(id, owner);
    if (!found) return found;
    if (auto done = (*found)->type(text); !done) return std::unexpected(done.error());
    return found;
  });
  if (!typed) co_return std::unexpected(typed.error());
  co_return co_await impl_->follow(*typed, {}, first_look, false, cancel);
}

Task<Result<TerminalView>> Terminals::kill(std::string id, TerminalOwner owner) {
  auto ended = co_await run_on(impl_->loop, [&]() -> Result<std::shared_ptr<Terminal>> {
    auto found = impl_->find(id, owner);
    if (found) (*found)->end("it was ended with kill_terminal");
    return found;
  });
  if (!ended) co_return std::unexpected(ended.error());
  const CancelSource never;
  co_return co_await impl_->follow(*ended, {}, {}, true, never);
}

Task<Result<TerminalView>> Terminals::latest(TerminalOwner owner, Which which, std::string title,
                                             std::string root) {
  co_return co_await run_on(impl_->loop, [&]() -> Result<TerminalView> {
    auto found = impl_->find_latest(owner, which, title, root);
    if (!found) return std::unexpected(found.error());
    return (*found)->view();
  });
}

}  // namespace toolgate
