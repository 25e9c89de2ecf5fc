#include "builtin/get_changed_files.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "builtin/git_command.h"
#include "builtin/git_status.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostStatusBytes = std::size_t{8} << 20;
constexpr std::size_t kMostDiffBytes = 60'000;
constexpr std::size_t kMostNames = 200;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "repositoryPath": {"type": "string", "description": "A folder in the repository: absolute, or relative to the workspace. Default: the workspace."},
    "sourceControlState": {"type": "array", "items": {"type": "string", "enum": ["staged", "unstaged", "merge-conflicts"]}, "description": "Which changes. Default: all."}
  }
})";

struct Section {
  std::string_view state;
  std::string_view title;
  GitState kind;
  std::vector<std::string> diff;  // arguments; empty: names only
};

const std::array kSections{
    Section{"merge-conflicts", "Merge conflicts", GitState::Conflict, {"--diff-filter=U"}},
    Section{"staged", "Staged", GitState::Staged, {"--cached", "--diff-filter=u"}},
    Section{"unstaged", "Not staged", GitState::Unstaged, {"--diff-filter=u"}},
    Section{"unstaged", "Untracked", GitState::Untracked, {}},
};

bool is_wanted(const json::value* states, std::string_view state) {
  if (!states || !states->is_array() || states->get_array().empty()) return true;
  return std::ranges::any_of(states->get_array(), [&](const json::value& each) {
    return each.is_string() && std::string_view(each.get_string()) == state;
  });
}

// All of the repository but for what tools must not see.
std::vector<std::string> visible_paths(const Workspace& workspace, const std::string& folder) {
  std::vector<std::string> paths{"--", ":(top)"};
  for (const std::string& hidden : workspace.hidden())
    if (hidden.starts_with(folder + "/"))
      paths.push_back(":(top,exclude,literal)" + hidden.substr(folder.size() + 1));
  return paths;
}

std::vector<std::string> with_paths(std::vector<std::string> arguments,
                                    const std::vector<std::string>& more,
                                    const std::vector<std::string>& paths) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.insert(arguments.end(), paths.begin(), paths.end());
  return arguments;
}

std::string list_names(std::string_view title, const std::vector<std::string>& names) {
  std::string text = fmt::format("{}:\n", title);
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += fmt::format("  {}\n", visible_text(names[i], false));
  if (names.size() > kMostNames)
    text += fmt::format("  [{} more are not shown]\n", names.size() - kMostNames);
  return text;
}

std::optional<SandboxSettings> sandbox_of(const BuiltinSettings& settings) {
  if (!settings.sandbox.enabled || !sandbox_fault().empty()) return std::nullopt;
  SandboxSettings sandbox = settings.sandbox;
  sandbox.network = false;
  return sandbox;
}

class GetChangedFiles final : public Tool {
 public:
  explicit GetChangedFiles(const Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const ToolInput input(call.input);
    const std::string given = input.text("repositoryPath");
    const auto settings = workbench_.settings();
    const Workspace& workspace = *settings->workspace;
    const auto repository = co_await GitRepository::open(workspace, sandbox_of(*settings),
                                                         given.empty() ? "." : given, cancel);
    if (!repository) co_return std::unexpected(repository.error());
    const auto paths = visible_paths(workspace, repository->folder());
    const auto status =
        co_await repository->run(with_paths({"status", "--porcelain=v1", "-z", "--no-renames",
                                             "--ignore-submodules=all", "--untracked-files=all"},
                                            {}, paths),
                                 kMostStatusBytes, cancel);
    if (!status) co_return std::unexpected(status.error());
    const GitStatus changes = parse_git_status(status->text);
    std::string text;
    if (status->is_cut) text += "[there are more changes than are listed]\n";
    for (const Section& section : kSections) {
      const auto& names = changes.of(section.kind);
      if (names.empty() || !is_wanted(input.find("sourceControlState"), section.state)) continue;
      text += list_names(section.title, names);
      if (section.diff.empty()) continue;
      auto diff = co_await read_diff(*repository, section, paths, cancel);
      // Of a file of some gigabytes git reads all.
      if (!diff && diff.error().code == Errc::RequestTimeout) {
        text += "[the diff took too long to make: read_file shows the files]\n";
        continue;
      }
      if (!diff) co_return std::unexpected(diff.error());
      text += *diff;
    }
    co_return text_result(text.empty() ? "Nothing has changed." : std::move(text));
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall&, const Cancel&) override {
    co_return PreparedCall{.invocation_message = "Reading changed files",
                           .past_tense_message = "Read changed files"};
  }

 private:
  static Task<Result<std::string>> read_diff(const GitRepository& repository,
                                             const Section& section,
                                             const std::vector<std::string>& paths,
                                             const Cancel& cancel) {
    const auto diff = co_await repository.run(
        with_paths({"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames",
                    "--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/"},
                   section.diff, paths),
        kMostDiffBytes, cancel);
    if (!diff) co_return std::unexpected(diff.error());
    std::string text = mend_utf8(first_characters(diff->text, kMostDiffBytes));
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    if (diff->is_cut)
      text += fmt::format("[the diff is longer than {} bytes: read_file shows the files]\n",
                          kMostDiffBytes);
    co_return text;
  }

  const Workbench& workbench_;
};

}  // namespace

ToolData get_changed_files_data() {
  return {
      .id = "get_changed_files",
      .reference_name = "changes",
      .legacy_full_names = {"changes"},
      .display_name = "Changed Files",
      .user_description = "See what has changed since the last commit",
      .model_description =
          "Shows what git says has changed in a repository of the workspace: names and diffs of "
          "staged and unstaged files and of merge conflicts, and names of untracked files. Long "
          "diffs are cut.",
      .input_schema = std::string(kSchema),
      .tags = {"vscode_codesearch"},
      .icon = "$(diff)",
      .is_read_only = true};
}

std::shared_ptr<Tool> make_get_changed_files(const BuiltinSurroundings& around) {
  return std::make_shared<GetChangedFiles>(around.workbench);
}

}  // namespace toolgate
