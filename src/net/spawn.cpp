#include "net/spawn.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace toolgate {
namespace {

// posix_spawn's two lists of what the new process does before it becomes the program.
class SpawnPlan {
 public:
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  void use(const Descriptor& descriptor, int as) {
    note(::posix_spawn_file_actions_adddup2(&actions_, descriptor.get(), as));
  }
  // Asio opens sockets that a new program would inherit, so it is not enough that ours are closed
  // on exec.
  void close_from(int first) { note(::posix_spawn_file_actions_addclosefrom_np(&actions_, first)); }
  void change_to(const std::string& folder) {
    note(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()));
  }
  // A session of its own, away from our terminal, and signals as every program expects them.
  void detach() {
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    note(::posix_spawnattr_setsigdefault(&attributes_, &all));
    note(::posix_spawnattr_setsigmask(&attributes_, &none));
    note(::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
  }

  std::expected<pid_t, int> spawn(const ChildCommand& command) {
    if (error_ != 0) return std::unexpected(error_);
    auto arguments = pointers_to(command.arguments);
    auto environment = pointers_to(command.environment);
    pid_t started = 0;
    const int error = ::posix_spawnp(&started, arguments[0], &actions_, &attributes_,
                                     arguments.data(), environment.data());
    if (error != 0) return std::unexpected(error);
    return started;
  }

 private:
  void note(int error) {
    if (error_ == 0) error_ = error;
  }
  static std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  int error_ = 0;
};

// The system says the same of a missing program and of a missing folder.
std::unexpected<Error> refuse_start(const ChildCommand& command, int error) {
  const std::string& program = command.arguments[0];
  std::error_code ignored;
  if (!command.folder.empty() && !std::filesystem::is_directory(command.folder, ignored))
    return fail_at(program, Errc::Io, "cannot run '{}': there is no folder '{}'", program,
                   command.folder);
  return fail_at(program, Errc::Io, "cannot run '{}': {}", program, system_message(error));
}

}  // namespace

std::string system_message(int error) {
  return std::generic_category().message(error);
}

bool move_above_standard(Descriptor& descriptor) {
  if (descriptor.get() > STDERR_FILENO) return true;
  descriptor = Descriptor(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return static_cast<bool>(descriptor);
}

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(Errc::Io, "cannot make a pipe: {}", system_message(errno));
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  if (!move_above_standard(pipe.read) || !move_above_standard(pipe.write))
    return fail(Errc::Io, "cannot make a pipe: {}", system_message(errno));
  return pipe;
}

Result<Descriptor> make_memory_file(std::string_view text) {
  Descriptor file(::memfd_create("input", MFD_CLOEXEC));
  if (!file || !move_above_standard(file))
    return fail(Errc::Io, "cannot make a file in memory: {}", system_message(errno));
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return fail(Errc::Io, "cannot write a file in memory: {}", system_message(errno));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

ProcessGroup::~ProcessGroup() {
  if (leader_ == 0) return;
  signal(SIGKILL);
  siginfo_t unused{};
  wait(unused);
}

Result<Descriptor> ProcessGroup::watch() const {
  // Not pidfd_open(): glibc 2.36 declares it for C only.
  Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, leader_, 0)));
  if (!process) return fail(Errc::Io, "cannot watch a program: {}", system_message(errno));
  return process;
}

Result<siginfo_t> ProcessGroup::reap() {
  siginfo_t info{};
  if (!wait(info))
    return fail(Errc::Io, "how a program ended is not known: {}", system_message(errno));
  return info;
}

bool ProcessGroup::wait(siginfo_t& info) {
  const auto leader = static_cast<id_t>(std::exchange(leader_, 0));
  int waited = 0;
  do {
    waited = ::waitid(P_PID, leader, &info, WEXITED);
  } while (waited != 0 && errno == EINTR);
  return waited == 0;
}

Result<void> check_command(const ChildCommand& command) {
  if (command.arguments.empty() || command.arguments[0].empty())
    return fail(Errc::InvalidRequest, "a command names no program");
  const auto has_zero = [](const std::string& text) { return text.contains('\0'); };
  if (std::ranges::any_of(command.arguments, has_zero) ||
      std::ranges::any_of(command.environment, has_zero) || has_zero(command.folder))
    return fail(Errc::InvalidRequest, "a zero byte cannot be handed to the program '{}'",
                command.arguments[0].c_str());
  return {};
}

Result<ProcessGroup> spawn_detached(const ChildCommand& command, const Descriptor& input,
                                    const Descriptor& output, const Descriptor& error) {
  SpawnPlan plan;
  plan.use(input, STDIN_FILENO);
  plan.use(output, STDOUT_FILENO);
  plan.use(error, STDERR_FILENO);
  Descriptor attached;
  if (!command.attached.empty()) {
    auto file = make_memory_file(command.attached);
    if (!file) return std::unexpected(std::move(file.error()));
    attached = std::move(*file);
    plan.use(attached, kAttachedDescriptor);
  }
  plan.close_from(attached ? kAttachedDescriptor + 1 : STDERR_FILENO + 1);
  if (!command.folder.empty()) plan.change_to(command.folder);
  plan.detach();
  const auto leader = plan.spawn(command);
  if (!leader) return refuse_start(command, leader.error());
  return ProcessGroup(*leader);
}

}  // namespace toolgate
