#include "builtin/grep_search.h"

#include <algorithm>
#include <atomic>

#include "async/offload.h"
#include "base/utf8.h"
#include "builtin/file_bytes.h"
#include "builtin/grep_matches.h"
#include "builtin/line_reader.h"
#include "builtin/name_line.h"
#include "builtin/ripgrep.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::size_t kUsualResults = 20;
constexpr std::size_t kMostResults = 200;
constexpr std::size_t kMostQueryBytes = 10'000;
constexpr std::size_t kMostLineBytes = 400;
constexpr std::size_t kMostOutputBytes = std::size_t{32} << 20;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "query": {"type": "string", "description": "What to look for; upper and lower case are the same. A regular expression of Rust's kind if isRegexp is true: no look-around, no back-references."},
    "isRegexp": {"type": "boolean", "description": "Whether the query is a regular expression."},
    "includePattern": {"type": "string", "description": "Search only there: a glob such as src/**/*.ts, or the path of a folder or file."},
    "maxResults": {"type": "number", "minimum": 1, "description": "How many lines to show. Default: 20, at most 200."},
    "includeIgnoredFiles": {"type": "boolean", "description": "Also search what .gitignore names, and node_modules."}
  },
  "required": ["query", "isRegexp"]
})";

struct GrepWish {
  std::string query;
  bool is_pattern = false;
  std::optional<SearchGlob> only = {};
  std::size_t most = kUsualResults;
  bool ignored_too = false;
};

Result<GrepWish> read_wish(const Workspace& workspace, const ToolInput& input) {
  GrepWish wish{.query = input.text("query"),
                .is_pattern = input.flag("isRegexp"),
                .ignored_too = input.flag("includeIgnoredFiles")};
  if (wish.query.empty()) return fail(Errc::InvalidRequest, "the query is empty");
  if (wish.query.size() > kMostQueryBytes)
    return fail(Errc::InvalidRequest, "the query has {} bytes, where {} are the most",
                wish.query.size(), kMostQueryBytes);
  if (wish.query.contains('\0'))
    return fail(Errc::InvalidRequest,
                "the query has a NUL character; binary files are not searched");
  wish.most = static_cast<std::size_t>(
      std::clamp(input.number("maxResults").value_or(kUsualResults), 1.0, double{kMostResults}));
  if (const std::string include = input.text("includePattern"); !include.empty()) {
    auto glob = SearchGlob::parse_with_folders(workspace, include);
    if (!glob) return std::unexpected(glob.error());
    wish.only = std::move(*glob);
  }
  return wish;
}

std::vector<std::string> make_arguments(const GrepWish& wish) {
  std::vector<std::string> arguments{
      "--json", "--ignore-case", "--crlf", "--max-count=" + std::to_string(wish.most + 1),
      "--regexp=" + (wish.is_pattern ? wish.query : escape_pattern(wish.query))};
  if (has_line_break(wish.query, wish.is_pattern)) arguments.emplace_back("--multiline");
  return arguments;
}

// Reads found lines again, from files that are surely in the workspace: only what is there too is
// shown.
class MatchReader {
 public:
  explicit MatchReader(const Workspace& workspace) : workspace_(workspace) {}

  bool confirms(const GrepMatch& match) {
    if (match.path != path_) open(match.path);
    if (!file_) return false;
    return is_wide(encoding_) ? confirms_line(match) : confirms_bytes(match);
  }

 private:
  void open(const std::string& path) {
    path_ = path;
    file_.reset();
    auto opened = workspace_.open_file("./" + path);
    if (!opened) return;
    auto beginning = read_bytes(opened->descriptor.get(), 0, kBytesToJudge, path);
    if (!beginning) return;
    encoding_ = find_encoding(*beginning);
    file_ = std::move(*opened);
  }

  bool confirms_bytes(const GrepMatch& match) const {
    const auto bytes = read_bytes(file_->descriptor.get(), match.offset + mark_bytes(encoding_),
                                  match.text.size(), path_);
    return bytes && *bytes == match.text;
  }

  bool confirms_line(const GrepMatch& match) const {
    const std::atomic<bool> stop = false;
    LineLimits limits;
    limits.line_bytes = limits.text_bytes = std::max<std::size_t>(4 * match.text.size(), 1024);
    LineReader reader(file_->descriptor.get(), encoding_, limits, stop);
    const auto lines = static_cast<std::uint64_t>(std::ranges::count(match.text, '\n'));
    auto read = reader.read(match.line, std::max<std::uint64_t>(lines, 1));
    if (!read) return false;
    std::string wanted = match.text;
    std::erase(wanted, '\r');
    return wanted.starts_with(read->text) || read->text.starts_with(wanted);
  }

  const Workspace& workspace_;
  std::string path_;
  std::optional<OpenedFile> file_;
  ReadEncoding encoding_ = ReadEncoding::Utf8;
};

