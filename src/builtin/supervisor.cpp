#include "builtin/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "builtin/placeholder_folders.h"

namespace toolgate {
namespace {

constexpr int kLookMilliseconds = 20;
constexpr int kEndMilliseconds = 10;
constexpr int kMostEndRounds = 1'000;  // then what is left cannot be ended by anyone
constexpr rlim_t kMostFileBytes = rlim_t{16} << 30;
constexpr rlim_t kMostOpenFiles = 8'192;
constexpr rlim_t kMostAddressBytes = rlim_t{64} << 40;  // sanitizers reserve some 20 TiB

std::string read_small_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string text;
  char block[4096];
  for (ssize_t size = 0; (size = ::read(file, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(size));
  ::close(file);
  return text;
}

std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error == std::errc()) numbers.push_back(number);
    at = error == std::errc() ? next : at + 1;
  }
  return numbers;
}

// The names of a folder of /proc that are numbers.
std::vector<pid_t> numbers_below(const std::string& folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), ::closedir);
  if (!stream) return numbers;
  while (const dirent* entry = ::readdir(stream.get()))
    if (const int number = std::atoi(entry->d_name); number > 0) numbers.push_back(number);
  return numbers;
}

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
};

// 0: there is no such process.
pid_t parent_of(pid_t process) {
  const std::string stat = read_small_file(fmt::format("/proc/{}/stat", process));
  const auto name_end = stat.rfind(") ");
  if (name_end == stat.npos || name_end + 4 > stat.size()) return 0;
  return std::atoi(stat.c_str() + name_end + 4);
}

void append_children(pid_t process, std::vector<Process>& found) {
  const std::string tasks = fmt::format("/proc/{}/task", process);
  for (const pid_t task : numbers_below(tasks))
    for (const std::int64_t child :
         numbers_in(read_small_file(fmt::format("{}/{}/children", tasks, task))))
      found.push_back({static_cast<pid_t>(child), process});
}

// Where the kernel keeps no lists of children: by looking at everyone's parent.
void append_children_by_search(std::vector<Process>& found) {
  std::vector<Process> all;
  for (const pid_t process : numbers_below("/proc")) all.push_back({process, parent_of(process)});
  for (std::size_t i = 0; i <= found.size(); ++i) {
    const pid_t parent = i == 0 ? ::getpid() : found[i - 1].id;
    for (const Process& process : all)
      if (process.parent == parent) found.push_back(process);
  }
}

// Everything that was started below us. Orphans are our children, so nobody gets away by leaving
// their parent or session. Parents stand before their children. At most some more than `most`.
std::vector<Process> descendants(std::size_t most) {
  static const bool kHasLists =
      ::access(fmt::format("/proc/self/task/{}/children", ::getpid()).c_str(), R_OK) == 0;
  std::vector<Process> found;
  if (!kHasLists) {
    append_children_by_search(found);
    return found;
  }
  append_children(::getpid(), found);
  for (std::size_t i = 0; i < found.size() && found.size() <= most; ++i)
    append_children(found[i].id, found);
  return found;
}

// Shared pages count in parts where the cheap sum, which counts them in full, is too much.
std::uint64_t memory_of(const std::vector<Process>& processes, std::uint64_t limit) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t cheap = 0;
  for (const Process& process : processes) {
    const auto fields = numbers_in(read_small_file(fmt::format("/proc/{}/statm", process.id)));
    if (fields.size() > 2) cheap += static_cast<std::uint64_t>(fields[1] - fields[2]) * page;
  }
  if (cheap <= limit) return cheap;
  std::uint64_t exact = 0;
  for (const Process& process : processes) {
    const std::string rollup = read_small_file(fmt::format("/proc/{}/smaps_rollup", process.id));
    if (const auto at = rollup.find("\nPss_Anon:"); at != rollup.npos)
      exact += static_cast<std::uint64_t>(std::atoll(rollup.c_str() + at + 10)) * 1024;
  }
  return exact;
}

class Supervisor {
 public:
  Supervisor(std::size_t most_processes, std::uint64_t most_memory, char** command)
      : most_processes_(most_processes), most_memory_(most_memory), command_(command) {}

