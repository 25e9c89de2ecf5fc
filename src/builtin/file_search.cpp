#include "builtin/file_search.h"

#include <algorithm>

#include "async/offload.h"
#include "builtin/name_line.h"
#include "builtin/ripgrep.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::size_t kUsualResults = 20;
constexpr std::size_t kMostResults = 1'000;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "query": {"type": "string", "description": "A glob: *.js finds such files anywhere, src/**/*.ts those below any folder src, ./src/*.ts only those of the workspace's own."},
    "maxResults": {"type": "number", "minimum": 1, "description": "How many paths to show. Default: 20, at most 1000."}
  },
  "required": ["query"]
})";

struct FilesFound {
  std::vector<std::string> paths = {};  // the first ones, in order
  std::size_t total = 0;
  bool is_partial = false;
};

Result<FilesFound> choose(const Workspace& workspace, const SearchGlob& glob,
                          const RipgrepOutput& output, std::size_t most) {
  std::vector<std::string_view> paths;
  for_each_path(workspace, output.text, [&](std::string_view path) {
    if (glob.matches(path)) paths.push_back(path);
  });
  FilesFound found{.total = paths.size(), .is_partial = output.is_partial};
  const auto shown = static_cast<std::ptrdiff_t>(std::min(most, paths.size()));
  std::ranges::partial_sort(paths, paths.begin() + shown);
  for (const std::string_view path : std::span(paths).first(static_cast<std::size_t>(shown)))
    if (std::string text(path); is_still_there(workspace, text))
      found.paths.push_back(std::move(text));
  return found;
}

std::string describe(const FilesFound& found, std::size_t most) {
  if (found.paths.empty()) return "No files found.";
  std::string text;
  for (const std::string& path : found.paths) text += visible_text(path, false) + '\n';
  if (found.total > found.paths.size())
    text += fmt::format("[{} of {}{} files; {}]\n", found.paths.size(),
                        found.is_partial ? "more than " : "", found.total,
                        most < kMostResults
                            ? fmt::format("more with a larger maxResults, at most {}", kMostResults)
                            : "narrow the glob to see others");
  return text;
}

class FileSearch final : public Tool {
 public:
  explicit FileSearch(const Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const ToolInput input(call.input);
    const std::string query = input.text("query");
    const auto most = static_cast<std::size_t>(
        std::clamp(input.number("maxResults").value_or(kUsualResults), 1.0, double{kMostResults}));
    const auto settings = workbench_.settings();
    const Workspace& workspace = *settings->workspace;
    const auto glob = SearchGlob::parse(workspace, query);
    if (!glob) co_return std::unexpected(glob.error());
    const auto output = co_await run_ripgrep(
        workspace, {.arguments = {"--files", "--null"}, .only = &*glob}, cancel);
    if (!output) co_return std::unexpected(output.error());
    if (!output->complaint.empty())
      co_return fail(Errc::InvalidRequest, "the glob {} cannot be used: {}",
                     visible_text(query, false), output->complaint);
    const auto work = [&] { return choose(workspace, *glob, *output, most); };
    const auto found = co_await offload(work, cancel);
    if (!found) co_return std::unexpected(found.error());
    ToolResult result = text_result(describe(*found, most));
    result.message = fmt::format("Searched for files matching {}: {} found",
                                 visible_text(query, false), found->total);
    co_return result;
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string query = name_on_one_line(ToolInput(call.input).text("query"));
    co_return PreparedCall{.invocation_message = "Searching for files matching " + query,
                           .past_tense_message = "Searched for files matching " + query};
  }

 private:
  const Workbench& workbench_;
};

}  // namespace

ToolData file_search_data() {
  return {.id = "file_search",
          .reference_name = "fileSearch",
          .display_name = "Find Files",
          .user_description = "Find files by their paths",
          .model_description =
              "Finds files of the workspace whose paths match a glob, and shows the paths. Use it "
              "when you know something about the name; for what is in files use grep_search. What "
              ".gitignore names is left out.",
          .input_schema = std::string(kSchema),
          .tags = {"vscode_codesearch"},
          .is_read_only = true};
}

std::shared_ptr<Tool> make_file_search(const BuiltinSurroundings& around) {
  return std::make_shared<FileSearch>(around.workbench);
}

}  // namespace toolgate
