// The settings that decide about calls, as a request sees them: immutable, part of a Settings.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "invoke/approval_rules.h"
#include "invoke/edit_approval.h"
#include "invoke/url_approval.h"

namespace toolgate {

// chat.tools.global.autoApprove: everything, or tools by id.
struct GlobalAutoApprove {
  bool all = false;
  std::map<std::string, bool, std::less<>> tools;

  bool is_on() const { return all || !tools.empty(); }
  bool approves(std::string_view tool_id) const {
    const auto found = tools.find(tool_id);
    return all || (found != tools.end() && found->second);
  }
};

// chat.permissions.default, and the level of a session.
enum class PermissionLevel : std::uint8_t { Default, Assisted, AutoApprove, Autopilot };
std::optional<PermissionLevel> parse_permission_level(std::string_view name);
std::string_view name_of(PermissionLevel level);

struct ApprovalSettings {
  GlobalAutoApprove global;
  bool global_opted_in = false;  // chat.tools.global.autoApprove.optIn
  // chat.tools.eligibleForAutoApproval: names of tools; false: always asked about.
  std::map<std::string, bool, std::less<>> eligible;
  PermissionLevel default_level = PermissionLevel::Default;
  bool advanced_autopilot = false;                       // chat.autopilot.advanced.enabled
  std::vector<UrlRule> urls;                             // chat.tools.urls.autoApprove
  std::vector<EditRule> edits = default_edit_rules();    // chat.tools.edits.autoApprove
  ApprovalRules rules;                                   // toolgate.approvals.rules
  std::chrono::milliseconds confirmation_time{300'000};  // 0: waits for ever
};

}  // namespace toolgate
