#include "gateway/settings_builtin.h"

#include <algorithm>
#include <cmath>

namespace toolgate {
namespace {

constexpr std::size_t kMostLanguages = 32;

Result<std::vector<std::string>> read_texts(const SettingsValue& value) {
  const auto* list = value.value().if_array();
  if (!list || list->empty()) return value.fail("must be a list of strings that is not empty");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto text = read_text(value.item(i));
    if (!text) return std::unexpected(std::move(text.error()));
    texts.push_back(std::move(*text));
  }
  return texts;
}

// The program of a command: looked for in the PATH, never in the workspace.
Result<std::vector<std::string>> read_command(const SettingsValue& value) {
  auto command = read_texts(value);
  if (command && command->front().contains('/') && !command->front().starts_with('/'))
    return value.item(0).fail("must be a name in the PATH or an absolute path");
  return command;
}

Result<LanguageServerSetting> read_language_server(const std::string& language,
                                                   const SettingsValue& value) {
  LanguageServerSetting setting{.language = language};
  if (value.value().is_bool()) {
    setting.is_on = value.value().get_bool();
    return setting;
  }
  const bool is_object = value.value().is_object();
  if (!is_object && !value.value().is_array())
    return value.fail(
        "must be true, false, a command as a list of strings, or an object with \"command\" and "
        "\"extensions\"");
  if (const auto command = is_object ? value.find_member("command") : std::optional(value)) {
    if (auto kept = keep(read_command(*command), setting.command); !kept)
      return std::unexpected(kept.error());
  }
  if (const auto extensions = is_object ? value.find_member("extensions") : std::nullopt) {
    if (auto kept = keep(read_texts(*extensions), setting.extensions); !kept)
      return std::unexpected(kept.error());
    if (!std::ranges::all_of(setting.extensions,
                             [](const std::string& each) { return each.starts_with('.'); }))
      return extensions->fail("must begin with a dot");
  }
  return setting;
}

Result<void> keep_seconds(const SettingsValue& value, std::chrono::milliseconds& target) {
  const auto seconds = read_seconds(value);
  if (!seconds) return std::unexpected(seconds.error());
  target = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*seconds * 1000)));
  return {};
}

}  // namespace

Result<void> builtin_tools_switch(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_bool(value), draft.settings.builtin.enabled);
}

Result<void> extra_folders(const SettingsValue& value, SettingsDraft& draft) {
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of absolute paths of folders");
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto folder = read_text(value.item(i));
    if (!folder) return std::unexpected(std::move(folder.error()));
    if (!folder->starts_with('/')) return value.item(i).fail("must be an absolute path");
    folders.push_back(std::move(*folder));
  }
  draft.settings.builtin.extra_folders = std::move(folders);
  return {};
}

Result<void> language_servers(const SettingsValue& value, SettingsDraft& draft) {
  const auto* object = value.value().if_object();
  if (!object) return value.fail("must be an object: a language, and its command or false");
  if (object->size() > kMostLanguages)
    return value.fail("has more than {} members", kMostLanguages);
  std::vector<LanguageServerSetting> servers;
  for (const auto& [name, unused] : *object) {
    auto server = read_language_server(std::string(name), value.member(name));
    if (!server) return std::unexpected(std::move(server.error()));
    servers.push_back(std::move(*server));
  }
  draft.settings.builtin.language_servers = std::move(servers);
  return {};
}

Result<void> language_server_time(const SettingsValue& value, SettingsDraft& draft) {
  return keep_seconds(value, draft.settings.builtin.language_server_limits.request_time);
}

Result<void> language_server_idle_time(const SettingsValue& value, SettingsDraft& draft) {
  return keep_seconds(value, draft.settings.builtin.language_server_limits.idle_time);
}

}  // namespace toolgate
