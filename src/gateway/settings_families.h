// The list toolgate.families: rows that are added to the table of model families. settings_keys.cpp
// calls it.
#pragma once

#include <vector>

#include "gateway/settings_file.h"
#include "gateway/settings_models.h"
#include "schema/families.h"

namespace toolgate {

Result<std::vector<FamilyRule>> read_families(const SettingsValue& list, const WarnAt& warn);

}  // namespace toolgate
