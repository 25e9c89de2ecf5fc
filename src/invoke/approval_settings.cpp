#include "invoke/approval_settings.h"

#include <array>
#include <utility>

namespace toolgate {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames{"default", "assisted", "autoApprove",
                                                      "autopilot"};

}  // namespace

std::optional<PermissionLevel> parse_permission_level(std::string_view name) {
  for (std::size_t i = 0; i < kLevelNames.size(); ++i)
    if (kLevelNames[i] == name) return static_cast<PermissionLevel>(i);
  return std::nullopt;
}

std::string_view name_of(PermissionLevel level) {
  return kLevelNames[std::to_underlying(level)];
}

}  // namespace toolgate
