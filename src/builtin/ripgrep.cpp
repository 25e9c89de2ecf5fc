#include "builtin/ripgrep.h"

#include <algorithm>
#include <array>

#include "builtin/below.h"
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
  for (const std::string& hidden : workspace.hidden())
    if (const auto here = path_below(hidden, workspace.real_folder()); here && !here->empty())
      result.emplace_back(*here);
  return result;
}

bool is_hidden(const std::vector<std::string>& hidden, std::string_view path) {
  return std::ranges::any_of(hidden, [&](const std::string& each) { return is_below(path, each); });
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

std::string_view without_line_end(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// "/dev/stdin: line 3: error parsing glob '!/**/[a': unclosed …": the rule is ours, the reason is
// what people can use.
std::string_view reason_of_rule(std::string_view line) {
  const std::size_t end = line.rfind("': ");
  return end == line.npos ? line : line.substr(end + 3);
}

// Of a pattern: what stands behind "error: ", else the first paragraph. The rest is ripgrep's
// drawing of a pattern that we have changed, and advice about its options.
std::string_view reason_of_pattern(std::string_view text) {
  constexpr std::string_view kError = "error: ";
  if (const std::size_t at = text.rfind("\n" + std::string(kError)); at != text.npos) {
    text.remove_prefix(at + 1 + kError.size());
    return text.substr(0, text.find('\n'));
  }
  if (text.starts_with("rg: ")) text.remove_prefix(4);
  return text.substr(0, text.find("\n\n"));
}

struct Complaint {
  std::string reason;
  bool is_about_glob = false;
};

// What is wrong with the arguments: rules that cannot be read, or, where it did not even begin, the
// pattern. Lines that begin with a path in the workspace are about files, which are passed over.
Complaint complaint_of(const ChildOutcome& outcome) {
  constexpr int kError = 2;
  const bool has_begun = outcome.exit_status != kError || !outcome.output.text.empty();
  std::string_view error = outcome.error.text;
  std::string text;
  while (!error.empty()) {
    const std::size_t end = std::min(error.find('\n'), error.size() - 1) + 1;
    const std::string_view line = error.substr(0, end);
    error.remove_prefix(end);
    if (line.starts_with(kRules))
      return {visible_text(without_line_end(reason_of_rule(line))), true};
    if (!has_begun && !line.starts_with("./")) text += line;
  }
  return {visible_text(without_line_end(reason_of_pattern(text))), false};
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
  if (!outcome) {
    if (const auto folder = workspace.open(workspace.folder(), O_PATH); !folder)
      co_return std::unexpected(folder.error());
    co_return explain_start(outcome.error());
  }
  if (outcome->timed_out)
    co_return fail(Errc::RequestTimeout,
                   "the search took longer than {} s; narrow it to a folder or a kind of file",
                   kSearchTime.count());
  if (outcome->signal != 0 && !outcome->was_enough)
    co_return fail(Errc::Io, "ripgrep was ended by signal {}", outcome->signal);
  Complaint complaint = complaint_of(*outcome);
  co_return RipgrepOutput{.text = std::move(outcome->output.text),
                          .complaint = std::move(complaint.reason),
                          .is_about_glob = complaint.is_about_glob,
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

bool is_still_there(const Workspace& workspace, const std::string& path) {
  const auto opened = workspace.open("./" + path, O_PATH);
  return opened &&
         opened->path ==
             (workspace.real_folder() == "/" ? "/" + path : workspace.real_folder() + "/" + path);
}

std::string_view plain_path(std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  return path;
}

}  // namespace toolgate
