// What is known of a call, for tests of who decides about it: a plain tool that asks nothing, in a
// local session, with default settings; each test changes what it is about.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "invoke/decide.h"

namespace toolgate {

class CallFactsFixture {
 public:
  CallFactsFixture() {
    facts.tool_id = "testTool";
    facts.eligibility_names = {"testToolRef"};
    facts.raw_input = R"({"a":1})";
    facts.session.emplace();
    facts.settings = settings_;
    facts.approvals.tool_id = "testTool";
    facts.approvals.session_id = "session";
    facts.approvals.workspace = "/workspace";
    facts.approvals.caller = "caller";
    facts.approvals.definition_hash = "definition";
    facts.approvals.server_definition_hash = "all definitions";
  }

  ApprovalSettings& settings() { return *settings_; }
  PreparedCall& prepared() { return facts.prepared ? *facts.prepared : facts.prepared.emplace(); }
  void ask(std::string title = "Sure?") { prepared().confirmation_title = std::move(title); }
  void set_level(PermissionLevel level) { facts.session->level = level; }
  void set_hook(HookVerdict::Kind kind, std::string reason = {}) {
    facts.hook = {kind, std::move(reason), "guard"};
  }
  void set_rule(RuleVerdict verdict, std::string message = {}) {
    facts.rule = RuleHit{verdict, "my rule", std::move(message), "settings.json:3:5"};
  }
  void make_ineligible() { settings_->eligible["testToolRef"] = false; }

  // As a person would have, before the call.
  void remember(ApprovalTarget target, ApprovalScope scope,
                ApprovalSide side = ApprovalSide::Before) {
    Approval approval;
    approval.id = "approval" + std::to_string(approvals.size());
    approval.side = side;
    approval.target = target;
    approval.scope = scope;
    if (scope == ApprovalScope::Session) approval.scope_id = facts.approvals.session_id;
    if (scope == ApprovalScope::Workspace) approval.scope_id = facts.approvals.workspace;
    approval.key = target == ApprovalTarget::Tool     ? facts.approvals.tool_id
                   : target == ApprovalTarget::Server ? facts.approvals.server_key
                                                      : facts.approvals.arguments_key;
    approval.definition_hash = target == ApprovalTarget::Server
                                   ? facts.approvals.server_definition_hash
                                   : facts.approvals.definition_hash;
    approval.caller = facts.approvals.caller;
    approval.by = "operator";
    approvals.remember(std::move(approval));
  }

  Verdict decide() { return decide_call(facts, approvals, 1); }
  std::optional<Decision> decide_about_result() { return decide_result(facts, approvals, 1); }

  CallFacts facts;
  Approvals approvals;

 private:
  std::shared_ptr<ApprovalSettings> settings_ = std::make_shared<ApprovalSettings>();
};

}  // namespace toolgate
