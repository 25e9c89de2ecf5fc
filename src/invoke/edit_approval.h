// chat.tools.edits.autoApprove: which files a tool may change without asking. Pure but for
// check_edit(), which resolves symbolic links.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

// VS Code's path glob (**, *, ?, {a,b}, [a-z]) against a whole path with '/'.
bool matches_path_glob(std::string_view pattern, std::string_view path);

struct EditRule {
  std::string pattern;
  bool approve = false;
};

// What VS Code has by default.
const std::vector<EditRule>& default_edit_rules();

// In order of strictness.
enum class EditVerdict { Approved, NoPermissions, Sensitive, SystemFile, OutsideWorkspace };
std::string_view name_of(EditVerdict verdict);  // "none", "no_permissions", …

struct EditPlaces {
  std::vector<std::string> workspaces;  // absolute, normalised
  std::string home;
  bool ignore_case = false;
  bool is_mac = false;
};

struct EditCheck {
  EditVerdict verdict = EditVerdict::Approved;
  std::string pattern;  // the last one that matched; empty: none
};
// `path` is absolute and already resolved; nothing is read from disk.
EditCheck check_edit_path(std::string_view path, std::span<const EditRule> rules,
                          const EditPlaces& places);

// The path as given and, through symbolic links, as it is; a file that does not exist yet is judged
// by its nearest folder that does. The stricter answer counts.
EditCheck check_edit(const std::filesystem::path& path, std::span<const EditRule> rules,
                     const EditPlaces& places);

// The same with what a resolver says, for tests: the target, or an error number.
struct ResolvedPath {
  std::string target;
  int error = 0;
};
EditCheck check_resolved_edit(std::string_view path, const ResolvedPath& resolved,
                              std::span<const EditRule> rules, const EditPlaces& places);

}  // namespace toolgate