  int run() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::setpriority(PRIO_PROCESS, 0, -10);  // if we may: we must not starve beside what we watch
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    const int signals = ::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
    leader_ = ::fork();
    if (leader_ == 0) become_command();
    if (leader_ < 0) {
      tell(fmt::format("failed cannot start a process: {}", std::strerror(errno)));
      return 1;
    }
    let_go_of_terminal();
    watch(signals);
    end_all();
    return 0;
  }

 private:
  static void tell(const std::string& message) {
    (void)::send(kControlDescriptor, message.data(), message.size(), MSG_NOSIGNAL);
  }

  static void limit(__rlimit_resource what, rlim_t most) {
    rlimit now{};
    ::getrlimit(what, &now);
    const rlim_t value = std::min(most, now.rlim_max);
    const rlimit next{value, value};
    ::setrlimit(what, &next);
  }

  [[noreturn]] void become_command() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would watch over it
    ::setpriority(PRIO_PROCESS, 0, 0);
    ::setsid();
    ::ioctl(STDIN_FILENO, TIOCSCTTY, 0);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, kMostFileBytes);
    limit(RLIMIT_NOFILE, kMostOpenFiles);
    limit(RLIMIT_AS, kMostAddressBytes);
    // When memory runs out, the command goes before the gateway does.
    if (const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0)
      (void)!::write(file, "1000", 4);
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::fcntl(kControlDescriptor, F_SETFD, FD_CLOEXEC);
    ::execv(command_[0], command_);
    const int error = errno;
    tell(fmt::format("failed cannot run {}: {}", command_[0], std::strerror(error)));
    ::_exit(127);
  }

  // So that the terminal is closed when the command's processes have closed it.
  static void let_go_of_terminal() {
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {0, 1, 2}) ::dup2(nothing, standard);
    ::close(kFilterDescriptor);
  }

  void watch(int signals) {
    while (!leader_has_ended_) {
      pollfd sources[2] = {{signals, POLLIN, 0}, {kControlDescriptor, POLLIN, 0}};
      ::poll(sources, 2, kLookMilliseconds);
      signalfd_siginfo ignored[8];
      while (::read(signals, ignored, sizeof ignored) > 0) continue;
      reap();
      if (leader_has_ended_) return;
      char byte = 0;
      if (sources[1].revents != 0 && ::recv(kControlDescriptor, &byte, 1, MSG_DONTWAIT) <= 0)
        return;
      if (is_over_limits()) return;
    }
  }

  // In a sandbox one look at its own /proc: a fork bomb leaves no time for more. 0: not known.
  std::size_t processes_in_sandbox() const {
    std::vector<Process> children;
    append_children(leader_, children);
    if (children.empty()) return 0;
    return numbers_below(fmt::format("/proc/{}/root/proc", children.front().id)).size();
  }
  bool tell_too_many() const {
    tell(fmt::format("limit it had more than {} processes", most_processes_));
    return true;
  }

  bool is_over_limits() {
    if (is_sandboxed_ && processes_in_sandbox() > most_processes_) return tell_too_many();
    const std::vector<Process> all = descendants(most_processes_);
    if (all.size() > most_processes_) return tell_too_many();
    if (memory_of(all, most_memory_) > most_memory_) {
      tell(fmt::format("limit it took more than {} MiB of memory", most_memory_ >> 20));
      return true;
    }
    return false;
  }

  // False: there is nobody left.
  bool reap() {
    for (;;) {
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, WNOHANG);
      if (ended == 0) return true;
      if (ended < 0) return errno == EINTR;
      if (ended == leader_) {
        leader_has_ended_ = true;
        tell(WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                 : fmt::format("exit {}", WEXITSTATUS(status)));
      }
    }
  }

  // Stopped first, so that what forks as fast as it can does not outrun us.
  void end_all() {
    // The end of bubblewrap is the end of its sandbox, at once.
    if (!leader_has_ended_) ::kill(leader_, SIGKILL);
    for (int round = 0; round < kMostEndRounds && reap(); ++round) {
      const std::vector<Process> all = descendants(SIZE_MAX);
      for (const Process& process : all) signal_child(process.id, process.parent, SIGSTOP);
      for (const Process& process : all) signal_child(process.id, process.parent, SIGKILL);
      const timespec pause{0, kEndMilliseconds * 1'000'000L};
      ::nanosleep(&pause, nullptr);
    }
  }

  const std::size_t most_processes_;
  const std::uint64_t most_memory_;
  char** command_;
  const bool is_sandboxed_ = std::string_view(command_[0]).ends_with("/bwrap");
  pid_t leader_ = 0;
  bool leader_has_ended_ = false;
};

}  // namespace

// The descriptor stands for the process that has the number now, whatever becomes of the number; so
// what is looked at after it was opened is that process, or it is gone and gets no signal.
bool signal_child(pid_t process, pid_t parent, int signal) {
  const auto file = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (file < 0 && (errno == ESRCH || errno == EINVAL)) return false;
  const pid_t now = parent_of(process);
  bool is_sent = now != 0 && (now == parent || now == ::getpid());
  if (is_sent && file >= 0)
    is_sent = ::syscall(SYS_pidfd_send_signal, file, signal, nullptr, 0) == 0;
  else if (is_sent)  // a kernel before 5.3, or too many open files
    is_sent = ::kill(process, signal) == 0;
  if (file >= 0) ::close(file);
  return is_sent;
}

int supervise_command(int count, char** arguments) {
  int command = 3;
  while (command + 1 < count && arguments[command] == kPlaceholder) command += 2;
  if (command >= count) {
    std::fputs("toolgate starts this by itself; it is no command for people\n", stderr);
    return 2;
  }
  PlaceholderFolders placeholders;
  for (int i = 3; i < command; i += 2) placeholders.add(arguments[i + 1]);
  return Supervisor(std::strtoull(arguments[1], nullptr, 10),
                    std::strtoull(arguments[2], nullptr, 10), arguments + command)
      .run();
}

}  // namespace toolgate
