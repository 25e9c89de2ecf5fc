// edit_globs.json: path globs, settings that approve edits of a workspace's files, and what guards
// other files whatever the settings say.
#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden_runner/kinds.h"
#include "invoke/edit_approval.h"

namespace toolgate {
namespace {

// The word DEFAULT stands for the file's own list.
std::vector<EditRule> rules_of(const json::value& settings, const json::value& defaults) {
  std::vector<EditRule> rules;
  for (const auto& member : (settings.is_string() ? defaults : settings).as_object())
    rules.push_back({std::string(member.key()), member.value().as_bool()});
  return rules;
}

EditPlaces places_of(const json::value& given) {
  const json::value* ignore_case = find(given, "case_insensitive");
  return {.workspaces = {std::string(given.at("workspace").as_string())},
          .home = std::string(text_in(given, "home")),
          .ignore_case = ignore_case != nullptr && ignore_case->as_bool(),
          .is_mac = text_in(given, "platform") == "darwin"};
}

int error_number(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, int>, 6> kErrors{{{"", 0},
                                                                            {"EPERM", EPERM},
                                                                            {"EACCES", EACCES},
                                                                            {"ENOENT", ENOENT},
                                                                            {"ENOTDIR", ENOTDIR},
                                                                            {"ELOOP", ELOOP}}};
  for (const auto& [known, number] : kErrors)
    if (known == name) return number;
  throw std::runtime_error("unknown error " + std::string(name));
}

ResolvedPath resolved_path(const json::value& given) {
  const std::string_view target = text_in(given, "symlink_target");
  return {std::string(target.empty() ? text_in(given, "path") : target),
          error_number(text_in(given, "realpath_error"))};
}

std::string describe(const EditCheck& check, bool with_pattern) {
  json::object result{{"approved", check.verdict == EditVerdict::Approved},
                      {"result", name_of(check.verdict)}};
  if (with_pattern)
    result["last_matching_pattern"] =
        check.pattern.empty() ? json::value(nullptr) : json::value(check.pattern);
  return write_json(result);
}

void run_glob(const json::value& entry, Tally& tally) {
  const bool matches = matches_path_glob(text_in(entry, "pattern"), text_in(entry, "path"));
  tally.compare(text_in(entry, "id"), write_json(entry.at("expected")), matches ? "true" : "false");
}

void run_check(const json::value& entry, const json::value& defaults, Tally& tally) {
  const json::value* described = find(entry, "given");
  const json::value& given = described != nullptr ? *described : entry;
  if (text_in(given, "platform") == "win32") {
    ++tally.skipped;
    return;
  }
  const auto check =
      check_resolved_edit(text_in(given, "path"), resolved_path(given),
                          rules_of(given.at("settings"), defaults), places_of(given));
  const json::value& expected = entry.at("expected");
  const bool with_pattern = find(expected, "last_matching_pattern") != nullptr;
  tally.compare(text_in(entry, "id"), write_json(expected), describe(check, with_pattern));
}

}  // namespace

void run_edit_globs(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array()) {
    if (text_in(entry, "type") == "glob")
      run_glob(entry, tally);
    else
      run_check(entry, file.at("default_settings"), tally);
  }
}

}  // namespace toolgate
