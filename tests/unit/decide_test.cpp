#include "invoke/decide.h"

#include <gtest/gtest.h>

#include "call_facts.h"

namespace toolgate {
namespace {

using Kind = Verdict::Kind;
using Hook = HookVerdict::Kind;

constexpr auto kGlobal = "chat.tools.global.autoApprove";

class Decide : public testing::Test, protected CallFactsFixture {
 protected:
  void expect_runs(DecisionKind kind, std::string_view detail = {}) {
    const Verdict verdict = decide();
    EXPECT_EQ(verdict.kind, Kind::Run);
    EXPECT_EQ(verdict.decision.kind, kind);
    const Decision& decision = verdict.decision;
    EXPECT_EQ(decision.setting.empty() ? decision.reason : decision.setting, detail);
    expect_trail(verdict);
  }
  void expect_asks() {
    const Verdict verdict = decide();
    EXPECT_EQ(verdict.kind, Kind::Ask);
    EXPECT_FALSE(verdict.question.prepared.confirmation_title.empty());
    expect_trail(verdict);
  }
  void expect_refuses(DecisionKind kind, std::string_view by) {
    const Verdict verdict = decide();
    EXPECT_EQ(verdict.kind, Kind::Refuse);
    EXPECT_EQ(verdict.decision.kind, kind);
    EXPECT_EQ(verdict.decision.by, by);
    EXPECT_FALSE(verdict.decision.message.empty());
    expect_trail(verdict);
  }
  // Exactly the last step decides, and a decision names it.
  static void expect_trail(const Verdict& verdict) {
    ASSERT_FALSE(verdict.trail.empty());
    for (const TrailStep& step : verdict.trail) {
      EXPECT_EQ(step.decided, &step == &verdict.trail.back()) << step.rule;
      EXPECT_FALSE(step.rule.empty());
      EXPECT_FALSE(step.outcome.empty());
    }
    const TrailStep& last = verdict.trail.back();
    if (verdict.kind != Kind::Ask)
      EXPECT_EQ(verdict.decision.rule, last.rule + ": " + last.outcome);
  }
  std::string deciding_rule() { return decide().trail.back().rule; }

