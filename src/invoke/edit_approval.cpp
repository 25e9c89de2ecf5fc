#include "invoke/edit_approval.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <locale.h>
#include <ranges>
#include <wctype.h>

#include "base/ascii.h"
#include "invoke/code_points.h"
#include "invoke/path_glob.h"
#include "invoke/real_path.h"

namespace toolgate {
namespace {

// After all rules, so that no setting lets a model change what decides about it.
constexpr std::array<std::string_view, 2> kAlwaysAsked{"**/.vscode/*.json", "**/.toolgate/**"};

char32_t lower_code_point(char32_t code) {
  if (code < 0x80) return static_cast<unsigned char>(ascii_lower(static_cast<char>(code)));
  static const locale_t kUnicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (kUnicode == nullptr) return code;
  return static_cast<char32_t>(towlower_l(static_cast<wint_t>(code), kUnicode));
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = read_code_point(text, at);
    if (point.valid)
      append_utf8(out, lower_code_point(point.code));
    else
      out += text[at];
    at += point.bytes;
  }
  return out;
}

// Without ".", "..", and slashes that are not needed. Looks at no links.
std::string normal_path(std::string_view path) {
  std::vector<std::string_view> names;
  for (const auto part : std::views::split(path, '/')) {
    const std::string_view name(part);
    if (name == ".." && !names.empty()) names.pop_back();
    if (!name.empty() && name != "." && name != "..") names.push_back(name);
  }
  std::string out;
  for (const std::string_view name : names) out.append("/").append(name);
  return out.empty() ? "/" : out;
}

// A path beside a folder, both written the same way.
class Place {
 public:
  Place(std::string_view path, bool ignore_case)
      : ignore_case_(ignore_case), path_(written(normal_path(path))) {}

  const std::string& path() const { return path_; }

  bool is_in(std::string_view folder) const { return relative_to(folder).has_value(); }

  // Without a slash at the beginning; empty for the folder itself.
  std::optional<std::string_view> relative_to(std::string_view folder) const {
    if (folder.empty()) return std::nullopt;
    const std::string above = written(normal_path(folder));
    const std::string_view path = path_;
    if (path == above) return "";
    const std::size_t size = above == "/" ? 0 : above.size();
    if (!path.starts_with(above) || path[size] != '/') return std::nullopt;
    return path.substr(size + 1);
  }

  std::string written(std::string_view text) const {
    return ignore_case_ ? lower_case(text) : std::string(text);
  }

