#include "builtin/sandboxed_reader.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "builtin/seccomp_filter.h"

namespace toolgate {
namespace {

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment)
    if (entry.starts_with(name) && entry.substr(name.size(), 1) == "=")
      return entry.substr(name.size() + 1);
  return {};
}

void set(std::vector<std::string>& environment, std::string_view name, std::string_view value) {
  std::erase_if(environment, [&](const std::string& entry) {
    return entry.starts_with(name) && entry.substr(name.size(), 1) == "=";
  });
  environment.push_back(fmt::format("{}={}", name, value));
}

}  // namespace

ChildCommand make_sandboxed_reader(ChildCommand command, const SandboxSettings& settings,
                                   const Workspace& workspace) {
  std::vector<std::string> programs;
  std::ranges::copy_if(command.arguments, std::back_inserter(programs),
                       [](const std::string& word) { return word.starts_with('/'); });
  const std::string home = value_of(command.environment, "HOME");
  SandboxPlan plan = make_sandbox_plan({.settings = settings,
                                        .workspace = workspace,
                                        .home = home.empty() ? "/nonexistent" : home,
                                        .folder = command.folder,
                                        .seccomp = kAttachedDescriptor,
                                        .only_reads = true,
                                        .search_path = value_of(command.environment, "PATH"),
                                        .programs = std::move(programs)});
  std::vector<std::string> words{find_bubblewrap()};
  std::ranges::move(plan.arguments, std::back_inserter(words));
  std::ranges::move(limiting_shell(settings.processes), std::back_inserter(words));
  std::ranges::move(command.arguments, std::back_inserter(words));
  command.arguments = std::move(words);
  command.attached = make_seccomp_filter();
  set(command.environment, "TMPDIR", "/tmp");
  set(command.environment, "XDG_CACHE_HOME", kSandboxCache);
  return command;
}

}  // namespace toolgate
