#include "builtin/terminal_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "builtin/seccomp_filter.h"
#include "builtin/supervisor.h"
#include "net/child_process.h"
#include "net/spawn.h"

namespace toolgate {
namespace {

constexpr std::uint64_t kLeastMemory = std::uint64_t{512} << 20;
constexpr unsigned short kColumns = 160;

std::uint64_t most_memory(const SandboxSettings& settings) {
  if (settings.memory_bytes > 0) return settings.memory_bytes;
  const auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
  const auto size = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PAGESIZE), 0L));
  return std::max(pages * size / 2, kLeastMemory);
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

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

// For the supervisor: what it needs to know, and the program that it starts.
std::vector<std::string> supervised_command(const TerminalRequest& request) {
  std::vector<std::string> words{std::to_string(request.sandbox.processes),
                                 std::to_string(most_memory(request.sandbox))};
  if (request.is_sandboxed) {
    SandboxPlan plan = make_sandbox_plan({.settings = request.sandbox,
                                          .workspace = *request.workspace,
                                          .home = variable("HOME", "/nonexistent"),
                                          .folder = request.folder,
                                          .seccomp = kFilterDescriptor,
                                          .search_path = variable("PATH", "")});
    for (std::string& folder : plan.placeholders) {
      words.emplace_back(kPlaceholder);
      words.push_back(std::move(folder));
    }
    words.push_back(find_bubblewrap());
    std::ranges::move(plan.arguments, std::back_inserter(words));
    std::ranges::move(limiting_shell(request.sandbox.processes), std::back_inserter(words));
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
    return fail(Errc::Io, "cannot open a terminal: {}", system_message(errno));
  pty.slave = Descriptor(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty.slave)
    return fail(Errc::Io, "cannot open the terminal {}: {}", name, system_message(errno));
  const winsize size{kTerminalRows, kColumns, 0, 0};
  ::ioctl(pty.master.get(), TIOCSWINSZ, &size);
  return pty;
}

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

  void use(const Descriptor& descriptor, int as) {
    note(descriptor ? ::posix_spawn_file_actions_adddup2(&actions_, descriptor.get(), as) : EMFILE);
  }
  Result<pid_t> spawn(const std::string& program, std::vector<std::string> words,
                      std::vector<std::string> environment, const std::string& folder) {
    note(::posix_spawn_file_actions_addclosefrom_np(&actions_, kFilterDescriptor + 1));
    note(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()));
    auto arguments = pointers_to(words);
    auto variables = pointers_to(environment);
    pid_t started = 0;
    if (error_ == 0)
      error_ = ::posix_spawn(&started, program.c_str(), &actions_, &attributes_, arguments.data(),
                             variables.data());
    if (error_ != 0)
      return fail(Errc::Io, "cannot start a command in {}: {}", folder, system_message(error_));
    return started;
  }

 private:
  static std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
  }

  // The first thing that went wrong: a command with other descriptors than these must not start.
  void note(int error) {
    if (error_ == 0) error_ = error;
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  int error_ = 0;
};

// Out of the way of the numbers that the supervisor finds things at.
Descriptor above_ours(const Descriptor& descriptor) {
  return Descriptor(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kFilterDescriptor + 1));
}

}  // namespace

Result<SpawnedTerminal> spawn_terminal(const std::string& program, const TerminalRequest& request) {
  auto pty = open_pty();
  if (!pty) return std::unexpected(pty.error());
  auto filter = make_memory_file(make_seccomp_filter());
  if (!filter) return std::unexpected(filter.error());
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(Errc::Io, "cannot make a socket: {}", system_message(errno));
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);

  std::vector<std::string> words{"toolgate", std::string(kSupervise)};
  std::ranges::move(supervised_command(request), std::back_inserter(words));
  const Descriptor slave = above_ours(pty->slave);
  const Descriptor control = above_ours(theirs);
  const Descriptor rules = above_ours(*filter);
  SpawnActions actions;
  for (const int standard : {0, 1, 2}) actions.use(slave, standard);
  actions.use(control, kControlDescriptor);
  actions.use(rules, kFilterDescriptor);
  const auto started =
      actions.spawn(program, std::move(words), environment_for(request), request.folder);
  if (!started) return std::unexpected(started.error());
  SpawnedTerminal spawned{
      .supervisor = *started,
      .process = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, *started, 0))),
      .master = std::move(pty->master),
      .control = std::move(ours)};
  if (!spawned.process) {
    const int error = errno;
    spawned.control.close();
    int unused = 0;
    ::waitpid(*started, &unused, 0);
    return fail(Errc::Io, "cannot watch a command: {}", system_message(error));
  }
  return spawned;
}

}  // namespace toolgate
