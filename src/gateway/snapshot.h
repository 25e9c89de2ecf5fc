// What a request sees of the configuration: settings and the models opened from them. Immutable; a
// reload publishes a new one, and a request keeps the one it began with.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "gateway/settings.h"
#include "models/provider.h"

namespace toolgate {

struct OtlpTarget;

struct Snapshot {
  Settings settings;
  std::vector<std::unique_ptr<ChatProvider>> models;
  std::shared_ptr<const OtlpTarget> telemetry;  // null: spans go nowhere

  // By id; an empty id means the default model. Null when there is none.
  const ChatProvider* find_model(std::string_view id) const;
};

// The error that names the models there are.
Error unknown_model(const Snapshot& snapshot, std::string_view id);

Result<std::shared_ptr<const Snapshot>> make_snapshot(Settings settings,
                                                      const Environment& environment);

}  // namespace toolgate
