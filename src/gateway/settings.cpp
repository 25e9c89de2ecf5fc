#include "gateway/settings.h"

#include <algorithm>
#include <deque>
#include <pwd.h>
#include <ranges>
#include <unistd.h>

#include "gateway/settings_approvals.h"
#include "gateway/settings_file.h"
#include "gateway/settings_keys.h"
#include "gateway/settings_models.h"

namespace toolgate {
namespace {

struct Layer {
  std::filesystem::path path;
  bool from_workspace = false;
  bool required = false;
};

std::vector<Layer> layers(const SettingsFiles& files) {
  std::vector<Layer> result;
  if (!files.profile.empty()) result.push_back({files.profile});
  if (!files.workspace.empty())
    for (const auto* folder : {".vscode", ".toolgate"})
      result.push_back({files.workspace / folder / "settings.json", true, false});
  for (const auto& path : files.extra) result.push_back({path, false, true});
  return result;
}

// Arrays are their JSON text, as `when` clauses see them; of an object every member is a key too.
void add_config(const std::string& name, const json::value& value, int depth, Settings& settings) {
  constexpr std::size_t kMostKeys = 20'000;
  constexpr int kDeepest = 8;
  if (settings.config.size() >= kMostKeys) return;
  std::string text = write_json(value);
  if (value.is_array()) text = write_json(json::value(text));
  settings.config.insert_or_assign(name, std::move(text));
  if (value.is_object() && depth < kDeepest)
    for (const auto& [key, member] : value.get_object())
      add_config(name + "." + std::string(key), member, depth + 1, settings);
}

bool is_ours(std::string_view name) {
  return name == "toolgate" || name.starts_with("toolgate.");
}

Result<void> apply_key(const SettingsKey& key, const SettingsValue& value, SettingsDraft& draft) {
  if (draft.in_workspace && key.set_by == SetBy::ProfileOnly) {
    draft.warn(value,
               "is ignored: only the profile file and --settings may set it, because a workspace "
               "must not redirect requests, hand out keys or loosen limits");
    return {};
  }
  auto applied = key.apply(value, draft);
  if (applied || is_ours(key.name)) return applied;
  // What a person forbids must not be lost over a slip.
  if (key.name.starts_with("chat.tools.") && !draft.in_workspace) return applied;
  // VS Code's own settings come with a workspace; a wrong one must not stop the gateway.
  draft.warn(value, fmt::format("is ignored: it must be of the type {}", key.type));
  return {};
}

void warn_of_unknown(const SettingsValue& value, SettingsDraft& draft) {
  if (!draft.may_warn()) return;
  const auto nearest = nearest_settings_key(value.name());
  draft.warn(value, fmt::format("is no setting; did you mean \"{}\"?", nearest));
}

// "toolgate.limits.tools": 5 and {"toolgate": {"limits": {"tools": 5}}} and every mixture.
Result<void> apply_object(const SettingsValue& object, SettingsDraft& draft) {
  for (const auto& [member, unused] : object.value().get_object()) {
    const auto value = object.member(member);
    const auto name = value.name();
    Result<void> applied;
    if (const auto* key = find_settings_key(name)) {
      applied = apply_key(*key, value, draft);
    } else if (!is_ours(name)) {
      if (is_settings_group(name) && value.value().is_object())
        applied = apply_object(value, draft);
    } else if (!is_settings_group(name)) {
      warn_of_unknown(value, draft);
    } else if (value.value().is_object()) {
      applied = apply_object(value, draft);
    } else {
      applied = value.fail("must be an object");
    }
    if (!applied) return applied;
  }
  return {};
}

Result<void> apply_layer(const Layer& layer, std::deque<SettingsFile>& opened,
                         SettingsDraft& draft) {
  auto file = read_settings_file(layer.path);
  if (!file) return std::unexpected(std::move(file.error()));
  if (!*file && layer.required)
    return fail_at(layer.path.string(), Errc::InvalidSettings, "{}: there is no such file",
                   layer.path.string());
  if (!*file) return {};
  opened.push_back(std::move(**file));
  for (const auto& [key, value] : opened.back().root.get_object())
    if (!is_ours(key)) add_config("config." + std::string(key), value, 1, draft.settings);
  draft.in_workspace = layer.from_workspace;
  draft.warnings_of_file = 0;
  return apply_object(SettingsValue(opened.back()), draft);
}

Result<void> complete_models(SettingsDraft& draft) {
  auto& models = draft.settings.models;
  if (models.empty()) {
    auto model = environment_model(draft.environment);
    if (!model) return std::unexpected(std::move(model.error()));
    if (*model) models.push_back(std::move(**model));
  }
  models.push_back(demo_model());
  return {};
}

bool has_model(const Settings& settings, const std::string& id) {
  return std::ranges::find(settings.models, id, &ModelSettings::id) != settings.models.end();
}

std::string not_configured(const Settings& settings, std::string_view id) {
  const auto ids = settings.models | std::views::transform(&ModelSettings::id);
  return fmt::format("names {}, which is not configured; there are: {}", in_quotes(id),
                     fmt::join(ids, ", "));
}

// A workspace that names a model which this machine lacks does not stop the gateway.
Result<void> choose_default_model(SettingsDraft& draft) {
  draft.warnings_of_file = 0;
  for (const auto& choice : draft.default_models | std::views::reverse) {
    if (has_model(draft.settings, choice.id)) {
      draft.settings.default_model = choice.id;
      return {};
    }
    const auto reason = not_configured(draft.settings, choice.id);
    if (!choice.from_workspace) return choice.value.fail("{}", reason);
    draft.warn(choice.value, reason + "; it is ignored");
  }
  return {};
}

Result<void> choose_naming_model(SettingsDraft& draft) {
  if (!draft.naming_model) return {};
  const auto& [value, id, from_workspace] = *draft.naming_model;
  if (!has_model(draft.settings, id)) return value.fail("{}", not_configured(draft.settings, id));
  draft.settings.naming_model = id;
  return {};
}

std::filesystem::path home_folder(const Environment& environment) {
  std::filesystem::path home = environment("HOME").value_or("");
  if (home.is_absolute()) return home;
  const auto* entry = ::getpwuid(::getuid());
  return entry && *entry->pw_dir == '/' ? entry->pw_dir : "/";
}

}  // namespace

// Never a relative path: it would make a file of the workspace the profile.
std::filesystem::path profile_folder(const Environment& environment) {
  const std::filesystem::path config = environment("XDG_CONFIG_HOME").value_or("");
  if (config.is_absolute()) return config / "toolgate";
  return home_folder(environment) / ".config" / "toolgate";
}

std::vector<std::filesystem::path> watched_files(const SettingsFiles& files) {
  std::vector<std::filesystem::path> result;
  for (const auto& layer : layers(files)) result.push_back(layer.path);
  return result;
}

Result<Settings> load_settings(const SettingsFiles& files, const Environment& environment) {
  SettingsDraft draft(environment);
  draft.settings.approvals.edits = usual_edit_rules();
  std::deque<SettingsFile> opened;  // the draft points into them
  for (const auto& layer : layers(files))
    if (auto applied = apply_layer(layer, opened, draft); !applied)
      return std::unexpected(std::move(applied.error()));
  if (auto completed = complete_models(draft); !completed)
    return std::unexpected(std::move(completed.error()));
  if (auto chosen = choose_default_model(draft); !chosen)
    return std::unexpected(std::move(chosen.error()));
  if (auto chosen = choose_naming_model(draft); !chosen)
    return std::unexpected(std::move(chosen.error()));
  if (auto completed = complete_approvals(draft); !completed)
    return std::unexpected(std::move(completed.error()));
  return std::move(draft.settings);
}

}  // namespace toolgate
