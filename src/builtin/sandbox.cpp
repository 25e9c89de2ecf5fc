#include "builtin/sandbox.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "builtin/below.h"
#include "builtin/placeholder_folders.h"
#include "builtin/seccomp_filter.h"
#include "invoke/real_path.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

// Written by commands, kept in memory, gone afterwards.
constexpr std::string_view kTemporaryBytes = "536870912";
constexpr std::string_view kSmallBytes = "67108864";

// Below the workspace. What stands in them is run or obeyed by programs outside the sandbox.
constexpr std::array<std::string_view, 2> kObeyedFolders{".vscode", ".toolgate"};
constexpr std::array<std::string_view, 2> kObeyedIfThere{".git/hooks", ".git/config"};

constexpr std::array<std::string_view, 3> kSharedPlaces{"/tmp", "/var/tmp", "/run"};
constexpr std::uint64_t kLeastProcessLimit = 4'096;  // of the kernel's, which counts threads too

std::string real(const std::string& path) {
  std::string found = find_real_path(fs::path(path).lexically_normal()).path;
  while (found.size() > 1 && found.ends_with('/')) found.pop_back();
  return found;
}

enum class Kind { Missing, Folder, Other };
Kind kind_of(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (error || !fs::exists(status)) return Kind::Missing;
  return fs::is_directory(status) ? Kind::Folder : Kind::Other;
}

// Listening sockets are files that a read-only file system does not protect.
std::set<std::string> socket_files() {
  std::set<std::string> files;
  std::ifstream table("/proc/net/unix");
  for (std::string line; std::getline(table, line);)
    if (const auto at = line.find(" /"); at != line.npos) files.insert(line.substr(at + 1));
  return files;
}

bool is_in_shared_place(std::string_view path) {
  return std::ranges::any_of(kSharedPlaces, [&](std::string_view place) {
    return path != place && is_below(path, place);
  });
}

// What has to be there with a program: the modules around it, or the folder that it is in.
std::string installation_of(const std::string& program) {
  const fs::path path = fs::path(program).lexically_normal();
  fs::path walked;
  for (const fs::path& part : path) {
    walked /= part;
    if (part == "node_modules") return walked.string();
  }
  const std::string folder = path.parent_path().string();
  return is_in_shared_place(folder) ? folder : path.string();
}

class SandboxPlanner {
 public:
  explicit SandboxPlanner(const SandboxRequest& request)
      : request_(request), settings_(request.settings), workspace_(request.workspace) {
    for (const std::string& root : workspace_.roots()) add_bound(root);
    if (!request.only_reads)
      for (const std::string& path : settings_.writable) add_bound(path);
    std::ranges::sort(bound_);  // outer folders first
    for (const std::string& path : workspace_.hidden()) hide(path, true);
    for (const std::string& path : usual_secrets()) hide(expand(path), false);
    for (const std::string& path : settings_.hidden) hide(path, true);
  }

  SandboxPlan make() {
    add({"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
         "--unshare-cgroup-try"});
    if (!settings_.network) add({"--unshare-net"});
    add({"--disable-userns", "--cap-drop", "ALL", "--die-with-parent", "--hostname", "sandbox"});
    add({"--ro-bind", "/", "/"});
    // What is bound may be below /dev/shm, or have /dev in it.
    const bool is_dev_bound = is_bound("/dev");
    if (!is_dev_bound) make_devices();
    cover_shared_places();
    for (const std::string& path : hidden_)
      if (!is_bound(path)) cover(path);
    for (const std::string& path : bound_)
      add({request_.only_reads ? "--ro-bind" : "--bind", path, path});
    for (const std::string& path : hidden_)
      if (is_bound(path)) cover(path);
    if (request_.only_reads)
      make_cache();
    else
      protect_obeyed();
    if (is_dev_bound) make_devices();
    add({"--remount-ro", "/dev", "--proc", "/proc"});
    // A command that runs as root owns /proc/sys, and owning is enough to change the machine.
    add({"--remount-ro", "/proc"});
    if (request_.seccomp >= 0) add({"--seccomp", std::to_string(request_.seccomp)});
    add({"--chdir", real(request_.folder), "--"});
    return std::move(plan_);
  }

 private:
  void make_devices() {
    add({"--dev", "/dev", "--size", kSmallBytes, "--perms", "1777", "--tmpfs", "/dev/shm"});
  }

