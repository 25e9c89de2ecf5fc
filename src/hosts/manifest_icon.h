// Icons as manifests give them (extension_manifest.h).
#pragma once

#include <string>

#include "base/json.h"

namespace toolgate {

// "$(name)", a path, or {"light":path,"dark":path} as JSON; empty: no icon. `root` is the folder
// that paths are relative to; empty: they stay so.
std::string icon_of(const json::value* icon, const std::string& root);

}  // namespace toolgate