struct GrepFound {
  std::string text = {};
  std::size_t matches = 0;
  bool are_all = true;
};

GrepFound collect(const Workspace& workspace, const GrepWish& wish, const RipgrepOutput& output) {
  GrepFound found{.are_all = !output.is_partial};
  MatchReader reader(workspace);
  for (const GrepMatch& match : parse_grep_matches(output.text)) {
    if (wish.only && !wish.only->matches(match.path)) continue;
    if (found.matches == wish.most) {
      found.are_all = false;
      break;
    }
    if (!reader.confirms(match)) continue;
    found.text += fmt::format("{}:{}: {}\n", visible_text(match.path, false), match.line,
                              excerpt(match.text, match.start, kMostLineBytes));
    ++found.matches;
  }
  return found;
}

class GrepSearch final : public Tool {
 public:
  explicit GrepSearch(const Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const auto settings = workbench_.settings();
    const Workspace& workspace = *settings->workspace;
    auto wish = read_wish(workspace, ToolInput(call.input));
    if (!wish) co_return std::unexpected(wish.error());
    const auto found = co_await search(workspace, *wish, cancel);
    if (found && found->matches > 0) co_return describe(*wish, *found, false);
    if (!found && found.error().code != Errc::InvalidRequest)
      co_return std::unexpected(found.error());
    // A model may have meant the other kind of query.
    GrepWish other = *wish;
    other.is_pattern = !wish->is_pattern;
    auto second = co_await search(workspace, other, cancel);
    if (second && second->matches > 0) co_return describe(*wish, *second, true);
    if (!found) co_return std::unexpected(found.error());
    co_return describe(*wish, *found, false);
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string query = name_on_one_line(ToolInput(call.input).text("query"));
    co_return PreparedCall{.invocation_message = "Searching for " + query,
                           .past_tense_message = "Searched for " + query};
  }

 private:
  static Task<Result<GrepFound>> search(const Workspace& workspace, const GrepWish& wish,
                                        const Cancel& cancel) {
    GrepMatchCounter counter;
    const auto output = co_await run_ripgrep(
        workspace,
        {.arguments = make_arguments(wish),
         .only = wish.only ? &*wish.only : nullptr,
         .ignored_too = wish.ignored_too,
         .output_bytes = kMostOutputBytes,
         .wants_more = [&](std::string_view piece) { return counter.add(piece) <= wish.most; }},
        cancel);
    if (!output) co_return std::unexpected(output.error());
    if (!output->complaint.empty())
      co_return fail(Errc::InvalidRequest, "the {} cannot be used: {}",
                     output->is_about_glob ? "includePattern"
                     : wish.is_pattern     ? "regular expression"
                                           : "query",
                     output->complaint);
    const auto work = [&]() -> Result<GrepFound> { return collect(workspace, wish, *output); };
    co_return co_await offload(work, cancel);
  }

  static ToolResult describe(const GrepWish& wish, const GrepFound& found, bool as_other_kind) {
    const std::string query = visible_text(first_characters(wish.query, 200), false);
    ToolResult result;
    if (found.matches == 0) {
      result = text_result(fmt::format(
          "No matches found.{}",
          wish.ignored_too ? "" : " What .gitignore names was not searched: includeIgnoredFiles."));
    } else {
      std::string text;
      if (as_other_kind)
        text = fmt::format("[Nothing matches the query as {}: these match it as {}]\n",
                           wish.is_pattern ? "a regular expression" : "plain text",
                           wish.is_pattern ? "plain text" : "a regular expression");
      text += found.text;
      if (!found.are_all)
        text += fmt::format(
            "[there are more than these {}; {}narrow the search with includePattern]\n",
            found.matches,
            found.matches < kMostResults
                ? fmt::format("more with a larger maxResults, at most {}, or ", kMostResults)
                : "");
      result = text_result(std::move(text));
    }
    result.message = fmt::format("Searched for {}: {}{} found", query,
                                 found.are_all ? "" : "more than ", found.matches);
    return result;
  }

  const Workbench& workbench_;
};

}  // namespace

ToolData grep_search_data() {
  return {
      .id = "grep_search",
      .reference_name = "textSearch",
      .display_name = "Search Text",
      .user_description = "Search for text in files",
      .model_description =
          "Searches the files of the workspace for a text or a regular expression and shows the "
          "lines as path:line: text. Use it when you know words that must be there; one pattern "
          "such as name_a|name_b saves several calls. What .gitignore names is left out unless "
          "includeIgnoredFiles is true.",
      .input_schema = std::string(kSchema),
      .tags = {"vscode_codesearch"},
      .is_read_only = true};
}

std::shared_ptr<Tool> make_grep_search(const BuiltinSurroundings& around) {
  return std::make_shared<GrepSearch>(around.workbench);
}

}  // namespace toolgate
