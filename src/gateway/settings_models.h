// The list toolgate.models and the model that the environment defines. settings_keys.cpp and
// settings.cpp call it.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "gateway/settings.h"
#include "gateway/settings_file.h"

namespace toolgate {

inline constexpr std::string_view kDemoModel = "toolgate/demo";

// Unknown members are reported through `warn`.
using WarnAt = std::function<void(const SettingsValue& value, std::string_view reason)>;
Result<std::vector<ModelSettings>> read_models(const SettingsValue& list, const WarnAt& warn);

// The model of OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL, if one of the first two is set.
Result<std::optional<ModelSettings>> environment_model(const Environment& environment);

ModelSettings demo_model();

}  // namespace toolgate
