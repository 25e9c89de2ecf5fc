// The settings of the built-in tools. settings_keys.cpp has the keys.
#pragma once

#include "gateway/settings_keys.h"

namespace toolgate {

Result<void> builtin_tools_switch(const SettingsValue& value, SettingsDraft& draft);
Result<void> kept_edit_bytes(const SettingsValue& value, SettingsDraft& draft);
Result<void> extra_folders(const SettingsValue& value, SettingsDraft& draft);
Result<void> sandbox_switch(const SettingsValue& value, SettingsDraft& draft);
Result<void> sandbox_network(const SettingsValue& value, SettingsDraft& draft);
Result<void> sandbox_writable(const SettingsValue& value, SettingsDraft& draft);
Result<void> sandbox_hidden(const SettingsValue& value, SettingsDraft& draft);
Result<void> sandbox_memory(const SettingsValue& value, SettingsDraft& draft);
Result<void> sandbox_processes(const SettingsValue& value, SettingsDraft& draft);
Result<void> command_rules(const SettingsValue& value, SettingsDraft& draft);
Result<void> command_rules_switch(const SettingsValue& value, SettingsDraft& draft);
Result<void> default_command_rules_switch(const SettingsValue& value, SettingsDraft& draft);

Result<void> web_private_hosts(const SettingsValue& value, SettingsDraft& draft);
Result<void> web_page_bytes(const SettingsValue& value, SettingsDraft& draft);
Result<void> web_page_seconds(const SettingsValue& value, SettingsDraft& draft);
Result<void> language_servers(const SettingsValue& value, SettingsDraft& draft);
Result<void> language_server_time(const SettingsValue& value, SettingsDraft& draft);
Result<void> language_server_idle_time(const SettingsValue& value, SettingsDraft& draft);

}  // namespace toolgate
