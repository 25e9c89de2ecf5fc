// The table of settings keys: name, type, who may set it, how it is applied. A new key is one line
// of the table in settings_keys.cpp. settings.cpp walks the files and looks keys up here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/settings.h"
#include "gateway/settings_file.h"

namespace toolgate {

inline constexpr std::size_t kMostWarningsOfFile = 50;

// What the files have said so far.
struct SettingsDraft {
  explicit SettingsDraft(const Environment& env) : environment(env) {}

  struct ModelChoice {
    SettingsValue value;
    std::string id;
    bool from_workspace;
  };

  const Environment& environment;
  Settings settings;
  std::vector<ModelChoice> default_models;  // the last one counts
  std::optional<ModelChoice> naming_model;
  std::vector<ApprovalRule> profile_rules;
  std::vector<ApprovalRule> workspace_rules;
  bool in_workspace = false;  // of the file being read
  std::size_t warnings_of_file = 0;

  // Only the first of a file are kept: each one costs a search through its text.
  bool may_warn() const { return warnings_of_file < kMostWarningsOfFile; }
  void warn(const SettingsValue& value, std::string_view reason);
};

// A workspace comes with code of others: its files must not redirect requests, hand out keys or
// loosen anything. ProfileOnly means the profile file and --settings.
enum class SetBy { AnyFile, ProfileOnly };

struct SettingsKey {
  std::string_view name;
  std::string_view type;
  SetBy set_by;
  Result<void> (*apply)(const SettingsValue& value, SettingsDraft& draft);
};

std::span<const SettingsKey> settings_keys();
const SettingsKey* find_settings_key(std::string_view name);

// Whether keys begin with `name` and a dot, so that an object may stand there.
bool is_settings_group(std::string_view name);

// The key or group that is spelled most like `name`.
std::string_view nearest_settings_key(std::string_view name);

}  // namespace toolgate
