// The settings of the built-in tools. settings_keys.cpp has the keys.
#pragma once

#include "gateway/settings_keys.h"

namespace toolgate {

Result<void> builtin_tools_switch(const SettingsValue& value, SettingsDraft& draft);
Result<void> extra_folders(const SettingsValue& value, SettingsDraft& draft);
Result<void> language_servers(const SettingsValue& value, SettingsDraft& draft);
Result<void> language_server_time(const SettingsValue& value, SettingsDraft& draft);
Result<void> language_server_idle_time(const SettingsValue& value, SettingsDraft& draft);

}  // namespace toolgate
