// Readers of the settings that decide about calls: chat.tools.*.autoApprove, rules and hooks. A
// workspace's files may make them stricter, never looser. settings_keys.cpp has them in its table.
#pragma once

#include "gateway/settings_keys.h"

namespace toolgate {

Result<void> global_auto_approve(const SettingsValue& value, SettingsDraft& draft);
Result<void> global_opt_in(const SettingsValue& value, SettingsDraft& draft);
Result<void> eligible_tools(const SettingsValue& value, SettingsDraft& draft);
Result<void> url_rules(const SettingsValue& value, SettingsDraft& draft);
std::vector<EditRule> usual_edit_rules();
Result<void> edit_rules(const SettingsValue& value, SettingsDraft& draft);
Result<void> permission_level(const SettingsValue& value, SettingsDraft& draft);
Result<void> approval_rules(const SettingsValue& value, SettingsDraft& draft);
Result<void> confirmation_time(const SettingsValue& value, SettingsDraft& draft);
Result<void> redacted_names(const SettingsValue& value, SettingsDraft& draft);
Result<void> http_tool_hosts(const SettingsValue& value, SettingsDraft& draft);
Result<void> hooks_before(const SettingsValue& value, SettingsDraft& draft);
Result<void> hooks_after(const SettingsValue& value, SettingsDraft& draft);

// Once all files are read: compiles the rules.
Result<void> complete_approvals(SettingsDraft& draft);

}  // namespace toolgate