  void add(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) plan_.arguments.emplace_back(word);
  }

  std::string expand(const std::string& path) const {
    return path.starts_with("~/") ? request_.home + path.substr(1) : path;
  }

  void add_bound(const std::string& path) {
    std::string found = real(path);
    // All of the machine can be read anyway, but for what this would bring back.
    if (request_.only_reads && found == "/") return;
    if (kind_of(found) != Kind::Missing) bound_.push_back(std::move(found));
  }
  bool is_bound(std::string_view path) const { return is_below_any(path, bound_); }

  // What might come into being must be covered too where a command could make it.
  void hide(const std::string& path, bool even_if_missing) {
    if (!path.starts_with('/')) return;
    std::string found = real(path);
    const bool can_be_made = even_if_missing && !request_.only_reads && is_bound(found);
    if (kind_of(found) != Kind::Missing || can_be_made) hidden_.insert(std::move(found));
  }

  void cover(const std::string& path) {
    const bool is_hidden_already = std::ranges::any_of(hidden_, [&](const std::string& other) {
      return other != path && is_below(path, other) && !is_rebound_below(other, path);
    });
    if (is_hidden_already) return;
    if (kind_of(path) == Kind::Other) {
      add({"--ro-bind", "/dev/null", path});
    } else {
      note_placeholder(path);
      add({"--size", kSmallBytes, "--perms", "0700", "--tmpfs", path});
    }
  }
  // Whether a folder that is bound inside `outer` brings `path` back.
  bool is_rebound_below(std::string_view outer, std::string_view path) const {
    return std::ranges::any_of(bound_, [&](const std::string& root) {
      return root != outer && is_below(root, outer) && is_below(path, root);
    });
  }

  // Places where other programs leave sockets and files for each other.
  void cover_shared_places() {
    add({"--size", kTemporaryBytes, "--perms", "1777", "--tmpfs", "/tmp"});
    if (kind_of("/var/tmp") == Kind::Folder)
      add({"--size", kSmallBytes, "--perms", "1777", "--tmpfs", "/var/tmp"});
    if (kind_of("/run") == Kind::Folder) add({"--size", kSmallBytes, "--tmpfs", "/run"});
    keep_name_service();
    keep_programs();
    for (const std::string& path : socket_files()) {
      const bool is_covered =
          (is_in_shared_place(path) || is_below(path, "/var/run")) && !is_kept(path);
      if (!is_covered && kind_of(path) == Kind::Other && real(path) == path && !is_bound(path))
        hidden_.insert(path);
    }
  }

  // With a network, names are found through a file that often lies below /run.
  void keep_name_service() {
    if (!settings_.network) return;
    const std::string found = real("/etc/resolv.conf");
    if (is_below(found, "/run") && kind_of(found) == Kind::Other) add({"--ro-bind", found, found});
  }

  // Some managers of versions put their programs below /run, and people try things out in /tmp.
  void keep_programs() {
    std::string_view rest = request_.search_path;
    while (!rest.empty()) {
      const std::size_t end = rest.find(':');
      keep(fs::path(rest.substr(0, end)).lexically_normal().string());
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    for (const std::string& program : request_.programs)
      for (const std::string& path : {program, real(program)})
        if (is_in_shared_place(path)) keep(installation_of(path));
  }
  void keep(std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const std::string found = real(path);
    if (!is_in_shared_place(path) || kind_of(found) == Kind::Missing || is_kept(path)) return;
    // A link out of a place like that may lead back to all of it.
    if (std::ranges::any_of(kSharedPlaces, [&](auto place) { return is_below(place, found); }))
      return;
    add({"--ro-bind", found, path});
    kept_.push_back(std::move(path));
  }
  bool is_kept(std::string_view path) const {
    return std::ranges::any_of(kept_,
                               [&](const std::string& kept) { return is_below(path, kept); });
  }

  void make_cache() {
    if (is_bound("/tmp")) return;
    add({"--dir", kSandboxCache});
    // Here pip's pyright has its program.
    const std::string pyright = expand("~/.cache/pyright-python");
    if (kind_of(pyright) == Kind::Folder)
      add({"--symlink", pyright, std::string(kSandboxCache) + "/pyright-python"});
  }

  void protect_obeyed() {
    for (const std::string& root : workspace_.roots()) {
      const std::string base = real(root);
      for (const std::string_view name : kObeyedFolders) protect(base, name, true);
      // A place where something is mounted cannot be moved away and replaced.
      const std::string git = base + "/.git";
      if (kind_of(git) == Kind::Folder) add({"--bind", git, git});
      for (const std::string_view name : kObeyedIfThere) protect(base, name, false);
    }
  }
  void protect(const std::string& base, std::string_view name, bool even_if_missing) {
    const std::string named = base + "/" + std::string(name);
    const std::string found = real(named);
    if (kind_of(found) != Kind::Missing && !is_placeholder(found)) {
      if (is_bound(found)) add({"--ro-bind", found, found});
    } else if (even_if_missing && found == named && kind_of(base) == Kind::Folder) {
      note_placeholder(named);
      add({"--size", kSmallBytes, "--tmpfs", named, "--remount-ro", named});
    }
  }
  void note_placeholder(const std::string& path) {
    const bool is_wanted = kind_of(path) == Kind::Missing || is_placeholder(path);
    if (is_wanted && is_bound(path) &&
        kind_of(fs::path(path).parent_path().string()) == Kind::Folder)
      plan_.placeholders.push_back(path);
  }

  const SandboxRequest& request_;
  const SandboxSettings& settings_;
  const Workspace& workspace_;
  std::vector<std::string> bound_;  // what is as it is outside, or read-only; free of links
  std::set<std::string> hidden_;    // free of links; outer folders first
  std::vector<std::string> kept_;   // below shared places, as they are named
  SandboxPlan plan_;
};

