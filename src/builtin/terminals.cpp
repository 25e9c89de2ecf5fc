#include "builtin/terminals.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <list>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <termios.h>
#include <thread>
#include <unistd.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "async/loop.h"
#include "async/loop_waker.h"
#include "base/ids.h"
#include "builtin/seccomp_filter.h"
#include "builtin/supervisor.h"
#include "builtin/terminal_text.h"
#include "builtin/test_report.h"
#include "net/child_process.h"
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
constexpr std::size_t kMostProcesses = 512;
constexpr std::uint64_t kLeastMemory = std::uint64_t{512} << 20;
constexpr unsigned short kRows = 40;
constexpr unsigned short kColumns = 160;
constexpr std::size_t kBlockBytes = 64 << 10;
constexpr std::size_t kMostDrained = 4 << 20;
constexpr std::size_t kShownLines = 8;
constexpr std::size_t kShownBytes = 1'000;

std::string message_of(int error) {
  return std::generic_category().message(error);
}

std::uint64_t most_memory() {
  const auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
  const auto size = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PAGESIZE), 0L));
  return std::max(pages * size / 2, kLeastMemory);
}

std::string words_of(const TerminalRequest& request) {
  if (request.program.empty()) return request.command;
  return fmt::format("{}", fmt::join(request.program, " "));
}

std::string shell() {
  return ::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
}

// Programs that would wait for a person to turn pages or to type a password do not.
std::vector<std::string> environment_for(const TerminalRequest& request) {
  std::vector<std::string> environment = make_child_environment();
  const auto set = [&](std::string entry) {
    const std::string name = entry.substr(0, entry.find('=') + 1);
    std::erase_if(environment, [&](const std::string& other) { return other.starts_with(name); });
    environment.push_back(std::move(entry));
  };
  for (const char* entry :
       {"TERM=xterm-256color", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat",
        "GIT_TERMINAL_PROMPT=0", "DEBIAN_FRONTEND=noninteractive", "TOOLGATE_TERMINAL=1"})
    set(entry);
  if (request.is_sandboxed) set("TMPDIR=/tmp");
  for (const std::string& entry : request.environment) set(entry);
  return environment;
}

// The program and its arguments that the supervisor becomes.
std::vector<std::string> command_for(const TerminalRequest& request) {
  std::vector<std::string> words;
  if (request.is_sandboxed) {
    const char* home = std::getenv("HOME");
    words.push_back(find_bubblewrap());
    std::ranges::move(
        make_sandbox_arguments(request.sandbox, *request.workspace, home ? home : "/nonexistent",
                               request.folder, kFilterDescriptor),
        std::back_inserter(words));
    // Counted per sandbox, so it must be said inside.
    words.push_back(shell());
    for (const char* word :
         {"-c", "ulimit -u 4096 2>/dev/null || ulimit -p 4096 2>/dev/null; exec \"$@\"", "sh"})
      words.emplace_back(word);
  } else if (!request.program.empty()) {
    for (const char* word : {"/bin/sh", "-c", "exec \"$@\"", "sh"}) words.emplace_back(word);
  }
  if (request.program.empty())
    for (std::string word : {shell(), std::string("-c"), request.command})
      words.push_back(std::move(word));
  else
    std::ranges::copy(request.program, std::back_inserter(words));
  return words;
}

struct Pty {
  Descriptor master;
  Descriptor slave;
};

Result<Pty> open_pty() {
  Pty pty;
  pty.master = Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64];
  if (!pty.master || ::grantpt(pty.master.get()) != 0 || ::unlockpt(pty.master.get()) != 0 ||
      ::ptsname_r(pty.master.get(), name, sizeof name) != 0)
    return fail(Errc::Io, "cannot open a terminal: {}", message_of(errno));
  pty.slave = Descriptor(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty.slave) return fail(Errc::Io, "cannot open the terminal {}: {}", name, message_of(errno));
  const winsize size{kRows, kColumns, 0, 0};
  ::ioctl(pty.master.get(), TIOCSWINSZ, &size);
  return pty;
}

