// The settings toolgate.telemetry.*, and what they and OpenTelemetry's own environment variables
// make of the exporter. settings_keys.cpp has the keys, snapshot.cpp makes the target.
#pragma once

#include <memory>

#include "gateway/settings_keys.h"
#include "net/otlp_exporter.h"

namespace toolgate {

Result<void> telemetry_endpoint(const SettingsValue& value, SettingsDraft& draft);
Result<void> telemetry_headers(const SettingsValue& value, SettingsDraft& draft);
Result<void> telemetry_service_name(const SettingsValue& value, SettingsDraft& draft);
Result<void> telemetry_sample(const SettingsValue& value, SettingsDraft& draft);
Result<void> telemetry_content(const SettingsValue& value, SettingsDraft& draft);

// Null: nothing is exported. A variable that cannot be used is told in `warnings`: those that are
// there for other programs must not stop the gateway.
std::shared_ptr<const OtlpTarget> make_otlp_target(const TelemetrySettings& settings,
                                                   const Environment& environment,
                                                   std::vector<std::string>& warnings);

}  // namespace toolgate
