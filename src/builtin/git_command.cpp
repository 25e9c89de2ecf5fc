#include "builtin/git_command.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "async/offload.h"
#include "builtin/below.h"
#include "builtin/sandboxed_reader.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::string_view kProgram = "git";
constexpr std::chrono::seconds kTime{20};
// What tells git where it was found to be: the repository cannot say otherwise afterwards.
constexpr std::array kPlaces{"GIT_WORK_TREE", "GIT_DIR", "GIT_COMMON_DIR"};
constexpr int kNotFound = 127;  // a shell's word for it
constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;

// Whatever a repository may have run while its state is read.
const std::array kAlways{
    GitSetting{"core.fsmonitor", "false"},    GitSetting{"core.hooksPath", "/dev/null"},
    GitSetting{"core.pager", "cat"},          GitSetting{"core.sshCommand", "false"},
    GitSetting{"core.editor", "false"},       GitSetting{"core.askPass", "false"},
    GitSetting{"credential.helper", ""},      GitSetting{"protocol.allow", "never"},
    GitSetting{"diff.external", ""},          GitSetting{"color.ui", "false"},
    GitSetting{"submodule.recurse", "false"}, GitSetting{"core.quotePath", "false"},
};

// The environment's settings are as those of the command line: nothing in a repository is stronger.
std::vector<std::string> make_environment(const std::vector<GitSetting>& more,
                                          const std::string& ceiling) {
  auto environment = make_child_environment();
  for (const char* fixed : {"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat",
                            "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "LC_ALL=C.UTF-8"})
    environment.emplace_back(fixed);
  environment.push_back("GIT_CEILING_DIRECTORIES=" + ceiling);
  std::size_t count = 0;
  const auto add = [&](const GitSetting& setting) {
    environment.push_back(fmt::format("GIT_CONFIG_KEY_{}={}", count, setting.name));
    environment.push_back(fmt::format("GIT_CONFIG_VALUE_{}={}", count, setting.value));
    ++count;
  };
  std::ranges::for_each(kAlways, add);
  std::ranges::for_each(more, add);
  environment.push_back(fmt::format("GIT_CONFIG_COUNT={}", count));
  return environment;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) parts.push_back(text);
  return parts;
}

// "/a/b/.." and links: where the folder really is, if tools may see it.
Result<std::string> check_folder(const Workspace& workspace, const std::string& path) {
  auto opened = workspace.open_folder(path);
  if (!opened) return std::unexpected(opened.error());
  return std::move(opened->path);
}

// The root that a folder is in: repositories are not looked for above it.
std::string ceiling_of(const Workspace& workspace, std::string_view folder) {
  for (const std::string& root : workspace.real_roots())
    if (is_below(folder, root)) return std::filesystem::path(root).parent_path().string();
  return "/";
}

std::string first_line(std::string_view text) {
  return visible_text(text.substr(0, text.find('\n')), false);
}

std::unexpected<Error> no_git(std::string_view why) {
  return fail(Errc::Io,
              "this tool needs git, which could not be run ({}); on Debian: apt install git", why);
}

}  // namespace

GitRepository::GitRepository(const Workspace& workspace, std::optional<SandboxSettings> sandbox,
                             std::string folder)
    : workspace_(workspace),
      sandbox_(std::move(sandbox)),
      folder_(std::move(folder)),
      ceiling_(ceiling_of(workspace, folder_)) {}

std::vector<GitSetting> silence_filters(std::string_view listed) {
  constexpr std::string_view kFilter = "filter.";
  std::set<std::string> drivers;
  const auto parts = split(listed, '\0');
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const std::string_view scope = parts[i];
    const std::string_view name = parts[i + 1];
    const bool is_own = scope == "local" || scope == "worktree";
    if (is_own && name.starts_with(kFilter) && name.rfind('.') > kFilter.size())
      drivers.emplace(name.substr(0, name.rfind('.')));
  }
  std::vector<GitSetting> settings;
  for (const std::string& driver : drivers) {
    for (const char* what : {".clean", ".smudge", ".process"})
      settings.push_back({driver + what, ""});
    settings.push_back({driver + ".required", "false"});
  }
  return settings;
}