Result<Descriptor> make_filter_file() {
  Descriptor file(::memfd_create("filter", MFD_CLOEXEC));
  const std::string filter = make_seccomp_filter();
  if (!file ||
      ::write(file.get(), filter.data(), filter.size()) != static_cast<ssize_t>(filter.size()))
    return fail(Errc::Io, "cannot make the filter of system calls: {}", message_of(errno));
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

struct Spawned {
  pid_t supervisor = 0;
  Descriptor process;  // readable once the supervisor has ended
  Descriptor master;
  Descriptor control;
};

// Ends what it holds unless it is taken over.
class SpawnActions {
 public:
  SpawnActions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void use(int descriptor, int as) {
    ::posix_spawn_file_actions_adddup2(&actions_, descriptor, as);
  }
  Result<pid_t> spawn(const std::string& program, std::vector<std::string> words,
                      std::vector<std::string> environment, const std::string& folder) {
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, kFilterDescriptor + 1);
    ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    auto arguments = pointers_to(words);
    auto variables = pointers_to(environment);
    pid_t started = 0;
    const int error = ::posix_spawn(&started, program.c_str(), &actions_, &attributes_,
                                    arguments.data(), variables.data());
    if (error != 0)
      return fail(Errc::Io, "cannot start a command in {}: {}", folder, message_of(error));
    return started;
  }

 private:
  static std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Out of the way of the numbers that the supervisor finds things at.
Descriptor above_ours(const Descriptor& descriptor) {
  return Descriptor(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kFilterDescriptor + 1));
}

Result<Spawned> spawn(const std::string& program, const TerminalRequest& request) {
  auto pty = open_pty();
  if (!pty) return std::unexpected(pty.error());
  auto filter = make_filter_file();
  if (!filter) return std::unexpected(filter.error());
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(Errc::Io, "cannot make a socket: {}", message_of(errno));
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);

  std::vector<std::string> words{"toolgate", std::string(kSupervise),
                                 std::to_string(kMostProcesses), std::to_string(most_memory())};
  std::ranges::move(command_for(request), std::back_inserter(words));
  const Descriptor slave = above_ours(pty->slave);
  const Descriptor control = above_ours(theirs);
  const Descriptor rules = above_ours(*filter);
  SpawnActions actions;
  for (const int standard : {0, 1, 2}) actions.use(slave.get(), standard);
  actions.use(control.get(), kControlDescriptor);
  actions.use(rules.get(), kFilterDescriptor);
  const auto started =
      actions.spawn(program, std::move(words), environment_for(request), request.folder);
  if (!started) return std::unexpected(started.error());
  Spawned spawned{.supervisor = *started,
                  .process = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, *started, 0))),
                  .master = std::move(pty->master),
                  .control = std::move(ours)};
  if (!spawned.process) {
    const int error = errno;
    spawned.control.close();
    int unused = 0;
    ::waitpid(*started, &unused, 0);
    return fail(Errc::Io, "cannot watch a command: {}", message_of(error));
  }
  return spawned;
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

  void attach(Spawned spawned) {
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
    if (word == "limit" && view_.ended_by.empty()) view_.ended_by = rest;
  }

  Task<> wait_for_end() {
    co_await process_.async_wait(Stream::wait_read, kAwait);
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(supervisor_), &info, WEXITED) != 0)
      if (errno != EINTR) break;
    error_code ignored;
    master_.cancel(ignored);
    control_.cancel(ignored);
    take_messages();
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
  TerminalText text_{kRows};
  TerminalView view_;
  bool is_running_ = true;
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
    auto spawned = spawn(program, request);
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
                                                const std::string& title) {
    for (auto each = all.rbegin(); each != all.rend(); ++each) {
      const TerminalRequest& request = (*each)->request();
      if (!belongs(**each, owner)) continue;
      if (!owner.session.empty() && request.owner.session != owner.session) continue;
      if (which == Which::Task && request.title.empty()) continue;
      if (which == Which::Test && !is_test_command(words_of(request), request.title)) continue;
      if (!title.empty() && request.title != title) continue;
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

Task<Result<TerminalView>> Terminals::latest(TerminalOwner owner, Which which, std::string title) {
  co_return co_await run_on(impl_->loop, [&]() -> Result<TerminalView> {
    auto found = impl_->find_latest(owner, which, title);
    if (!found) return std::unexpected(found.error());
    return (*found)->view();
  });
}

}  // namespace toolgate
