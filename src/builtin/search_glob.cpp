#include "builtin/search_glob.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "builtin/below.h"
#include "invoke/code_points.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostGlobBytes = 4'096;

bool has_glob_characters(std::string_view text) {
  return text.find_first_of("*?[]{}") != std::string_view::npos;
}

bool has_parent_part(std::string_view text) {
  return text == ".." || text.starts_with("../") || text.ends_with("/..") || text.contains("/../");
}

// What an absolute glob says below the workspace; nothing if it is elsewhere.
std::optional<std::string_view> below_workspace(const Workspace& workspace, std::string_view glob) {
  for (const std::string* root : {&workspace.folder(), &workspace.real_folder()})
    if (const auto rest = path_below(glob, *root)) return rest;
  return std::nullopt;
}

// The glob from the workspace's folder on.
Result<std::string> anchor(const Workspace& workspace, std::string_view given) {
  if (given.empty()) return fail(Errc::InvalidRequest, "the glob is empty");
  if (given.contains('\0')) return fail(Errc::InvalidRequest, "the glob has a NUL character");
  if (given.size() > kMostGlobBytes)
    return fail(Errc::InvalidRequest, "the glob has {} bytes, where {} are the most", given.size(),
                kMostGlobBytes);
  if (has_parent_part(given))
    return fail(Errc::InvalidRequest, "a glob cannot go up with '..': {}",
                visible_text(given, false));
  std::string glob;
  if (given.starts_with('/')) {
    const auto below = below_workspace(workspace, given);
    if (!below)
      return fail(Errc::Forbidden, "{} is outside the workspace {}, where searches are made",
                  visible_text(given, false), visible_text(workspace.folder(), false));
    glob = *below;
  } else if (given == "." || given.starts_with("./")) {
    glob = given.substr(std::min<std::size_t>(given.size(), 2));
  } else {
    glob = given.starts_with("**") ? std::string(given) : "**/" + std::string(given);
  }
  if (glob.empty() || glob.ends_with('/')) glob += "**";
  return glob;
}

// As it is given, and as answers show names that cannot be shown: new⟨U+000A⟩line.txt.
std::vector<std::string> with_names_as_shown(std::string glob) {
  std::vector<std::string> patterns{glob};
  if (std::string meant = read_marks(glob); meant != glob) patterns.push_back(std::move(meant));
  return patterns;
}

// One rule per line: what a line of text cannot hold stands for any character here.
std::string as_rule(std::string_view pattern) {
  std::string rule = "!/";
  for (std::size_t at = 0; at < pattern.size();) {
    const CodePoint point = read_code_point(pattern, at);
    if (!point.valid || point.code == '\n' || point.code == '\r')
      rule += '?';
    else
      rule += pattern.substr(at, point.bytes);
    at += point.bytes;
  }
  while (rule.ends_with(' ')) rule.replace(rule.find_last_not_of(' ') + 1, 1, "?");
  return rule;
}

}  // namespace

SearchGlob::SearchGlob(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {
  for (const std::string& pattern : patterns_) globs_.emplace_back(pattern);
}

Result<SearchGlob> SearchGlob::parse(const Workspace& workspace, std::string_view given) {
  auto glob = anchor(workspace, given);
  if (!glob) return std::unexpected(glob.error());
  return SearchGlob(with_names_as_shown(std::move(*glob)));
}

Result<SearchGlob> SearchGlob::parse_with_folders(const Workspace& workspace,
                                                  std::string_view given) {
  auto glob = anchor(workspace, given);
  if (!glob) return std::unexpected(glob.error());
  std::vector<std::string> patterns = with_names_as_shown(*glob);
  if (!has_glob_characters(given))
    std::ranges::move(with_names_as_shown(*glob + "/**"), std::back_inserter(patterns));
  return SearchGlob(std::move(patterns));
}

bool SearchGlob::matches(std::string_view path) const {
  return std::ranges::any_of(globs_, [&](const PathGlob& glob) { return glob.matches(path); });
}

std::string write_ignore_rules(const SearchGlob& glob) {
  std::string rules = "*\n!*/\n";
  for (const std::string& pattern : glob.patterns()) rules += as_rule(pattern) + '\n';
  return rules;
}

std::string escape_glob(std::string_view path) {
  std::string glob;
  for (const char c : path) {
    if (c == '\n' || c == '\r') {
      glob += '?';
      continue;
    }
    if (std::string_view("*?[]{}\\! #").contains(c)) glob += '\\';
    glob += c;
  }
  return glob;
}

}  // namespace toolgate
