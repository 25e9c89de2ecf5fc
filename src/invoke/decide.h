// Who decides about a call: the precedence of docs/approvals.md as one function that looks at facts
// and remembered approvals, and says why. Pure; book.h calls it with its approvals at hand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "invoke/approval_settings.h"
#include "invoke/approvals.h"
#include "invoke/states.h"
#include "toolgate/catalog.h"
#include "toolgate/tool.h"

namespace toolgate {

// What a hook before the call said.
struct HookVerdict {
  enum class Kind : std::uint8_t { Nothing, Allow, Ask, Deny } kind = Kind::Nothing;
  std::string reason = {};
  std::string hook = {};  // its name, for people
};

// A part of the gateway that knows better about one tool; asked before remembered approvals.
struct ContributedDecision {
  std::optional<Decision> decision = {};
  bool can_use_default_approvals = true;
};

// What a model thinks of a call that nobody would be asked about, in order of danger.
enum class RiskRating : std::uint8_t { Unknown, Green, Orange, Red };
struct RiskFacts {
  RiskRating rating = RiskRating::Unknown;
  std::string explanation = {};
};

struct SessionFacts {
  PermissionLevel level = PermissionLevel::Default;
  bool is_local = true;
};

// All that is known when a call is decided about. Gathered on the caller's loop.
struct CallFacts {
  std::string tool_id = {};
  std::vector<std::string> eligibility_names = {};  // eligibility_names_of()
  std::optional<PreparedCall> prepared = {};
  bool always_display_input_output = false;
  std::string raw_input = {};  // JSON, to show
  HookVerdict hook;
  std::optional<RuleHit> rule = {};
  std::optional<ContributedDecision> contribution = {};
  std::optional<ContributedDecision> result_contribution = {};  // the same about the result
  // Of PreparedCall::edited_files, the worst. Files without a check are not approved.
  std::optional<EditCheck> edits = {};
  std::optional<RiskFacts> risk = {};  // nothing: chat.autopilot.advanced.enabled is off
  std::optional<SessionFacts> session = {};
  bool policy_forbids_auto_approve = false;
  bool global_approves = false;  // chat.tools.global.autoApprove, for this tool, with opt-in
  bool global_is_on = false;     // the same for results: whatever the tool
  std::optional<Decision> caller_approval = {};
  std::shared_ptr<const ApprovalSettings> settings;
  ApprovalQuery approvals;
};

// The names by which chat.tools.eligibleForAutoApproval may mean a tool, in order.
std::vector<std::string> eligibility_names_of(const CatalogTool& tool);
bool is_eligible(const CallFacts& facts);
// Whether CallFacts::risk would be looked at: getting it costs a model's answer.
bool wants_risk_rating(const CallFacts& facts);

// What a person is asked, with what VS Code adds: a general question where the tool has none but
// one is needed, whether the answer may be remembered, a disclaimer, the input.
struct Question {
  enum class TitleFrom : std::uint8_t {
    None,
    Tool,
    General,
    Hook,
    Rule
  } title_from = TitleFrom::None;
  PreparedCall prepared;
};
Question make_question(const CallFacts& facts);

// What a person may be offered to allow for longer than this call, in the order to show it: only
// what decide_call() would find again.
struct OfferedApproval {
  ApprovalTarget target = ApprovalTarget::Tool;
  ApprovalScope scope = ApprovalScope::Session;
  bool begins_group = false;  // a line goes before it
  std::string label = {};
};
std::vector<OfferedApproval> offered_approvals(const CallFacts& facts, ApprovalSide side,
                                               std::string_view server_label);

// One line of an explanation: each rule that was looked at, in order, up to the one that decided.
struct TrailStep {
  std::string rule = {};
  std::string outcome = {};
  bool decided = false;
};

struct Verdict {
  enum class Kind : std::uint8_t { Run, Ask, Refuse } kind = Kind::Ask;
  Decision decision;  // of Run and Refuse
  Question question;
  const Approval* approval = nullptr;  // of Run: the remembered one that decided
  const Approval* outdated = nullptr;  // an approval that no longer counts: the definition changed
  std::vector<TrailStep> trail = {};
};

// Whether the call may run. The trail is for explanations; most calls need none.
enum class Trail : std::uint8_t { Left, Kept };
Verdict decide_call(const CallFacts& facts, Approvals& approvals, std::int64_t now,
                    Trail trail = Trail::Kept);

// Whether the model may see the result; nothing: a person must be asked. Only for calls whose
// prepared call asks for it. Eligibility is not looked at, as in VS Code.
std::optional<Decision> decide_result(const CallFacts& facts, Approvals& approvals,
                                      std::int64_t now);

}  // namespace toolgate
