#include <gtest/gtest.h>

#include "call_facts.h"
#include "hand_made_catalog.h"
#include "invoke/decide.h"

namespace toolgate {
namespace {

using Hook = HookVerdict::Kind;
using TitleFrom = Question::TitleFrom;

constexpr std::string_view kShownInput = R"({"kind":"input","rawInput":{"a":1}})";

class MakeQuestion : public testing::Test, protected CallFactsFixture {
 protected:
  struct Expected {
    TitleFrom title_from = TitleFrom::None;
    std::optional<bool> allow_auto_confirm = {};
    bool has_disclaimer = false;
    bool shown_input = false;
  };
  void expect(const Expected& expected) {
    const Question question = make_question(facts);
    EXPECT_EQ(question.title_from, expected.title_from);
    EXPECT_EQ(question.prepared.confirmation_title.empty(), expected.title_from == TitleFrom::None);
    EXPECT_EQ(question.prepared.allow_auto_confirm, expected.allow_auto_confirm);
    EXPECT_EQ(!question.prepared.disclaimer.empty(), expected.has_disclaimer);
    EXPECT_EQ(question.prepared.tool_specific_data, expected.shown_input ? kShownInput : "");
  }
  std::string message() { return make_question(facts).prepared.confirmation_message; }
};

TEST_F(MakeQuestion, AsksNothingForAToolThatDoesNot) {
  expect({});
  facts.always_display_input_output = true;
  expect({});
}

TEST_F(MakeQuestion, TakesTheToolsOwnTitle) {
  ask("Sure?");
  expect({TitleFrom::Tool, true});
  EXPECT_EQ(make_question(facts).prepared.confirmation_title, "Sure?");
}

TEST_F(MakeQuestion, IsGeneralWhereTheToolIsNotEligible) {
  make_ineligible();
  expect({TitleFrom::General, false, true});
  set_hook(Hook::Allow);
  expect({TitleFrom::General, false, true});
}

TEST_F(MakeQuestion, ReplacesTheDisclaimerOfAToolThatIsNotEligible) {
  make_ineligible();
  ask();
  prepared().disclaimer = "nothing to see here";
  expect({TitleFrom::Tool, false, true});
  EXPECT_NE(make_question(facts).prepared.disclaimer.find("chat.tools.eligibleForAutoApproval"),
            std::string::npos);
}

TEST_F(MakeQuestion, HasNoDisclaimerForToolsThatAreQuestions) {
  facts.tool_id = "vscode_get_confirmation_with_options";
  expect({TitleFrom::General, false});
  ask();
  prepared().disclaimer = "own";
  expect({TitleFrom::Tool, false});
}

TEST_F(MakeQuestion, OffersNothingToRememberWhereAPolicyForbids) {
  ask();
  facts.policy_forbids_auto_approve = true;
  expect({TitleFrom::Tool, false});
}

TEST_F(MakeQuestion, KeepsWhatTheToolSaysAboutRemembering) {
  ask();
  prepared().allow_auto_confirm = false;
  expect({TitleFrom::Tool, false});
  prepared().allow_auto_confirm.reset();
  prepared().tool_specific_data = R"({"kind":"terminal"})";
  EXPECT_EQ(make_question(facts).prepared.allow_auto_confirm, std::nullopt);
  prepared().tool_specific_data = R"({"kind":"other"})";
  EXPECT_EQ(make_question(facts).prepared.allow_auto_confirm, true);
}

TEST_F(MakeQuestion, ShowsTheInputOfToolsThatAlwaysDo) {
  facts.always_display_input_output = true;
  ask();
  expect({TitleFrom::Tool, true, false, true});
  prepared().tool_specific_data = R"({"kind":"own"})";
  EXPECT_EQ(make_question(facts).prepared.tool_specific_data, R"({"kind":"own"})");
  facts.prepared.reset();
  make_ineligible();
  expect({TitleFrom::General, false, true, true});
}

TEST_F(MakeQuestion, IsTheHooksWhereTheToolHasNone) {
  set_hook(Hook::Ask, "R");
  expect({TitleFrom::Hook, false, false, true});
  EXPECT_EQ(message(), "A hook wants this call confirmed: R");
  set_hook(Hook::Ask);
  expect({TitleFrom::Hook, false, false, true});
}

TEST_F(MakeQuestion, HasTheHooksNoteBeforeTheToolsOwnMessage) {
  ask();
  prepared().confirmation_message = "It writes.";
  set_hook(Hook::Ask, "R");
  expect({TitleFrom::Tool, false});
  EXPECT_EQ(message(), "A hook wants this call confirmed: R\n\nIt writes.");
  prepared().tool_specific_data = R"({"kind":"terminal"})";
  EXPECT_EQ(message(), "It writes.");
  EXPECT_EQ(make_question(facts).prepared.disclaimer, "A hook wants this call confirmed: R");
}

TEST_F(MakeQuestion, IsGeneralEvenIfAHookAsksWhereTheToolIsNotEligible) {
  make_ineligible();
  set_hook(Hook::Ask);
  expect({TitleFrom::General, false, true});
}

TEST_F(MakeQuestion, IsTheRulesWhereTheToolHasNone) {
  set_rule(RuleVerdict::Ask, "it costs money");
  expect({TitleFrom::Rule, false, false, true});
  EXPECT_EQ(message(), "A rule wants this call confirmed: it costs money");
  ask();
  expect({TitleFrom::Tool, false});
  facts.prepared.reset();
  set_hook(Hook::Ask, "R");
  expect({TitleFrom::Hook, false, false, true});
  EXPECT_EQ(message(),
            "A rule wants this call confirmed: it costs money\n\nA hook wants this call "
            "confirmed: R");
  set_rule(RuleVerdict::Allow);
  set_hook(Hook::Nothing);
  expect({});
}

TEST_F(MakeQuestion, NamesWhyAFileMayNotJustBeChanged) {
  prepared().edited_files = {"/etc/hosts"};
  facts.edits = EditCheck{EditVerdict::OutsideWorkspace, ""};
  expect({TitleFrom::General, true});
  EXPECT_EQ(message(), "The file is outside the workspace.\n\n/etc/hosts");
  prepared().edited_files = {"1", "2", "3", "4", "5", "6", "7"};
  facts.edits = EditCheck{EditVerdict::Sensitive, ""};
  EXPECT_EQ(
      message(),
      "At least one file is not approved by chat.tools.edits.autoApprove.\n\n1\n2\n3\n4\n5\nand "
      "2 more");
  ask();
  expect({TitleFrom::Tool, true, true});
  facts.edits = EditCheck{EditVerdict::Approved, ""};
  expect({TitleFrom::Tool, true});
  prepared().confirmation_title.clear();
  expect({});
}

TEST_F(MakeQuestion, NamesThePagesThatAreNotApproved) {
  prepared().urls = {"https://bad.example/"};
  expect({TitleFrom::General, false});
  EXPECT_EQ(message(), "https://bad.example/");
  settings().urls = {{"https://bad.example", true, {}}};
  expect({});
}

class Offers : public testing::Test, protected CallFactsFixture {
 protected:
  std::string offered(ApprovalSide side = ApprovalSide::Before) {
    std::string out;
    for (const OfferedApproval& offer : offered_approvals(facts, side, "My Server")) {
      if (offer.begins_group) out += "| ";
      out += std::string(name_of(offer.target)) + "-" + std::string(name_of(offer.scope)) + " ";
    }
    return out;
  }
};

constexpr auto kTool = "tool-session tool-workspace tool-always ";

TEST_F(Offers, C4TheToolAndTheWholeServer) {
  ask();
  EXPECT_EQ(offered(), kTool);
  EXPECT_EQ(offered(ApprovalSide::Results), kTool);
  facts.approvals.server_key = "mcp:c:srv1";
  const std::string both = std::string(kTool) + "| server-session server-workspace server-always ";
  EXPECT_EQ(offered(), both);
  EXPECT_EQ(offered(ApprovalSide::Results), both);
  const auto offers = offered_approvals(facts, ApprovalSide::Before, "My Server");
  EXPECT_EQ(offers[1].label, "Allow this tool in this workspace");
  EXPECT_EQ(offers[3].label, "Allow all tools of My Server in this session");
}

TEST_F(Offers, C13TheArgumentsIfTheToolOffersThat) {
  ask();
  prepared().approve_combination = "Run it";
  EXPECT_EQ(offered(),
            "arguments-session arguments-workspace arguments-always | " + std::string(kTool));
  EXPECT_EQ(offered(ApprovalSide::Results), kTool);
  EXPECT_EQ(offered_approvals(facts, ApprovalSide::Before, "")[2].label, "Run it always");
}

TEST_F(Offers, ExactlyThisWhereTheToolSaysWhatIsTheSame) {
  ask();
  facts.approvals.server_key = "mcp:c:srv1";
  prepared().approval_key = "make";
  EXPECT_EQ(offered(), "arguments-session arguments-workspace arguments-always ");
}

TEST_F(Offers, C9NothingWhereAContributionForbidsIt) {
  ask();
  facts.contribution = ContributedDecision{.can_use_default_approvals = false};
  EXPECT_EQ(offered(), "");
  EXPECT_EQ(offered(ApprovalSide::Results), kTool);
  facts.result_contribution = facts.contribution;
  EXPECT_EQ(offered(ApprovalSide::Results), "");
}

TEST_F(Offers, NothingThatWouldNotCountTheNextTime) {
  ask();
  make_ineligible();
  EXPECT_EQ(offered(), "");
  settings().eligible.clear();
  set_hook(Hook::Ask);
  EXPECT_EQ(offered(), "");
  set_hook(Hook::Nothing);
  prepared().urls = {"https://bad.example/"};
  EXPECT_EQ(offered(), "");
  prepared().urls.clear();
  prepared().edited_files = {"/etc/hosts"};
  EXPECT_EQ(offered(), "arguments-session arguments-workspace arguments-always ");
}

TEST(EligibilityNames, AreTheNameWithoutItsSetThenOldOnes) {
  HandMadeCatalog made;
  ToolData data;
  data.id = "git_commit";
  data.reference_name = "commit";
  data.display_name = "Commit";
  data.legacy_full_names = {"gitTools/gitCommit", "oldCommit"};
  const auto tool = made.add_tool(data);
  made.add_set("set", "git", {tool});
  using Names = std::vector<std::string>;
  EXPECT_EQ(eligibility_names_of(made.tool(tool)),
            (Names{"commit", "gitTools/gitCommit", "gitCommit", "oldCommit"}));
  data.source = {.kind = ToolSource::Kind::Extension, .id = "Pub.Ext"};
  data.legacy_full_names.clear();
  EXPECT_EQ(eligibility_names_of(made.tool(made.add_tool(data))), Names{"pub.ext/commit"});
  data.source = {};
  data.reference_name.clear();
  EXPECT_EQ(eligibility_names_of(made.tool(made.add_tool(data))), Names{"Commit"});
  data.id = "vscode_fetchWebPage_internal";
  EXPECT_EQ(eligibility_names_of(made.tool(made.add_tool(data))), Names{"fetch"});
}

TEST(EligibilityNames, MeanNothingForAToolThatOnlyCallsAnother) {
  CallFactsFixture call;
  call.make_ineligible();
  EXPECT_FALSE(is_eligible(call.facts));
  call.facts.tool_id = "copilot_fetchWebPage";
  EXPECT_TRUE(is_eligible(call.facts));
  call.facts.settings.reset();
  call.facts.tool_id = "vscode_get_confirmation_with_options";
  EXPECT_FALSE(is_eligible(call.facts));
}

}  // namespace
}  // namespace toolgate