// How a program ended that says nothing and reads nothing; -1: it could not be run.
int run_quietly(std::vector<std::string> words) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {0, 1, 2})
    ::posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t started = 0;
  const int error =
      ::posix_spawn(&started, pointers[0], &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (::waitpid(started, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The parts of a sandbox that a machine may refuse, around a program that does nothing.
constexpr std::array<std::string_view, 24> kProbe{"--unshare-user",
                                                  "--unshare-pid",
                                                  "--unshare-ipc",
                                                  "--unshare-uts",
                                                  "--unshare-net",
                                                  "--disable-userns",
                                                  "--cap-drop",
                                                  "ALL",
                                                  "--die-with-parent",
                                                  "--ro-bind",
                                                  "/",
                                                  "/",
                                                  "--size",
                                                  "65536",
                                                  "--perms",
                                                  "1777",
                                                  "--tmpfs",
                                                  "/tmp",
                                                  "--proc",
                                                  "/proc",
                                                  "--remount-ro",
                                                  "/proc",
                                                  "--",
                                                  "/bin/true"};

std::string look_for_fault() {
  const std::string program = find_bubblewrap();
  if (program.empty()) return "bubblewrap is not installed; install the package bubblewrap";
  if (make_seccomp_filter().empty())
    return "there is no filter of system calls for this kind of machine";
  std::vector<std::string> words{program};
  for (const std::string_view word : kProbe) words.emplace_back(word);
  if (run_quietly(std::move(words)) != 0)
    return "bubblewrap cannot make a sandbox here; it needs user namespaces (see the setting "
           "kernel.unprivileged_userns_clone and the container's rules) and version 0.8 or newer";
  return {};
}

}  // namespace

const std::vector<std::string>& usual_secrets() {
  static const std::vector<std::string> kPaths{
      "~/.ssh",
      "~/.gnupg",
      "~/.aws",
      "~/.azure",
      "~/.config/gcloud",
      "~/.config/gh",
      "~/.config/hub",
      "~/.config/glab-cli",
      "~/.config/git/credentials",
      "~/.config/github-copilot",
      "~/.config/op",
      "~/.config/rclone",
      "~/.config/doctl",
      "~/.config/containers",
      "~/.config/google-chrome",
      "~/.config/chromium",
      "~/.mozilla",
      "~/.thunderbird",
      "~/.local/share/keyrings",
      "~/.password-store",
      "~/.netrc",
      "~/.git-credentials",
      "~/.docker",
      "~/.kube",
      "~/.npmrc",
      "~/.yarnrc.yml",
      "~/.pypirc",
      "~/.pgpass",
      "~/.my.cnf",
      "~/.s3cfg",
      "~/.boto",
      "~/.vault-token",
      "~/.terraform.d",
      "~/.terraformrc",
      "~/.cargo/credentials",
      "~/.cargo/credentials.toml",
      "~/.gem/credentials",
      "~/.m2/settings.xml",
      "~/.gradle/gradle.properties",
      "~/.bash_history",
      "~/.zsh_history",
      "~/.python_history",
      "~/.node_repl_history",
      "~/.psql_history",
      "~/.claude",
      "~/.claude.json",
      "~/.codex",
      "~/.copilot",
      "/etc/shadow",
      "/etc/shadow-",
      "/etc/gshadow",
      "/etc/gshadow-",
      "/etc/sudoers",
      "/etc/sudoers.d",
      "/etc/ssh",
      "/etc/ssl/private",
      "/var/lib/docker",
      "/var/lib/containerd",
      "/var/spool/cron",
  };
  return kPaths;
}

SandboxPlan make_sandbox_plan(const SandboxRequest& request) {
  return SandboxPlanner(request).make();
}

std::vector<std::string> limiting_shell(std::uint64_t processes) {
  const std::uint64_t most = std::max(processes, kLeastProcessLimit);
  return {::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh", "-c",
          fmt::format("ulimit -c 0; ulimit -u {0} 2>/dev/null || ulimit -p {0} 2>/dev/null; "
                      "exec \"$@\"",
                      most),
          "sh"};
}

std::string find_bubblewrap() {
  // Not from PATH: whoever can set that could hand us something else by the name.
  for (const char* path : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"})
    if (::access(path, X_OK) == 0) return path;
  return {};
}

const std::string& sandbox_fault() {
  static const std::string kFault = look_for_fault();
  return kFault;
}

}  // namespace toolgate