 private:
  bool ignore_case_;
  std::string path_;
};

// The innermost one; null: the path is in none.
const std::string* workspace_of(const Place& place, const EditPlaces& places) {
  const std::string* innermost = nullptr;
  for (const std::string& workspace : places.workspaces)
    if (place.is_in(workspace) &&
        (innermost == nullptr || normal_path(workspace).size() > normal_path(*innermost).size()))
      innermost = &workspace;
  return innermost;
}

// What programs are set up with: a person's files that begin with a dot, wherever the workspace is,
// and on a Mac the library, unless the workspace is in it.
bool is_system_file(const Place& place, const std::string& workspace, const EditPlaces& places) {
  const auto in_home = place.relative_to(places.home);
  if (in_home && in_home->starts_with('.')) return true;
  if (!places.is_mac || places.home.empty()) return false;
  const std::string library = places.home + "/Library";
  return place.is_in(library) && !Place(workspace, places.ignore_case).is_in(library);
}

EditCheck judge(const Place& place, std::string_view relative, std::span<const EditRule> rules) {
  EditCheck check;
  const auto apply = [&](std::string_view pattern, bool approve) {
    if (!PathGlob(place.written(pattern)).matches(relative)) return;
    check.verdict = approve ? EditVerdict::Approved : EditVerdict::Sensitive;
    check.pattern = pattern;
  };
  for (const EditRule& rule : rules) apply(rule.pattern, rule.approve);
  for (const std::string_view pattern : kAlwaysAsked) apply(pattern, false);
  return check;
}

// A line break slips through some patterns, and is in no name that a person gave a file.
bool has_control_character(std::string_view path) {
  return std::ranges::any_of(
      path, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

EditCheck stricter(EditCheck a, EditCheck b) {
  return b.verdict > a.verdict ? std::move(b) : std::move(a);
}

EditPlaces real_places(const EditPlaces& places) {
  EditPlaces real = places;
  const auto resolve = [](std::string& path) {
    if (path.empty()) return;
    if (RealPath found = find_real_path(path); found.error == 0) path = std::move(found.path);
  };
  std::ranges::for_each(real.workspaces, resolve);
  resolve(real.home);
  return real;
}

}  // namespace

bool matches_path_glob(std::string_view pattern, std::string_view path) {
  return PathGlob(pattern).matches(path);
}

const std::vector<EditRule>& default_edit_rules() {
  static const std::vector<EditRule> kRules{
      {"**/*", true},
      {"**/.git/**", false},
      {"**/{package.json,server.xml,build.rs,web.config,.gitattributes,.env,Cargo.toml}", false},
      {"**/{.npmrc,.yarnrc,.yarnrc.yml,.pnpmfile.js,.pnpmfile.cjs,.pnpmfile.mjs,"
       "pnpm-workspace.yaml}",
       false},
      {"**/*.{code-workspace,csproj,fsproj,vbproj,vcxproj,proj,targets,props,gradle,gradle.kts}",
       false},
      {"**/gradle.properties", false},
      {"**/ruby_lsp/*/addon", false},
      {"**/*.lock", false},
      {"**/*-lock.{yaml,json}", false},
      {"**/.mcp.json", false},
      {"**/.npmrc", false},
      {"**/.vscode/*.json", false},
      {"**/.github/agents/**", false},
      {"**/.github/hooks/**", false},
      {"**/.claude/agents/**", false},
      {"**/.claude/settings.json", false},
      {"**/.claude/settings.local.json", false},
      {"**/.codex/agents/**", false},
      {"**/.codex/config.toml", false},
      {"**/.codex/hooks.json", false},
  };
  return kRules;
}

std::string_view name_of(EditVerdict verdict) {
  switch (verdict) {
    case EditVerdict::Approved:
      return "none";
    case EditVerdict::NoPermissions:
      return "no_permissions";
    case EditVerdict::Sensitive:
      return "sensitive";
    case EditVerdict::SystemFile:
      return "system_file";
    case EditVerdict::OutsideWorkspace:
      return "outside_workspace";
  }
  return "";
}

EditCheck check_edit_path(std::string_view path, std::span<const EditRule> rules,
                          const EditPlaces& places) {
  const Place place(path, places.ignore_case);
  const std::string* workspace = path.starts_with('/') ? workspace_of(place, places) : nullptr;
  if (workspace == nullptr) return {EditVerdict::OutsideWorkspace, {}};
  if (is_system_file(place, *workspace, places)) return {EditVerdict::SystemFile, {}};
  EditCheck check = judge(place, *place.relative_to(*workspace), rules);
  if (!has_control_character(path)) return check;
  return stricter(std::move(check), {EditVerdict::Sensitive, {}});
}

EditCheck check_resolved_edit(std::string_view path, const ResolvedPath& resolved,
                              std::span<const EditRule> rules, const EditPlaces& places) {
  EditCheck check = check_edit_path(path, rules, places);
  if (resolved.error == EPERM) return stricter(std::move(check), {EditVerdict::NoPermissions, {}});
  if (resolved.error != 0) return check;
  return stricter(std::move(check), check_edit_path(resolved.target, rules, places));
}

EditCheck check_edit(const std::filesystem::path& path, std::span<const EditRule> rules,
                     const EditPlaces& places) {
  EditCheck check = check_edit_path(path.native(), rules, places);
  if (!path.is_absolute()) return check;
  const RealPath real = find_real_path(path);
  // What cannot be looked at may lead anywhere.
  if (real.error != 0) return stricter(std::move(check), {EditVerdict::NoPermissions, {}});
  return stricter(std::move(check), check_edit_path(real.path, rules, real_places(places)));
}

}  // namespace toolgate
