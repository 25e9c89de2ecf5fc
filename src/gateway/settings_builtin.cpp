#include "gateway/settings_builtin.h"

#include <cmath>

namespace toolgate {
namespace {

Result<std::vector<std::string>> read_absolute_paths(const SettingsValue& value) {
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of absolute paths");
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto path = read_text(value.item(i));
    if (!path) return std::unexpected(std::move(path.error()));
    if (!path->starts_with('/')) return value.item(i).fail("must be an absolute path");
    paths.push_back(std::move(*path));
  }
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
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of hosts, with or without a port");
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto host = read_text(value.item(i));
    if (!host) return std::unexpected(std::move(host.error()));
    hosts.push_back(std::move(*host));
  }
  draft.settings.builtin.web.allowed_private_hosts = std::move(hosts);
  return {};
}

Result<void> web_page_bytes(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::int64_t kMostPageBytes = 64 << 20;  // reading a page takes many times its size
  return keep(read_integer(value, 1, kMostPageBytes), draft.settings.builtin.web.page_bytes);
}

Result<void> web_page_seconds(const SettingsValue& value, SettingsDraft& draft) {
  const auto seconds = read_seconds(value);
  if (!seconds) return std::unexpected(seconds.error());
  draft.settings.builtin.web.page_seconds =
      std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*seconds * 1000)));
  return {};
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

}  // namespace toolgate
