#include "builtin/ripgrep.h"

#include <algorithm>
#include <array>

#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::string_view kProgram = "rg";
// The rules come as its input: they need no file of their own.
constexpr std::string_view kRules = "/dev/stdin";

constexpr std::array<std::string_view, 4> kAlwaysLeftOut{"!**/.git", "!**/.svn", "!**/.hg",
                                                         "!**/.DS_Store"};
constexpr std::array<std::string_view, 2> kUsuallyLeftOut{"!**/node_modules",
                                                          "!**/bower_components"};

// Hidden places that lie in the workspace, relative to it.
std::vector<std::string> hidden_here(const Workspace& workspace) {
  std::vector<std::string> result;
  const std::string folder = workspace.real_folder() == "/" ? "/" : workspace.real_folder() + "/";
  for (const std::string& hidden : workspace.hidden())
    if (hidden.starts_with(folder)) result.push_back(hidden.substr(folder.size()));
  return result;
}

bool is_hidden(const std::vector<std::string>& hidden, std::string_view path) {
  return std::ranges::any_of(hidden, [&](const std::string& each) {
    return path.starts_with(each) && (path.size() == each.size() || path[each.size()] == '/');
  });
}

void leave_out(std::vector<std::string>& arguments, std::string glob) {
  arguments.emplace_back("--glob");
  arguments.push_back(std::move(glob));
}

std::vector<std::string> make_arguments(const Workspace& workspace, const RipgrepRun& run) {
  std::vector<std::string> arguments{
      std::string(kProgram), "--no-config",      "--color=never",      "--hidden",
      "--no-follow",         "--no-require-git", "--no-ignore-global", "--no-ignore-parent"};
  if (run.ignored_too) arguments.emplace_back("--no-ignore");
  if (run.only) arguments.insert(arguments.end(), {"--ignore-file", std::string(kRules)});
  for (const std::string_view glob : kAlwaysLeftOut) leave_out(arguments, std::string(glob));
  if (!run.ignored_too)
    for (const std::string_view glob : kUsuallyLeftOut) leave_out(arguments, std::string(glob));
  for (const std::string& hidden : hidden_here(workspace))
    leave_out(arguments, "!/" + escape_glob(hidden));
  arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
  arguments.insert(arguments.end(), {"--", "./"});
  return arguments;
}

// What is wrong with the arguments: rules that cannot be read, or, where it did not even begin, the
// pattern. Lines that begin with a path in the workspace are about files, which are passed over.
std::string complaint_of(const ChildOutcome& outcome) {
  constexpr int kError = 2;
  const bool has_begun = outcome.exit_status != kError || !outcome.output.text.empty();
  std::string_view error = outcome.error.text;
  std::string complaint;
  while (!error.empty()) {
    const std::size_t end = std::min(error.find('\n'), error.size() - 1) + 1;
    std::string_view line = error.substr(0, end);
    error.remove_prefix(end);
    const bool is_about_rules = line.starts_with(kRules);
    if (is_about_rules) line.remove_prefix(std::min(line.find(" error") + 1, line.size()));
    if (is_about_rules || (!has_begun && !line.starts_with("./"))) complaint += line;
  }
  return visible_text(complaint);
}

std::unexpected<Error> explain_start(const Error& error) {
  if (error.where != kProgram) return std::unexpected(error);
  return fail(
      Errc::Io,
      "this tool needs ripgrep, which could not be run ({}); on Debian: apt install ripgrep",
      error.message);
}

}  // namespace

Task<Result<RipgrepOutput>> run_ripgrep(const Workspace& workspace, RipgrepRun run,
                                        const Cancel& cancel) {
  ChildCommand command;
  command.arguments = make_arguments(workspace, run);
  command.folder = workspace.real_folder();
  command.environment = make_child_environment();
  if (run.only) command.input = write_ignore_rules(*run.only);
  command.output_limit = run.output_bytes;
  command.time_limit = kSearchTime;
  std::size_t seen = 0;
  command.wants_more = [&](std::string_view piece) {
    seen += piece.size();
    return seen <= run.output_bytes && (!run.wants_more || run.wants_more(piece));
  };
  auto outcome = co_await run_child(std::move(command), cancel);
  if (!outcome) co_return explain_start(outcome.error());
  if (outcome->timed_out)
    co_return fail(Errc::RequestTimeout,
                   "the search took longer than {} s; narrow it to a folder or a kind of file",
                   kSearchTime.count());
  if (outcome->signal != 0 && !outcome->was_enough)
    co_return fail(Errc::Io, "ripgrep was ended by signal {}", outcome->signal);
  std::string complaint = complaint_of(*outcome);
  co_return RipgrepOutput{.text = std::move(outcome->output.text),
                          .complaint = std::move(complaint),
                          .is_partial = outcome->was_enough || outcome->output.dropped > 0};
}

void for_each_path(const Workspace& workspace, std::string_view output,
                   const std::function<void(std::string_view)>& take) {
  const auto hidden = hidden_here(workspace);
  for (std::size_t end = output.find('\0'); end != std::string_view::npos;
       end = output.find('\0')) {
    const std::string_view path = plain_path(output.substr(0, end));
    output.remove_prefix(end + 1);
    if (!path.empty() && !is_hidden(hidden, path)) take(path);
  }
}

std::string_view plain_path(std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

}  // namespace toolgate
