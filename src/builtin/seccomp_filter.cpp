#include "builtin/seccomp_filter.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <vector>

namespace toolgate {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;
#endif

// Calls of x32, the other way to number them on x86-64, have this bit.
constexpr std::uint32_t kForeignNumbers = 0x40000000;
constexpr std::uint32_t kAnyNamespace = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                        CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP;

constexpr std::array kRefused{
    // other processes' memory, descriptors and keys
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // mounts and namespaces
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsmount,
    SYS_fsconfig,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_unshare,
    SYS_setns,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    // large parts of the kernel that commands do not need
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_fanotify_init,
    SYS_quotactl,
    SYS_lookup_dcookie,
    // the machine as a whole
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_syslog,
    SYS_vhangup,
    SYS_nfsservctl,
#if defined(__x86_64__)
    SYS_kexec_file_load,
    SYS_iopl,
    SYS_ioperm,
    SYS_uselib,
    SYS_modify_ldt,
    SYS__sysctl,
#endif
};

// Others reach the host or the hypervisor past the namespace of the network.
constexpr std::array kFamilies{AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

constexpr std::uint32_t kOwnersRights = S_ISUID | S_ISGID;
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

// A call, and which of its arguments is a mode (or, of those that create, the flags before it).
struct ModeArgument {
  long call;
  std::size_t index;
};
constexpr ModeArgument kModeArguments[] = {
    {SYS_fchmod, 1}, {SYS_fchmodat, 2}, {SYS_fchmodat2, 2}, {SYS_mkdirat, 2}, {SYS_mknodat, 2},
#if defined(__x86_64__)
    {SYS_chmod, 1},  {SYS_creat, 1},    {SYS_mkdir, 1},     {SYS_mknod, 1},
#endif
};
constexpr ModeArgument kCreating[] = {
    {SYS_openat, 2},
#if defined(__x86_64__)
    {SYS_open, 1},
#endif
};

class FilterWriter {
 public:
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void refuse(int error) {
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  }
  void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  void refuse_if(std::uint16_t comparison, std::uint32_t value, int error) {
    add(static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K), value, 0, 1);
    refuse(error);
  }
  void refuse_unless(std::uint32_t value, int error) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    refuse(error);
  }
  // The next `count` instructions are only for this value.
  void only_for(std::uint32_t value, std::uint8_t count) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
  }
  void allow_if(std::uint32_t value) {
    only_for(value, 1);
    allow();
  }

  void allow_unless_set(std::uint32_t bits) {
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    allow();
  }

  std::string bytes() const {
    return {reinterpret_cast<const char*>(program_.data()), program_.size() * sizeof(sock_filter)};
  }

 private:
  void add(std::uint16_t code, std::uint32_t value, std::uint8_t if_true = 0,
           std::uint8_t if_false = 0) {
    program_.push_back({code, if_true, if_false, value});
  }

  std::vector<sock_filter> program_;
};

// The low half of an argument: all the kernel looks at in these calls.
std::size_t argument(std::size_t index) {
  return offsetof(seccomp_data, args) + index * sizeof(std::uint64_t);
}

}  // namespace

std::string make_seccomp_filter() {
  if constexpr (kMachine == 0) return {};
  FilterWriter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.refuse_unless(kMachine, ENOSYS);
  filter.load(offsetof(seccomp_data, nr));
  filter.refuse_if(BPF_JGE, kForeignNumbers, ENOSYS);
  for (const long call : kRefused)
    filter.refuse_if(BPF_JEQ, static_cast<std::uint32_t>(call), EPERM);
  // Its flags lie in memory, where a filter cannot look; libraries then use clone().
  filter.refuse_if(BPF_JEQ, SYS_clone3, ENOSYS);

  filter.only_for(SYS_clone, 4);
  filter.load(argument(0));
  filter.refuse_if(BPF_JSET, kAnyNamespace, EPERM);
  filter.allow();

  // Both put words into the mouth of whoever reads the terminal.
  filter.only_for(SYS_ioctl, 6);
  filter.load(argument(1));
  filter.refuse_if(BPF_JEQ, TIOCSTI, EPERM);
  filter.refuse_if(BPF_JEQ, TIOCLINUX, EPERM);
  filter.allow();

  filter.only_for(SYS_socket, 2 + 2 * kFamilies.size());
  filter.load(argument(0));
  for (const int family : kFamilies) filter.allow_if(static_cast<std::uint32_t>(family));
  filter.refuse(EAFNOSUPPORT);

  // A program that runs as its owner, left in the workspace, would outlive the sandbox.
  for (const auto& [call, index] : kModeArguments) {
    filter.only_for(static_cast<std::uint32_t>(call), 4);
    filter.load(argument(index));
    filter.refuse_if(BPF_JSET, kOwnersRights, EPERM);
    filter.allow();
  }
  for (const auto& [call, flags] : kCreating) {
    filter.only_for(static_cast<std::uint32_t>(call), 7);
    filter.load(argument(flags));
    filter.allow_unless_set(O_CREAT);
    filter.load(argument(flags + 1));
    filter.refuse_if(BPF_JSET, kOwnersRights, EPERM);
    filter.allow();
  }
  filter.refuse_if(BPF_JEQ, SYS_openat2, ENOSYS);

  filter.allow();
  return filter.bytes();
}

}  // namespace toolgate
