#include "invoke/states.h"

#include <array>
#include <utility>

namespace toolgate {
namespace {

constexpr std::array<std::string_view, 7> kStateNames{
    "Streaming", "WaitingForConfirmation",  "Executing", "WaitingForPostApproval", "Completed",
    "Cancelled", "WaitingForAuthentication"};
constexpr std::array<std::string_view, 7> kDecisionNames{
    "Denied", "ConfirmationNotNeeded", "Setting", "LmServicePerTool", "UserAction", "Skipped",
    "Timeout"};
constexpr std::array<std::string_view, 4> kScopeNames{"once", "session", "workspace", "always"};

template <class Enum, std::size_t Count>
std::optional<Enum> parse_name(const std::array<std::string_view, Count>& names,
                               std::string_view name) {
  for (std::size_t i = 0; i < Count; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  return std::nullopt;
}

constexpr unsigned set_of(auto... states) {
  return ((1U << static_cast<unsigned>(states)) | ... | 0U);
}

// By the state a call is in: the states it may go to.
constexpr std::array<unsigned, 7> kMoves = [] {
  using enum InvocationState;
  std::array<unsigned, 7> moves{};
  moves[std::to_underlying(Streaming)] = set_of(WaitingForConfirmation, Executing, Cancelled);
  moves[std::to_underlying(WaitingForConfirmation)] = set_of(Executing, Cancelled);
  moves[std::to_underlying(Executing)] = set_of(WaitingForConfirmation, WaitingForAuthentication,
                                                WaitingForPostApproval, Completed, Cancelled);
  moves[std::to_underlying(WaitingForAuthentication)] =
      set_of(WaitingForConfirmation, Executing, WaitingForPostApproval, Completed, Cancelled);
  moves[std::to_underlying(WaitingForPostApproval)] =
      set_of(WaitingForConfirmation, Completed, Cancelled);
  return moves;  // Completed and Cancelled are the end
}();

}  // namespace

std::string_view name_of(InvocationState state) {
  return kStateNames[std::to_underlying(state)];
}

std::optional<InvocationState> parse_invocation_state(std::string_view name) {
  return parse_name<InvocationState>(kStateNames, name);
}

bool is_terminal(InvocationState state) {
  return kMoves[std::to_underlying(state)] == 0;
}

bool is_waiting_for_person(InvocationState state) {
  return state == InvocationState::WaitingForConfirmation ||
         state == InvocationState::WaitingForPostApproval;
}

std::optional<int> number_without_streaming(InvocationState state) {
  if (state == InvocationState::Streaming || state == InvocationState::WaitingForAuthentication)
    return std::nullopt;
  return std::to_underlying(state) - 1;
}

bool is_legal_move(InvocationState from, InvocationState to) {
  return (kMoves[std::to_underlying(from)] & set_of(to)) != 0;
}

std::string_view name_of(DecisionKind kind) {
  return kDecisionNames[std::to_underlying(kind)];
}

std::optional<DecisionKind> parse_decision_kind(std::string_view name) {
  return parse_name<DecisionKind>(kDecisionNames, name);
}

DecisionKind decision_kind_of(std::optional<bool> was_confirmed) {
  return was_confirmed.value_or(false) ? DecisionKind::UserAction : DecisionKind::Denied;
}

std::string_view name_of(ApprovalScope scope) {
  return kScopeNames[std::to_underlying(scope)];
}

std::optional<ApprovalScope> parse_approval_scope(std::string_view name) {
  if (name == "profile") return ApprovalScope::Profile;
  return parse_name<ApprovalScope>(kScopeNames, name);
}

}  // namespace toolgate
