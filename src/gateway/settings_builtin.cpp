#include "gateway/settings_builtin.h"

#include <algorithm>
#include <cmath>

namespace toolgate {
namespace {

Result<std::vector<std::string>> read_absolute_paths(const SettingsValue& value) {
  auto paths = read_texts(value, "must be a list of absolute paths");
  for (std::size_t i = 0; paths && i < paths->size(); ++i)
    if (!(*paths)[i].starts_with('/')) return value.item(i).fail("must be an absolute path");
  return paths;
}

// true, false, null, or {"approve", "matchCommandLine"}.
Result<CommandRule> read_command_rule(const SettingsValue& value, std::string_view key) {
  std::optional<bool> approve;
  bool matches_whole_line = false;
  if (value.value().is_object()) {
    if (const auto member = value.find_member("approve"); member && !member->value().is_null())
      if (auto kept = keep(read_bool(*member), approve); !kept)
        return std::unexpected(std::move(kept.error()));
    if (const auto member = value.find_member("matchCommandLine"))
      if (auto kept = keep(read_bool(*member), matches_whole_line); !kept)
        return std::unexpected(std::move(kept.error()));
  } else if (const auto* both = value.value().if_bool()) {
    approve = *both;
  } else if (!value.value().is_null()) {
    return value.fail("must be true, false, null or {{\"approve\", \"matchCommandLine\"}}");
  }
  auto rule = make_command_rule(key, approve, matches_whole_line);
  if (!rule) return value.fail("cannot be used: the key {}", rule.error().message);
  return rule;
}

constexpr std::size_t kMostLanguages = 32;

Result<std::vector<std::string>> read_some_texts(const SettingsValue& value) {
  constexpr std::string_view kExpected = "must be a list of strings that is not empty";
  auto texts = read_texts(value, kExpected);
  if (texts && texts->empty()) return value.fail("{}", kExpected);
  return texts;
}

// The program of a command: looked for in the PATH, never in the workspace.
Result<std::vector<std::string>> read_command(const SettingsValue& value) {
  auto command = read_some_texts(value);
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
        "must be true, false, a command as a list of strings, or an object with \"command\", "
        "\"extensions\" and \"sandbox\"");
  if (const auto command = is_object ? value.find_member("command") : std::optional(value)) {
    if (auto kept = keep(read_command(*command), setting.command); !kept)
      return std::unexpected(kept.error());
  }
  if (const auto extensions = is_object ? value.find_member("extensions") : std::nullopt) {
    if (auto kept = keep(read_some_texts(*extensions), setting.extensions); !kept)
      return std::unexpected(kept.error());
    if (!std::ranges::all_of(setting.extensions,
                             [](const std::string& each) { return each.starts_with('.'); }))
      return extensions->fail("must begin with a dot");
  }
  if (const auto sandbox = is_object ? value.find_member("sandbox") : std::nullopt)
    if (auto kept = keep(read_bool(*sandbox), setting.is_sandboxed); !kept)
      return std::unexpected(kept.error());
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

Result<void> kept_edit_bytes(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  return keep(read_integer(value, 0, kMost), draft.settings.builtin.edit_bytes);
}

Result<void> extra_folders(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_absolute_paths(value), draft.settings.builtin.extra_folders);
}

Result<void> sandbox_switch(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_bool(value), draft.settings.builtin.sandbox.enabled);
}

Result<void> sandbox_network(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_bool(value), draft.settings.builtin.sandbox.network);
}

Result<void> sandbox_writable(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_absolute_paths(value), draft.settings.builtin.sandbox.writable);
}

Result<void> sandbox_hidden(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_absolute_paths(value), draft.settings.builtin.sandbox.hidden);
}

Result<void> sandbox_memory(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::int64_t kLeast = std::int64_t{16} << 20;  // less does not start a shell
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  return keep(read_integer(value, kLeast, kMost), draft.settings.builtin.sandbox.memory_bytes);
}

Result<void> sandbox_processes(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::int64_t kLeast = 8;  // with those that make the sandbox
  constexpr std::int64_t kMost = 100'000;
  return keep(read_integer(value, kLeast, kMost), draft.settings.builtin.sandbox.processes);
}

// A workspace's rules can only ask for more questions.
Result<void> command_rules(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::size_t kMostRules = 1'000;
  const auto* map = value.value().if_object();
  if (!map) return value.fail("must be an object of commands and whether each is approved");
  if (map->size() > kMostRules)
    return value.fail("has {} entries, at most {} are allowed", map->size(), kMostRules);
  for (const auto& [key, unused] : *map) {
    auto rule = read_command_rule(value.member(key), key);
    if (!rule) return std::unexpected(std::move(rule.error()));
    if (draft.in_workspace && rule->approve != false)
      draft.warn(value.member(key), "is ignored: a workspace may forbid, not allow");
    else if (draft.in_workspace)
      draft.settings.builtin.command_refusals.push_back(std::move(*rule));
    else
      set_command_rule(draft.settings.builtin.command_rules, std::move(*rule));
  }
  return {};
}

Result<void> web_private_hosts(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_texts(value, "must be a list of hosts, with or without a port"),
              draft.settings.builtin.web.allowed_private_hosts);
}

Result<void> web_page_bytes(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::int64_t kMostPageBytes = 64 << 20;  // reading a page takes many times its size
  return keep(read_integer(value, 1, kMostPageBytes), draft.settings.builtin.web.page_bytes);
}

Result<void> web_page_seconds(const SettingsValue& value, SettingsDraft& draft) {
  return keep_seconds(value, draft.settings.builtin.web.page_seconds);
}

Result<void> command_rules_switch(const SettingsValue& value, SettingsDraft& draft) {
  const auto on = read_bool(value);
  if (!on) return std::unexpected(on.error());
  if (draft.in_workspace && *on)
    draft.warn(value, "is ignored: a workspace may switch it off, not on");
  else
    draft.settings.builtin.commands_may_be_approved = *on;
  return {};
}

Result<void> default_command_rules_switch(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_bool(value), draft.settings.builtin.ignore_default_command_rules);
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
