// The states of a call and the reasons that let it run or ended it, with the numbers that VS Code
// gives them. docs/approvals.md shows both numberings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate {

// Numbered as VS Code does today. Older versions had no Streaming: see number_without_streaming().
enum class InvocationState : std::uint8_t {
  Streaming = 0,
  WaitingForConfirmation = 1,
  Executing = 2,
  WaitingForPostApproval = 3,
  Completed = 4,
  Cancelled = 5,
  WaitingForAuthentication = 6,
};

std::string_view name_of(InvocationState state);
std::optional<InvocationState> parse_invocation_state(std::string_view name);
bool is_terminal(InvocationState state);
bool is_waiting_for_person(InvocationState state);
// 0 WaitingForConfirmation … 4 Cancelled; nothing for the states that came later.
std::optional<int> number_without_streaming(InvocationState state);

// The one table of legal moves.
bool is_legal_move(InvocationState from, InvocationState to);

enum class DecisionKind : std::uint8_t {
  Denied = 0,
  ConfirmationNotNeeded = 1,
  Setting = 2,
  LmServicePerTool = 3,  // a remembered approval
  UserAction = 4,
  Skipped = 5,
  Timeout = 6,  // nobody decided in time; ours
};

std::string_view name_of(DecisionKind kind);
std::optional<DecisionKind> parse_decision_kind(std::string_view name);
// Old histories of VS Code have a truth value where a decision stands now, or nothing.
DecisionKind decision_kind_of(std::optional<bool> was_confirmed);

enum class ApprovalScope : std::uint8_t { Once, Session, Workspace, Profile };

// "once", "session", "workspace" and "always"; VS Code calls the last one "profile".
std::string_view name_of(ApprovalScope scope);
std::optional<ApprovalScope> parse_approval_scope(std::string_view name);

// Why a call may run, or why it ended.
struct Decision {
  DecisionKind kind = DecisionKind::ConfirmationNotNeeded;
  std::string reason = {};                  // of ConfirmationNotNeeded: "auto-approve-all", …
  std::string setting = {};                 // of Setting: its key
  std::optional<ApprovalScope> scope = {};  // of LmServicePerTool, and of what a person chose
  std::string selected_button = {};         // of UserAction
  std::string by = {};                      // who: "operator", "rule", "hook", "timeout", …
  std::string rule = {};                    // the rule that decided, in words for people
  std::string message = {};                 // for the model, when the call does not run

  bool lets_run() const {
    return kind != DecisionKind::Denied && kind != DecisionKind::Skipped &&
           kind != DecisionKind::Timeout;
  }
  bool operator==(const Decision&) const = default;
};

}  // namespace toolgate
