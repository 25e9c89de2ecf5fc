#include "builtin/get_errors.h"

#include <algorithm>

#include "async/offload.h"
#include "base/utf8.h"
#include "builtin/code_search.h"
#include "builtin/name_line.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr int kWarning = 2;  // what is less is no problem
constexpr std::size_t kMostMessageBytes = 1'000;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "filePaths": {
      "type": "array",
      "items": {"type": "string"},
      "description": "The files to check: absolute, or relative to the workspace. Without it, those that were looked at lately."
    }
  }
})";

struct FileProblems {
  std::string path;
  Result<std::vector<LspDiagnostic>> problems;
};
using AllProblems = std::vector<FileProblems>;

Task<Result<std::vector<LspDiagnostic>>> check_file(LanguageServers& servers,
                                                    const CodeSettings& settings,
                                                    const std::string& path,
                                                    LanguageServer::Clock::time_point since,
                                                    const Cancel& cancel) {
  const Language* language = find_language(settings.languages, path);
  if (!language)
    co_return fail(Errc::InvalidRequest,
                   "no language server is known for it; toolgate.languageServers can name one");
  const auto work = [&](LanguageServer& server) -> Task<Result<std::vector<LspDiagnostic>>> {
    if (auto done = co_await server.refresh(cancel); !done) co_return std::unexpected(done.error());
    co_return co_await server.diagnose(path, since, cancel);
  };
  auto problems = co_await servers.ask(settings, *language, work, cancel);
  if (problems)
    std::erase_if(*problems, [](const LspDiagnostic& each) { return each.severity > kWarning; });
  co_return problems;
}

// A link or an old name may lead to one file twice.
std::vector<std::string> each_once(std::vector<std::string> paths) {
  std::vector<std::string> once;
  for (std::string& path : paths)
    if (std::ranges::find(once, path) == once.end()) once.push_back(std::move(path));
  return once;
}

Task<Result<AllProblems>> check_files(LanguageServers& servers, const CodeSettings& settings,
                                      const std::vector<std::string>* given, const Cancel& cancel) {
  const auto since = LanguageServer::Clock::now();
  std::vector<std::string> paths;
  if (given) {
    auto real = co_await real_paths_of(*settings.workspace, *given, cancel);
    if (!real) co_return std::unexpected(real.error());
    paths = each_once(std::move(*real));
  } else {
    for (const auto& server : servers.running(*settings.workspace)) {
      // A file that has gone is forgotten.
      if (auto done = co_await server->refresh(cancel); !done)
        co_return std::unexpected(done.error());
      std::ranges::move(server->open_paths(), std::back_inserter(paths));
    }
  }
  AllProblems all;
  for (const std::string& path : paths) {
    auto problems = co_await check_file(servers, settings, path, since, cancel);
    if (cancel.requested()) co_return fail(Errc::Cancelled, "the request was cancelled");
    all.push_back({path, std::move(problems)});
  }
  co_return all;
}

// Further lines are set in; empty ones say nothing.
std::string indented(std::string_view text) {
  std::string result;
  bool begins_line = false;
  for (const char c : text) {
    if (c == '\n') {
      begins_line = true;
      continue;
    }
    if (begins_line) result += "\n    ";
    begins_line = false;
    result += c;
  }
  return result;
}

class ProblemReport {
 public:
  explicit ProblemReport(const Workspace& workspace) : workspace_(workspace), lines_(workspace) {}

  std::string write(const AllProblems& all) {
    for (const FileProblems& file : all) add(file);
    if (left_out_ > 0) text_ += fmt::format("[{} more problems are not shown]\n", left_out_);
    return std::move(text_);
  }
  std::size_t count() const { return count_; }

 private:
  void add(const FileProblems& file) {
    const std::string shown = visible_text(workspace_.shown(file.path), false);
    if (!file.problems)
      text_ += fmt::format("{}: not checked: {}\n", shown, file.problems.error().message);
    else if (file.problems->empty())
      text_ += fmt::format("{}: no problems\n", shown);
    else
      for (const LspDiagnostic& problem : *file.problems) add(file.path, problem);
  }

  void add(const std::string& path, const LspDiagnostic& problem) {
    if (++count_ > kMostLinesOfResult) {
      ++left_out_;
      return;
    }
    const LspLocation location{path, problem.range};
    text_ += fmt::format(
        "{}: {}: {}", lines_.place_of(location), problem.severity == kWarning ? "warning" : "error",
        indented(visible_text(first_characters(problem.message, kMostMessageBytes))));
    if (!problem.origin.empty())
      text_ += fmt::format(" [{}]", visible_text(first_characters(problem.origin, 100), false));
    const std::string line = lines_.text_of(location);
    text_ += line.empty() ? "\n" : fmt::format("\n    {}\n", line);
  }

  const Workspace& workspace_;
  CodeLines lines_;
  std::string text_;
  std::size_t count_ = 0;
  std::size_t left_out_ = 0;
};

class GetErrors final : public Tool {
 public:
  explicit GetErrors(Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const ToolInput input(call.input);
    const auto settings = workbench_.settings();
    const auto given = input.texts("filePaths");
    LanguageServers& servers = workbench_.language_servers();
    const auto work = [&](const Cancel& there) {
      return check_files(servers, *settings->code, given && !given->empty() ? &*given : nullptr,
                         there);
    };
    const auto all = co_await servers.run(work, cancel);
    if (!all) co_return std::unexpected(all.error());
    if (all->empty())
      co_return text_result("No file was looked at lately. Name the files to check in filePaths.");
    if (all->size() == 1 && !all->front().problems)
      co_return std::unexpected(with_path(all->front(), *settings->workspace));
    const auto write = [&]() -> Result<ToolResult> {
      ProblemReport report(*settings->workspace);
      ToolResult result = text_result(report.write(*all));
      result.message =
          fmt::format("Checked {} file{}: {} problem{}", all->size(), all->size() == 1 ? "" : "s",
                      report.count(), report.count() == 1 ? "" : "s");
      return result;
    };
    co_return co_await offload(write, cancel);
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const auto given = ToolInput(call.input).texts("filePaths");
    const std::string what = given && given->size() == 1 ? name_on_one_line(given->front())
                             : given                     ? fmt::format("{} files", given->size())
                                                         : "the files in use";
    co_return PreparedCall{.invocation_message = "Checking " + what,
                           .past_tense_message = "Checked " + what};
  }

 private:
  static Error with_path(const FileProblems& file, const Workspace& workspace) {
    Error error = file.problems.error();
    error.message = fmt::format("{} was not checked: {}",
                                visible_text(workspace.shown(file.path), false), error.message);
    return error;
  }

  Workbench& workbench_;
};

}  // namespace

ToolData get_errors_data() {
  return {.id = "get_errors",
          .reference_name = "problems",
          .legacy_full_names = {"problems"},
          .display_name = "Problems",
          .user_description = "Check files for errors and warnings",
          .model_description =
              "Gives the errors and warnings that a compiler or checker sees in files, as they are "
              "on disk now, each as file:line:column with its line. Call it after editing code, "
              "with the files you changed, and before you say that something is done. It knows "
              "C, C++, TypeScript, JavaScript and Python where their language servers are "
              "installed; it does not run tests or builds.",
          .input_schema = std::string(kSchema),
          .icon = "$(error)",
          .is_read_only = true};
}

std::shared_ptr<Tool> make_get_errors(const BuiltinSurroundings& around) {
  return std::make_shared<GetErrors>(around.workbench);
}

}  // namespace toolgate