Task<Result<GitRepository::Output>> GitRepository::run(std::vector<std::string> arguments,
                                                       std::size_t most_bytes,
                                                       const Cancel& cancel) const {
  ChildCommand command;
  command.arguments = {std::string(kProgram), "--no-pager"};
  std::ranges::move(arguments, std::back_inserter(command.arguments));
  command.folder = folder_;
  command.environment = make_environment(settings_, ceiling_);
  std::ranges::copy(places_, std::back_inserter(command.environment));
  command.output_limit = most_bytes;
  command.time_limit = kTime;
  std::size_t seen = 0;
  command.wants_more = [&seen, most_bytes](std::string_view piece) {
    return (seen += piece.size()) <= most_bytes;
  };
  if (sandbox_) {
    const auto enclose = [&]() -> Result<ChildCommand> {
      return make_sandboxed_reader(std::move(command), *sandbox_, workspace_);
    };
    auto enclosed = co_await offload(enclose, cancel);
    if (!enclosed) co_return std::unexpected(enclosed.error());
    command = std::move(*enclosed);
  }
  auto outcome = co_await run_child(std::move(command), cancel);
  // A program cannot be run where its folder has gone meanwhile, either.
  const auto look = [&] { return workspace_.open(folder_, O_PATH); };
  if (!outcome)
    if (const auto there = co_await offload(look, cancel); !there)
      co_return std::unexpected(there.error());
  if (!outcome && outcome.error().where == kProgram) co_return no_git(outcome.error().message);
  if (!outcome) co_return std::unexpected(outcome.error());
  if (sandbox_ && outcome->exit_status == kNotFound)
    co_return no_git(first_line(outcome->error.text));
  if (outcome->timed_out)
    co_return fail(Errc::RequestTimeout, "git took longer than {} s in {}", kTime.count(), folder_);
  if (!outcome->was_enough && (outcome->exit_status != 0 || outcome->signal != 0))
    co_return fail(Errc::InvalidRequest, "git cannot read {}: {}", visible_text(folder_, false),
                   first_line(outcome->error.text));
  co_return Output{std::move(outcome->output.text), outcome->was_enough};
}

Task<Result<GitRepository>> GitRepository::open(const Workspace& workspace,
                                                std::optional<SandboxSettings> sandbox,
                                                std::string given, const Cancel& cancel) {
  const auto check = [&workspace](std::string path) {
    return [&workspace, path = std::move(path)] { return check_folder(workspace, path); };
  };
  auto start = co_await offload(check(given), cancel);
  if (!start) co_return std::unexpected(start.error());
  GitRepository repository(workspace, std::move(sandbox), std::move(*start));
  const auto places =
      co_await repository.run({"rev-parse", "--path-format=absolute", "--show-toplevel",
                               "--absolute-git-dir", "--git-common-dir"},
                              kMostConfigBytes, cancel);
  if (!places && places.error().message.contains("not a git repository"))
    co_return fail(Errc::NotFound, "{} is not in a git repository of the workspace",
                   repository.folder_ == workspace.real_folder()
                       ? "the workspace's folder"
                       : visible_text(workspace.shown(repository.folder_), false));
  if (!places) co_return std::unexpected(places.error());
  const auto lines = split(places->text, '\n');
  if (lines.size() != kPlaces.size())
    co_return fail(Errc::InvalidRequest, "{} is in a repository whose paths have line breaks",
                   visible_text(workspace.shown(repository.folder_), false));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto place = co_await offload(check(std::string(lines[i])), cancel);
    if (!place) co_return std::unexpected(place.error());
    repository.places_.push_back(fmt::format("{}={}", kPlaces[i], *place));
    if (i == 0) repository.folder_ = std::move(*place);
  }
  const auto listed = co_await repository.run(
      {"config", "--list", "--show-scope", "--name-only", "-z"}, kMostConfigBytes, cancel);
  if (!listed) co_return std::unexpected(listed.error());
  if (listed->is_cut)
    co_return fail(Errc::TooLarge, "the configuration of the repository {} is over {} bytes",
                   visible_text(workspace.shown(repository.folder_), false), kMostConfigBytes);
  repository.settings_ = silence_filters(listed->text);
  co_return repository;
}

}  // namespace toolgate