  // Everything that could let a call run, below the rule that a test is about.
  void approve_everywhere() {
    set_level(PermissionLevel::Autopilot);
    facts.global_approves = true;
    facts.caller_approval.emplace();
    remember(ApprovalTarget::Tool, ApprovalScope::Profile);
  }
};

TEST_F(Decide, AToolThatAsksNothingRuns) {
  expect_runs(DecisionKind::ConfirmationNotNeeded);
  prepared().not_needed_reason = "only reads";
  expect_runs(DecisionKind::ConfirmationNotNeeded, "only reads");
}

TEST_F(Decide, LooksAtEverythingInOneOrder) {
  facts.contribution.emplace();
  prepared().urls = {"https://bad.example/"};
  facts.edits = EditCheck{EditVerdict::Sensitive, ""};
  ask();
  std::vector<std::string> rules;
  for (const TrailStep& step : decide().trail) rules.push_back(step.rule);
  EXPECT_EQ(rules, (std::vector<std::string>{
                       "toolgate.approvals.rules", "hooks", "session level",
                       "chat.tools.eligibleForAutoApproval", "the gateway's own rule for this tool",
                       "chat.tools.urls.autoApprove", "chat.tools.edits.autoApprove",
                       "chat.tools.global.autoApprove", "the caller's approval", "the tool"}));
}

TEST_F(Decide, AToolThatAsksIsAskedAbout) {
  ask();
  expect_asks();
  EXPECT_EQ(deciding_rule(), "the tool");
}

TEST_F(Decide, WithoutASessionAllTheSame) {
  facts.session.reset();
  expect_runs(DecisionKind::ConfirmationNotNeeded);
  ask();
  expect_asks();
  facts.global_approves = true;
  expect_runs(DecisionKind::Setting, kGlobal);
}

// Rules that deny, and hooks: S19 to S24.

TEST_F(Decide, ARuleThatDeniesBeatsEverything) {
  approve_everywhere();
  set_hook(Hook::Allow);
  set_rule(RuleVerdict::Deny);
  expect_refuses(DecisionKind::Denied, "rule");
  set_rule(RuleVerdict::Deny, "use the other tool");
  EXPECT_EQ(decide().decision.message, "use the other tool");
  EXPECT_EQ(decide().decision.rule,
            "toolgate.approvals.rules: \"my rule\" (settings.json:3:5) → denied");
}

TEST_F(Decide, S19AHookThatDeniesBeatsAllBelow) {
  approve_everywhere();
  set_rule(RuleVerdict::Allow);
  set_hook(Hook::Deny, "R");
  expect_refuses(DecisionKind::Denied, "hook");
  EXPECT_EQ(decide().decision.message, "R");
  set_hook(Hook::Deny);
  expect_refuses(DecisionKind::Denied, "hook");
}

TEST_F(Decide, S20AHookThatAllowsNeedsNobody) {
  ask();
  set_hook(Hook::Allow);
  expect_runs(DecisionKind::ConfirmationNotNeeded, "hook_allowed");
  make_ineligible();
  expect_runs(DecisionKind::ConfirmationNotNeeded, "hook_allowed");
  set_rule(RuleVerdict::Ask);
  expect_runs(DecisionKind::ConfirmationNotNeeded, "hook_allowed");
}

TEST_F(Decide, S21AHookThatAsksBeatsAllApprovals) {
  approve_everywhere();
  set_rule(RuleVerdict::Allow);
  set_hook(Hook::Ask);
  expect_asks();
  EXPECT_EQ(deciding_rule(), "hooks");
}

TEST_F(Decide, ARuleThatAsksBeatsAllApprovals) {
  approve_everywhere();
  set_rule(RuleVerdict::Ask);
  expect_asks();
  EXPECT_EQ(deciding_rule(), "toolgate.approvals.rules");
}

TEST_F(Decide, S23TheCallersApprovalCounts) {
  ask();
  facts.caller_approval.emplace();
  expect_runs(DecisionKind::ConfirmationNotNeeded);
  EXPECT_EQ(decide().decision.by, "caller");
  facts.caller_approval->kind = DecisionKind::Denied;
  facts.caller_approval->message = "not now";
  expect_refuses(DecisionKind::Denied, "caller");
}

TEST_F(Decide, S24TheCallersApprovalDoesNotBeatAHookThatAsks) {
  ask();
  facts.caller_approval.emplace();
  set_hook(Hook::Ask);
  expect_asks();
}

// Auto approval: A1 to A19.

TEST_F(Decide, A1TheGlobalSettingApproves) {
  ask();
  facts.global_approves = true;
  expect_runs(DecisionKind::Setting, kGlobal);
}

TEST_F(Decide, A2TheGlobalSettingForOneToolApprovesNoOther) {
  GlobalAutoApprove global;
  EXPECT_FALSE(global.is_on());
  global.tools = {{"approvedTool", true}, {"deniedTool", false}};
  EXPECT_TRUE(global.is_on());
  EXPECT_TRUE(global.approves("approvedTool"));
  EXPECT_FALSE(global.approves("deniedTool"));
  EXPECT_FALSE(global.approves("otherTool"));
  ask();
  facts.global_is_on = true;
  expect_asks();
}

TEST_F(Decide, A4AToolListedAsEligibleRuns) {
  settings().eligible["testToolRef"] = true;
  expect_runs(DecisionKind::ConfirmationNotNeeded);
}

TEST_F(Decide, A5AToolListedAsNotEligibleIsAskedAbout) {
  make_ineligible();
  expect_asks();
  ask();
  expect_asks();
  EXPECT_EQ(deciding_rule(), "chat.tools.eligibleForAutoApproval");
  EXPECT_EQ(decide().trail.back().outcome, "\"testToolRef\" is false → always asked");
}

TEST_F(Decide, A6AToolThatIsNotListedIsEligible) {
  settings().eligible["other"] = false;
  expect_runs(DecisionKind::ConfirmationNotNeeded);
  ask();
  expect_asks();
  EXPECT_EQ(deciding_rule(), "the tool");
}

TEST_F(Decide, A7ToA10OldNamesCountAfterTheToolsOwn) {
  facts.eligibility_names = {"newRef", "gitTools/gitCommit", "gitCommit"};
  settings().eligible = {{"gitCommit", false}};
  expect_asks();
  settings().eligible = {{"gitTools/gitCommit", false}, {"gitCommit", true}};
  expect_asks();
  settings().eligible = {{"newRef", false}, {"gitCommit", true}};
  expect_asks();
  settings().eligible = {{"newRef", true}, {"gitCommit", false}};
  expect_runs(DecisionKind::ConfirmationNotNeeded);
}

TEST_F(Decide, A11TheSessionsLevelApproves) {
  ask();
  set_level(PermissionLevel::Autopilot);
  expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
  set_level(PermissionLevel::AutoApprove);
  expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
  set_level(PermissionLevel::Assisted);
  expect_asks();
}

TEST_F(Decide, A12ToolsThatAreQuestionsRunInLocalSessions) {
  for (const auto* id :
       {"vscode_get_confirmation_with_options", "vscode_get_modified_files_confirmation"}) {
    facts.tool_id = id;
    set_level(PermissionLevel::Default);
    facts.session->is_local = true;
    expect_asks();
    set_level(PermissionLevel::AutoApprove);
    expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
    facts.session->is_local = false;  // A13
    expect_asks();
  }
}

TEST_F(Decide, A13OtherToolsRunInSessionsFromElsewhere) {
  ask();
  facts.session->is_local = false;
  set_level(PermissionLevel::AutoApprove);
  expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
}

TEST_F(Decide, A14APolicyTakesTheLevelAway) {
  ask();
  set_level(PermissionLevel::Autopilot);
  facts.policy_forbids_auto_approve = true;
  expect_asks();
}

TEST_F(Decide, A15TheLevelBeatsEligibility) {
  make_ineligible();
  set_level(PermissionLevel::AutoApprove);
  expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
}

TEST_F(Decide, A16NothingElseBeatsEligibility) {
  approve_everywhere();
  set_level(PermissionLevel::Default);
  set_rule(RuleVerdict::Allow);
  facts.contribution = ContributedDecision{.decision = Decision{.kind = DecisionKind::Setting}};
  make_ineligible();
  expect_asks();
}

TEST_F(Decide, A18CallsThatSeemDangerousAreSkippedOnAutopilot) {
  ask();
  set_level(PermissionLevel::Autopilot);
  facts.risk = RiskFacts{RiskRating::Red, "deletes the disk"};
  expect_refuses(DecisionKind::Skipped, "risk rating");
  EXPECT_NE(decide().decision.message.find("deletes the disk"), std::string::npos);
  for (const auto rating : {RiskRating::Green, RiskRating::Orange, RiskRating::Unknown}) {
    facts.risk = RiskFacts{rating};
    expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
  }
  facts.tool_id = "run_in_terminal";
  expect_refuses(DecisionKind::Skipped, "risk rating");
  facts.risk->rating = RiskRating::Green;
  expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
}

TEST_F(Decide, A18TerminalAndFetchAreRatedEvenIfTheyDoNotAsk) {
  set_level(PermissionLevel::Autopilot);
  facts.risk = RiskFacts{RiskRating::Red};
  EXPECT_FALSE(wants_risk_rating(facts));
  expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
  facts.tool_id = "run_in_terminal";
  EXPECT_TRUE(wants_risk_rating(facts));
  expect_refuses(DecisionKind::Skipped, "risk rating");
  facts.policy_forbids_auto_approve = true;
  expect_refuses(DecisionKind::Skipped, "risk rating");
}

TEST_F(Decide, A19OnlyLocalSessionsOnAutopilotAreRated) {
  ask();
  facts.risk = RiskFacts{RiskRating::Red};
  set_level(PermissionLevel::AutoApprove);
  expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
  set_level(PermissionLevel::Autopilot);
  EXPECT_TRUE(wants_risk_rating(facts));
  facts.session->is_local = false;
  EXPECT_FALSE(wants_risk_rating(facts));
  expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
  facts.session->is_local = true;
  facts.risk.reset();
  expect_runs(DecisionKind::ConfirmationNotNeeded, "auto-approve-all");
}

TEST_F(Decide, ARuleThatAllowsIsASetting) {
  ask();
  set_rule(RuleVerdict::Allow);
  expect_runs(DecisionKind::Setting, "toolgate.approvals.rules");
}

// Remembered approvals and contributions: C1 to C16.

TEST_F(Decide, C2RememberedApprovalsCountWithTheirScope) {
  ask();
  for (const auto scope :
       {ApprovalScope::Session, ApprovalScope::Workspace, ApprovalScope::Profile}) {
    remember(ApprovalTarget::Tool, scope);
    const Verdict verdict = decide();
    EXPECT_EQ(verdict.kind, Kind::Run);
    EXPECT_EQ(verdict.decision.kind, DecisionKind::LmServicePerTool);
    EXPECT_EQ(verdict.decision.scope, scope);
    EXPECT_EQ(verdict.decision.by, "operator");
    EXPECT_EQ(verdict.approval->scope, scope);
    expect_trail(verdict);
  }
}

TEST_F(Decide, C3ApprovalsOfResultsLetNoCallRun) {
  ask();
  remember(ApprovalTarget::Tool, ApprovalScope::Session, ApprovalSide::Results);
  facts.approvals.side = ApprovalSide::Results;
  expect_asks();
}

TEST_F(Decide, C5AndC6TheToolComesBeforeItsServer) {
  ask();
  facts.approvals.server_key = "mcp:c:srv1";
  remember(ApprovalTarget::Server, ApprovalScope::Session);
  EXPECT_EQ(decide().decision.scope, ApprovalScope::Session);
  remember(ApprovalTarget::Tool, ApprovalScope::Workspace);
  EXPECT_EQ(decide().decision.scope, ApprovalScope::Workspace);
}

TEST_F(Decide, WhereTheToolSaysWhatIsTheSameWideApprovalsDoNotCount) {
  ask();
  facts.approvals.server_key = "mcp:c:srv1";
  facts.approvals.arguments_key = "exactly this";
  remember(ApprovalTarget::Tool, ApprovalScope::Profile);
  remember(ApprovalTarget::Server, ApprovalScope::Profile);
  EXPECT_EQ(decide().kind, Kind::Run);
  prepared().approval_key = "make";
  expect_asks();
  remember(ApprovalTarget::Arguments, ApprovalScope::Workspace);
  EXPECT_EQ(decide().kind, Kind::Run);
}

TEST_F(Decide, C7AContributionComesBeforeRememberedApprovals) {
  ask();
  remember(ApprovalTarget::Tool, ApprovalScope::Session);
  facts.contribution = ContributedDecision{
      .decision = Decision{.kind = DecisionKind::Setting, .setting = "my.setting"}};
  expect_runs(DecisionKind::Setting, "my.setting");
  facts.contribution->decision = Decision{.kind = DecisionKind::Denied, .message = "never"};
  EXPECT_EQ(decide().kind, Kind::Refuse);
}

TEST_F(Decide, C8AContributionMayForbidRememberedApprovals) {
  ask();
  remember(ApprovalTarget::Tool, ApprovalScope::Session);
  facts.contribution = ContributedDecision{.can_use_default_approvals = false};
  expect_asks();
  facts.global_approves = true;
  expect_runs(DecisionKind::Setting, kGlobal);
  facts.global_approves = false;
  facts.contribution->can_use_default_approvals = true;
  expect_runs(DecisionKind::LmServicePerTool);
}

TEST_F(Decide, C14ExactArgumentsAreRemembered) {
  ask();
  facts.approvals.arguments_key = "foo";
  remember(ApprovalTarget::Arguments, ApprovalScope::Session);
  expect_runs(DecisionKind::LmServicePerTool);
  facts.approvals.arguments_key = "bar";
  expect_asks();
  facts.approvals.arguments_key.clear();
  expect_asks();
}

TEST_F(Decide, AnApprovalOfAnotherDefinitionIsShownAsOutdated) {
  ask();
  remember(ApprovalTarget::Tool, ApprovalScope::Profile);
  facts.approvals.definition_hash = "another";
  expect_asks();
  const Verdict verdict = decide();
  ASSERT_NE(verdict.outdated, nullptr);
  EXPECT_EQ(verdict.approval, nullptr);
  EXPECT_EQ(verdict.outdated->target, ApprovalTarget::Tool);
  facts.approvals.definition_hash = "definition";
  EXPECT_EQ(decide().outdated, nullptr);
}

TEST_F(Decide, RememberedApprovalsComeBeforeTheGlobalSettingAndTheCaller) {
  ask();
  facts.global_approves = true;
  facts.caller_approval = Decision{.kind = DecisionKind::UserAction};
  remember(ApprovalTarget::Tool, ApprovalScope::Session);
  expect_runs(DecisionKind::LmServicePerTool);
  approvals.reset();
  expect_runs(DecisionKind::Setting, kGlobal);
  facts.global_approves = false;
  expect_runs(DecisionKind::UserAction);
}

// Pages and files that the call names.

TEST_F(Decide, ApprovedPagesNeedNobody) {
  ask();
  settings().urls = {{"https://good.example", true, {}}};
  prepared().urls = {"https://good.example/a", "https://good.example/b"};
  expect_runs(DecisionKind::Setting, "chat.tools.urls.autoApprove");
  prepared().urls.emplace_back("https://bad.example/");
  expect_asks();
}

TEST_F(Decide, ForOtherPagesRememberedApprovalsDoNotCount) {
  prepared().urls = {"https://bad.example/"};
  facts.approvals.arguments_key = "these";
  remember(ApprovalTarget::Tool, ApprovalScope::Profile);
  remember(ApprovalTarget::Arguments, ApprovalScope::Profile);
  expect_asks();
  facts.global_approves = true;
  expect_runs(DecisionKind::Setting, kGlobal);
}

TEST_F(Decide, ApprovedFilesNeedNobody) {
  ask();
  prepared().edited_files = {"/workspace/a.txt"};
  facts.edits = EditCheck{EditVerdict::Approved, "**/*"};
  expect_runs(DecisionKind::Setting, "chat.tools.edits.autoApprove");
}

TEST_F(Decide, ForOtherFilesOnlyApprovalsOfExactlyTheseArgumentsCount) {
  prepared().edited_files = {"/etc/passwd"};
  facts.edits = EditCheck{EditVerdict::OutsideWorkspace, ""};
  facts.approvals.server_key = "mcp:c:srv1";
  facts.approvals.arguments_key = "these";
  remember(ApprovalTarget::Tool, ApprovalScope::Profile);
  remember(ApprovalTarget::Server, ApprovalScope::Profile);
  expect_asks();
  remember(ApprovalTarget::Arguments, ApprovalScope::Session);
  expect_runs(DecisionKind::LmServicePerTool);
  EXPECT_EQ(decide().approval->target, ApprovalTarget::Arguments);
}

TEST_F(Decide, FilesThatWereNotCheckedAreNotApproved) {
  prepared().edited_files = {"/workspace/a.txt"};
  remember(ApprovalTarget::Tool, ApprovalScope::Profile);
  expect_asks();
}

TEST_F(Decide, PagesAndFilesMustBothBeApproved) {
  ask();
  settings().urls = {{"https://good.example", true, {}}};
  prepared().urls = {"https://good.example/"};
  prepared().edited_files = {"/workspace/a.txt"};
  facts.edits = EditCheck{EditVerdict::Sensitive, "**/.git/**"};
  expect_asks();
  facts.edits = EditCheck{EditVerdict::Approved, "**/*"};
  expect_runs(DecisionKind::Setting, "chat.tools.edits.autoApprove");
  prepared().urls = {"https://bad.example/"};
  expect_asks();
}

// Results: S25 to S28 and the order of VS Code.

class DecideResult : public Decide {};

TEST_F(DecideResult, NobodyHasDecidedIsAQuestion) {
  EXPECT_EQ(decide_about_result(), std::nullopt);
}

TEST_F(DecideResult, TheLevelApproves) {
  set_level(PermissionLevel::AutoApprove);
  facts.global_is_on = true;
  EXPECT_EQ(decide_about_result()->reason, "auto-approve-all");
  facts.policy_forbids_auto_approve = true;
  EXPECT_EQ(decide_about_result()->setting, kGlobal);
}

TEST_F(DecideResult, TheGlobalSettingApprovesWhateverTheTool) {
  make_ineligible();
  facts.global_is_on = true;
  EXPECT_EQ(decide_about_result()->kind, DecisionKind::Setting);
  EXPECT_EQ(decide_about_result()->setting, kGlobal);
}

TEST_F(DecideResult, RememberedApprovalsOfResultsCount) {
  facts.approvals.server_key = "mcp:c:srv1";
  facts.approvals.arguments_key = "these";
  remember(ApprovalTarget::Tool, ApprovalScope::Profile, ApprovalSide::Before);
  remember(ApprovalTarget::Arguments, ApprovalScope::Profile, ApprovalSide::Results);
  EXPECT_EQ(decide_about_result(), std::nullopt);
  remember(ApprovalTarget::Server, ApprovalScope::Session, ApprovalSide::Results);
  EXPECT_EQ(decide_about_result()->scope, ApprovalScope::Session);
  remember(ApprovalTarget::Tool, ApprovalScope::Workspace, ApprovalSide::Results);
  EXPECT_EQ(decide_about_result()->scope, ApprovalScope::Workspace);
  EXPECT_EQ(decide_about_result()->rule,
            "remembered approvals: this tool allowed in this workspace by operator");
}

TEST_F(DecideResult, AContributionComesBeforeThem) {
  remember(ApprovalTarget::Tool, ApprovalScope::Profile, ApprovalSide::Results);
  facts.result_contribution = ContributedDecision{.can_use_default_approvals = false};
  EXPECT_EQ(decide_about_result(), std::nullopt);
  facts.result_contribution->decision = Decision{.kind = DecisionKind::Setting, .setting = "x"};
  EXPECT_EQ(decide_about_result()->setting, "x");
}

TEST_F(DecideResult, PagesAreJudgedByWhatIsSaidOfTheirAnswers) {
  settings().urls = {{"https://good.example", true, {}}, {"https://*.example", {}, true}};
  prepared().urls = {"https://good.example/"};
  EXPECT_EQ(decide_about_result()->setting, "chat.tools.urls.autoApprove");
  prepared().urls.emplace_back("https://elsewhere.org/");
  remember(ApprovalTarget::Tool, ApprovalScope::Profile, ApprovalSide::Results);
  EXPECT_EQ(decide_about_result(), std::nullopt);
}

TEST(PermissionLevels, AreReadByTheirNames) {
  for (const auto level : {PermissionLevel::Default, PermissionLevel::Assisted,
                           PermissionLevel::AutoApprove, PermissionLevel::Autopilot})
    EXPECT_EQ(parse_permission_level(name_of(level)), level);
  EXPECT_EQ(name_of(PermissionLevel::AutoApprove), "autoApprove");
  EXPECT_EQ(parse_permission_level("yolo"), std::nullopt);
}

}  // namespace
}  // namespace toolgate
