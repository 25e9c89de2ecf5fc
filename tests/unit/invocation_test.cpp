#include "invoke/invocation.h"

#include <array>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "invoke/states.h"

namespace toolgate {
namespace {

using State = InvocationState;

constexpr std::array kStates{State::Streaming,
                             State::WaitingForConfirmation,
                             State::Executing,
                             State::WaitingForPostApproval,
                             State::Completed,
                             State::Cancelled,
                             State::WaitingForAuthentication};

PreparedCall question(std::string title = "Sure?") {
  PreparedCall prepared;
  prepared.confirmation_title = std::move(title);
  return prepared;
}

PreparedCall shows_results_first() {
  PreparedCall prepared;
  prepared.confirm_results = true;
  return prepared;
}

Decision decision(DecisionKind kind) {
  Decision made;
  made.kind = kind;
  return made;
}

TEST(States, HaveTheNumbersOfVsCode) {
  for (std::size_t i = 0; i < kStates.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(kStates[i]), i);
  EXPECT_EQ(number_without_streaming(State::WaitingForConfirmation), 0);
  EXPECT_EQ(number_without_streaming(State::Cancelled), 4);
  EXPECT_EQ(number_without_streaming(State::Streaming), std::nullopt);
  EXPECT_EQ(number_without_streaming(State::WaitingForAuthentication), std::nullopt);
}

TEST(States, AreReadByTheirNames) {
  for (const State state : kStates) EXPECT_EQ(parse_invocation_state(name_of(state)), state);
  EXPECT_EQ(name_of(State::WaitingForPostApproval), "WaitingForPostApproval");
  EXPECT_EQ(parse_invocation_state("completed"), std::nullopt);
}

TEST(States, OfWhichTwoAreTheEnd) {
  for (const State from : kStates) {
    const bool ends = from == State::Completed || from == State::Cancelled;
    EXPECT_EQ(is_terminal(from), ends);
    for (const State to : kStates)
      if (ends || from == to) EXPECT_FALSE(is_legal_move(from, to));
    EXPECT_EQ(is_legal_move(from, State::Cancelled), !ends);
  }
}

TEST(States, AllowNoMoveAroundTheConfirmation) {
  EXPECT_TRUE(is_legal_move(State::WaitingForConfirmation, State::Executing));
  EXPECT_FALSE(is_legal_move(State::WaitingForConfirmation, State::Completed));
  EXPECT_FALSE(is_legal_move(State::WaitingForConfirmation, State::WaitingForAuthentication));
  EXPECT_FALSE(is_legal_move(State::Streaming, State::Completed));
  EXPECT_FALSE(is_legal_move(State::WaitingForPostApproval, State::Executing));
}

TEST(States, WaitForAPersonInTwoOfThem) {
  for (const State state : kStates)
    EXPECT_EQ(is_waiting_for_person(state),
              state == State::WaitingForConfirmation || state == State::WaitingForPostApproval);
}

TEST(Decisions, HaveTheNumbersOfTheSeed) {
  EXPECT_EQ(static_cast<int>(DecisionKind::Denied), 0);
  EXPECT_EQ(static_cast<int>(DecisionKind::Skipped), 5);
  EXPECT_EQ(parse_decision_kind("LmServicePerTool"), DecisionKind::LmServicePerTool);
  EXPECT_EQ(parse_decision_kind("nothing"), std::nullopt);
  EXPECT_EQ(name_of(DecisionKind::Timeout), "Timeout");
}

TEST(Decisions, OfOldHistoriesAreTruthValues) {
  EXPECT_EQ(decision_kind_of(true), DecisionKind::UserAction);
  EXPECT_EQ(decision_kind_of(false), DecisionKind::Denied);
  EXPECT_EQ(decision_kind_of({}), DecisionKind::Denied);
}

TEST(Decisions, LetRunOrNot) {
  EXPECT_FALSE(decision(DecisionKind::Denied).lets_run());
  EXPECT_FALSE(decision(DecisionKind::Skipped).lets_run());
  EXPECT_FALSE(decision(DecisionKind::Timeout).lets_run());
  EXPECT_TRUE(decision(DecisionKind::Setting).lets_run());
}

TEST(Decisions, ReadBothNamesOfTheWidestScope) {
  EXPECT_EQ(name_of(ApprovalScope::Profile), "always");
  EXPECT_EQ(parse_approval_scope("always"), ApprovalScope::Profile);
  EXPECT_EQ(parse_approval_scope("profile"), ApprovalScope::Profile);
  EXPECT_EQ(parse_approval_scope("once"), ApprovalScope::Once);
  EXPECT_EQ(parse_approval_scope("forever"), std::nullopt);
}

TEST(Invocation, WithoutATitleRunsAndSaysWhy) {
  PreparedCall prepared;
  prepared.not_needed_reason = "only reads";
  const auto call = Invocation::ready(prepared);
  EXPECT_EQ(call.state(), State::Executing);
  EXPECT_EQ(call.decision()->kind, DecisionKind::ConfirmationNotNeeded);
  EXPECT_EQ(call.decision()->reason, "only reads");
}

TEST(Invocation, WithATitleWaitsUntilItIsConfirmed) {
  auto call = Invocation::ready(question());
  EXPECT_EQ(call.state(), State::WaitingForConfirmation);
  EXPECT_FALSE(call.decision());
  EXPECT_FALSE(call.executed({}));
  EXPECT_TRUE(call.confirm(decision(DecisionKind::UserAction)));
  EXPECT_EQ(call.state(), State::Executing);
  EXPECT_FALSE(call.confirm(decision(DecisionKind::Denied)));
  EXPECT_TRUE(call.executed({}));
  EXPECT_EQ(call.state(), State::Completed);
  EXPECT_EQ(call.decision()->kind, DecisionKind::UserAction);
}

TEST(Invocation, ThatIsApprovedAutomaticallyNeverWaits) {
  EXPECT_EQ(Invocation::ready(question(), decision(DecisionKind::Setting)).state(),
            State::Executing);
  EXPECT_EQ(Invocation::ready(question(), decision(DecisionKind::Denied)).state(),
            State::Cancelled);
}

TEST(Invocation, EndsWhenDeniedSkippedOrTooLate) {
  for (const auto kind : {DecisionKind::Denied, DecisionKind::Skipped, DecisionKind::Timeout}) {
    auto call = Invocation::ready(question());
    EXPECT_TRUE(call.confirm(decision(kind)));
    EXPECT_EQ(call.state(), State::Cancelled);
    EXPECT_EQ(call.decision()->kind, kind);
    EXPECT_FALSE(call.executed({}));
    EXPECT_FALSE(call.cancel(decision(DecisionKind::Denied)));
    EXPECT_EQ(call.decision()->kind, kind);
  }
}

TEST(Invocation, ThatIsRefusedHasTheReasonAsItsMessage) {
  Decision reason = decision(DecisionKind::Denied);
  reason.message = "not on my watch";
  EXPECT_EQ(Invocation::cancelled(reason).invocation_message(), "not on my watch");
  EXPECT_EQ(Invocation::cancelled(reason).state(), State::Cancelled);
  EXPECT_FALSE(Invocation::cancelled(decision(DecisionKind::Denied)).invocation_message().empty());
}

TEST(Invocation, KeepsTheLastStreamingMessageIfPrepareHasNone) {
  auto call = Invocation::streaming("Read File");
  EXPECT_EQ(call.state(), State::Streaming);
  EXPECT_EQ(call.invocation_message(), "Read File");
  EXPECT_TRUE(call.set_streaming_message("Reading main.c"));
  EXPECT_EQ(call.streaming_message(), "Reading main.c");
  EXPECT_EQ(call.invocation_message(), "Read File");
  auto other = call;
  EXPECT_TRUE(call.become_ready({}));
  EXPECT_EQ(call.invocation_message(), "Reading main.c");
  EXPECT_FALSE(call.set_streaming_message("too late"));
  PreparedCall prepared;
  prepared.invocation_message = "Reading main.c, lines 1 to 9";
  EXPECT_TRUE(other.become_ready(prepared));
  EXPECT_EQ(other.invocation_message(), "Reading main.c, lines 1 to 9");
}

TEST(Invocation, IsCancelledWhileStreamingOnlyThen) {
  auto streaming = Invocation::streaming("T");
  EXPECT_TRUE(streaming.cancel_streaming(decision(DecisionKind::Denied)));
  EXPECT_FALSE(streaming.become_ready({}));
  auto running = Invocation::ready({});
  EXPECT_FALSE(running.cancel_streaming(decision(DecisionKind::Denied)));
  EXPECT_EQ(running.state(), State::Executing);
}

TEST(Invocation, CanBeAskedAboutAgainWhileItRuns) {
  auto call = Invocation::ready({});
  EXPECT_FALSE(call.request_confirmation(question("")));
  EXPECT_TRUE(call.request_confirmation(question("Really?")));
  EXPECT_EQ(call.state(), State::WaitingForConfirmation);
  EXPECT_FALSE(call.decision());
  EXPECT_FALSE(call.request_confirmation(question("Really, really?")));
  EXPECT_TRUE(call.confirm(decision(DecisionKind::UserAction)));
  EXPECT_TRUE(call.executed({}));
  EXPECT_FALSE(call.request_confirmation(question()));
}

TEST(Invocation, WaitsForAuthenticationAndGoesOn) {
  auto call = Invocation::ready({});
  EXPECT_FALSE(call.authentication_done());
  EXPECT_TRUE(call.require_authentication());
  EXPECT_EQ(call.decision()->kind, DecisionKind::ConfirmationNotNeeded);
  EXPECT_TRUE(call.authentication_done());
  EXPECT_EQ(call.state(), State::Executing);
}

TEST(Invocation, ShowsTheResultToAPersonFirstWhereAsked) {
  auto call = Invocation::ready(shows_results_first());
  EXPECT_TRUE(call.executed({}));
  EXPECT_EQ(call.state(), State::WaitingForPostApproval);
  EXPECT_EQ(call.decision_to_keep()->kind, DecisionKind::Skipped);
  auto withheld = call;
  EXPECT_TRUE(call.confirm(decision(DecisionKind::UserAction)));
  EXPECT_EQ(call.state(), State::Completed);
  EXPECT_EQ(call.post_decision()->kind, DecisionKind::UserAction);
  EXPECT_EQ(call.decision()->kind, DecisionKind::ConfirmationNotNeeded);
  EXPECT_TRUE(withheld.confirm(decision(DecisionKind::Skipped)));
  EXPECT_EQ(withheld.state(), State::Cancelled);
  EXPECT_FALSE(withheld.post_decision());
}

TEST(Invocation, ShowsNoResultFirstThatIsAnErrorOrNeedsNoEyes) {
  for (const ResultFacts& result :
       {ResultFacts{.is_error = true}, ResultFacts{.confirm_results = false}}) {
    auto call = Invocation::ready(shows_results_first());
    EXPECT_TRUE(call.executed(result));
    EXPECT_EQ(call.state(), State::Completed);
  }
  auto approved = Invocation::ready(shows_results_first());
  EXPECT_TRUE(approved.executed({}, decision(DecisionKind::LmServicePerTool)));
  EXPECT_EQ(approved.state(), State::Completed);
  EXPECT_EQ(approved.post_decision()->kind, DecisionKind::LmServicePerTool);
}

TEST(Invocation, TellsHowFarItIs) {
  auto call = Invocation::ready({});
  EXPECT_TRUE(call.report_progress(0.3, "a"));
  EXPECT_TRUE(call.report_progress({}, "b"));
  EXPECT_EQ(call.progress(), 0.3);
  EXPECT_EQ(call.progress_message(), "b");
  auto with_message = call;
  EXPECT_TRUE(call.executed({}));
  EXPECT_EQ(call.past_tense_message(), "b");
  EXPECT_FALSE(call.report_progress(1, "late"));
  EXPECT_TRUE(with_message.executed({.message = "did it"}));
  EXPECT_EQ(with_message.past_tense_message(), "did it");
  EXPECT_FALSE(Invocation::ready(question()).report_progress(0.5, "not yet"));
}

// Any event at any time: each move is in the table, what ended stays ended, nothing runs that was
// not let run, and false means that nothing has changed.
TEST(Invocation, NeverLeavesTheTableWhateverHappens) {
  using Event = std::function<bool(Invocation&)>;
  const std::vector<Event> events{
      [](Invocation& call) { return call.set_streaming_message("m"); },
      [](Invocation& call) { return call.cancel_streaming(decision(DecisionKind::Denied)); },
      [](Invocation& call) { return call.become_ready({}); },
      [](Invocation& call) { return call.become_ready(question()); },
      [](Invocation& call) { return call.become_ready(shows_results_first()); },
      [](Invocation& call) {
        return call.become_ready(question(), decision(DecisionKind::Setting));
      },
      [](Invocation& call) { return call.confirm(decision(DecisionKind::UserAction)); },
      [](Invocation& call) { return call.confirm(decision(DecisionKind::Denied)); },
      [](Invocation& call) { return call.confirm(decision(DecisionKind::Timeout)); },
      [](Invocation& call) { return call.request_confirmation(question("Again?")); },
      [](Invocation& call) { return call.require_authentication(); },
      [](Invocation& call) { return call.authentication_done(); },
      [](Invocation& call) { return call.executed({}); },
      [](Invocation& call) { return call.executed({.is_error = true}); },
      [](Invocation& call) { return call.executed({}, decision(DecisionKind::Skipped)); },
      [](Invocation& call) { return call.cancel(decision(DecisionKind::Denied)); },
      [](Invocation& call) { return call.report_progress(0.5, "half"); },
  };
  std::mt19937 random(20240607);
  std::array<int, kStates.size()> reached{};
  for (int round = 0; round < 20'000; ++round) {
    auto call = Invocation::streaming("T");
    for (int step = 0; step < 12; ++step) {
      const State before = call.state();
      const auto decided_before = call.decision();
      const bool happened = events[random() % events.size()](call);
      const State after = call.state();
      ++reached[static_cast<std::size_t>(after)];
      if (after != before) {
        ASSERT_TRUE(is_legal_move(before, after)) << name_of(before) << name_of(after);
      }
      if (!happened) {
        ASSERT_EQ(after, before);
        ASSERT_EQ(call.decision(), decided_before);
      }
      if (is_terminal(before)) ASSERT_FALSE(happened);
      const bool open = after == State::Streaming || after == State::WaitingForConfirmation;
      ASSERT_EQ(call.decision().has_value(), !open);
      if (!open) ASSERT_EQ(call.decision()->lets_run(), after != State::Cancelled);
    }
  }
  for (const int times : reached) EXPECT_GT(times, 100);
}

}  // namespace
}  // namespace toolgate
