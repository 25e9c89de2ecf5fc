#include "invoke/decide.h"

#include <utility>

#include <fmt/format.h>

#include "invoke/decide_parts.h"

namespace toolgate {
namespace {

using TitleFrom = Question::TitleFrom;

constexpr std::string_view kRules = "toolgate.approvals.rules";
constexpr std::string_view kHooks = "hooks";
constexpr std::string_view kLevel = "session level";
constexpr std::string_view kRisk = "chat.autopilot.advanced.enabled";
constexpr std::string_view kEligible = "chat.tools.eligibleForAutoApproval";
constexpr std::string_view kContribution = "the gateway's own rule for this tool";
constexpr std::string_view kUrls = "chat.tools.urls.autoApprove";
constexpr std::string_view kEdits = "chat.tools.edits.autoApprove";
constexpr std::string_view kRemembered = "remembered approvals";
constexpr std::string_view kGlobal = "chat.tools.global.autoApprove";
constexpr std::string_view kCaller = "the caller's approval";
constexpr std::string_view kTool = "the tool";

constexpr std::string_view kApproveAll = "auto-approve-all";

Decision setting_decision(std::string_view setting) {
  return {.kind = DecisionKind::Setting, .setting = std::string(setting), .by = "setting"};
}

Decision not_needed(std::string_view reason, std::string_view by) {
  return {.kind = DecisionKind::ConfirmationNotNeeded,
          .reason = std::string(reason),
          .by = std::string(by)};
}

Decision remembered_decision(const Approval& approval) {
  return {.kind = DecisionKind::LmServicePerTool, .scope = approval.scope, .by = approval.by};
}

std::string with_name(std::string_view name) {
  return name.empty() ? std::string() : fmt::format("\"{}\" ", name);
}

std::string_view words_of(ApprovalTarget target) {
  switch (target) {
    case ApprovalTarget::Tool:
      return "this tool";
    case ApprovalTarget::Server:
      return "all tools of its server";
    case ApprovalTarget::Arguments:
      break;
  }
  return "exactly these arguments";
}

std::string_view words_of(ApprovalScope scope) {
  switch (scope) {
    case ApprovalScope::Once:
      return "once";
    case ApprovalScope::Session:
      return "in this session";
    case ApprovalScope::Workspace:
      return "in this workspace";
    case ApprovalScope::Profile:
      break;
  }
  return "always";
}

std::string words_of(const Approval& approval) {
  const std::string by = approval.by.empty() ? "" : fmt::format(" by {}", approval.by);
  return fmt::format("{} allowed {}{}", words_of(approval.target), words_of(approval.scope), by);
}

// Session levels that let everything run; a policy may take them away, and two tools ask what only
// the one who sits at another program can answer.
struct LevelAnswer {
  bool approves = false;
  std::string why;
};

LevelAnswer level_answer(const CallFacts& facts) {
  if (!facts.session) return {false, "no session"};
  const PermissionLevel level = facts.session->level;
  const std::string_view name = name_of(level);
  if (level != PermissionLevel::AutoApprove && level != PermissionLevel::Autopilot)
    return {false, fmt::format("\"{}\" decides nothing", name)};
  if (facts.policy_forbids_auto_approve)
    return {false, fmt::format("\"{}\", but a policy forbids it", name)};
  if (is_always_asked(facts.tool_id) && !facts.session->is_local)
    return {false, fmt::format("\"{}\", but not for this tool in a session from elsewhere", name)};
  return {true, fmt::format("\"{}\" → runs", name)};
}

bool is_terminal_tool(std::string_view id) {
  return id == "run_in_terminal";
}

// Tools that may do harm without ever asking.
bool is_always_rated(std::string_view id) {
  return is_terminal_tool(id) || id == "vscode_fetchWebPage_internal" ||
         id == "copilot_fetchWebPage";
}

bool is_rated(const CallFacts& facts, const Question& question) {
  return facts.session && facts.session->is_local &&
         facts.session->level == PermissionLevel::Autopilot &&
         (question.title_from != TitleFrom::None || is_always_rated(facts.tool_id));
}

// Why the call is too dangerous to run without anyone; nothing: it is not, or it is not rated.
std::optional<std::string> danger_of(const CallFacts& facts, const Question& question) {
  if (!facts.risk || !is_rated(facts, question)) return std::nullopt;
  if (facts.risk->rating == RiskRating::Red)
    return facts.risk->explanation.empty() ? "it may destroy something" : facts.risk->explanation;
  if (facts.risk->rating == RiskRating::Unknown && is_terminal_tool(facts.tool_id))
    return "the command could not be rated";
  return std::nullopt;
}

// Looks at one rule after the other; each gives true once it has decided.
class CallDecision {
 public:
  CallDecision(const CallFacts& facts, Approvals& approvals, std::int64_t now, Trail trail)
      : facts_(facts), approvals_(approvals), now_(now), trail_(trail) {
    verdict_.question = make_question(facts);
    wide_approvals_count_ = !counts_exactly(facts);
  }

  // The precedence of docs/approvals.md.
  Verdict decide() && {
    (void)(rule_denies() || hook_decides() || rule_asks() || level_approves() || must_ask() ||
           rule_allows() || contribution_decides() || effects_are_approved() ||
           remembered_approves() || global_approves() || caller_decides() || tool_decides());
    return std::move(verdict_);
  }

 private:
  bool pass(std::string_view rule, std::string outcome) {
    add_step(rule, std::move(outcome), false);
    return false;
  }

  bool end(Verdict::Kind kind, std::string_view rule, std::string outcome) {
    verdict_.kind = kind;
    add_step(rule, std::move(outcome), true);
    return true;
  }

  void add_step(std::string_view rule, std::string outcome, bool decided) {
    if (trail_ == Trail::Kept)
      verdict_.trail.push_back({std::string(rule), std::move(outcome), decided});
  }

  bool ask(std::string_view rule, std::string outcome) {
    return end(Verdict::Kind::Ask, rule, std::move(outcome));
  }

  // Runs or is refused, as the decision says.
  bool settle(Decision decision, std::string_view rule, std::string outcome) {
    if (decision.rule.empty()) decision.rule = fmt::format("{}: {}", rule, outcome);
    const bool runs = decision.lets_run();
    verdict_.decision = std::move(decision);
    return end(runs ? Verdict::Kind::Run : Verdict::Kind::Refuse, rule, std::move(outcome));
  }

  bool rule_is(RuleVerdict verdict) const { return facts_.rule && facts_.rule->verdict == verdict; }

  std::string rule_words(std::string_view consequence) const {
    const std::string place =
        facts_.rule->place.empty() ? "" : fmt::format("({}) ", facts_.rule->place);
    return fmt::format("{}{}→ {}", with_name(facts_.rule->name), place, consequence);
  }

  bool rule_denies() {
    if (!facts_.rule) return pass(kRules, "no rule matches");
    if (!rule_is(RuleVerdict::Deny)) return false;  // its turn comes
    const std::string& message = facts_.rule->message;
    return settle(
        {.kind = DecisionKind::Denied,
         .by = "rule",
         .message = message.empty() ? "A rule of this gateway denies this call." : message},
        kRules, rule_words("denied"));
  }

  bool hook_decides() {
    const HookVerdict& hook = facts_.hook;
    const std::string because = hook.reason.empty() ? "" : fmt::format(": {}", hook.reason);
    switch (hook.kind) {
      case HookVerdict::Kind::Nothing:
        return pass(kHooks, "say nothing");
      case HookVerdict::Kind::Ask:
        return ask(kHooks, fmt::format("{}→ asked{}", with_name(hook.hook), because));
      case HookVerdict::Kind::Allow:
        return settle(not_needed("hook_allowed", "hook"), kHooks,
                      fmt::format("{}→ runs{}", with_name(hook.hook), because));
      case HookVerdict::Kind::Deny:
        break;
    }
    return settle({.kind = DecisionKind::Denied,
                   .by = "hook",
                   .message = hook.reason.empty() ? "A hook denied this call." : hook.reason},
                  kHooks, fmt::format("{}→ denied{}", with_name(hook.hook), because));
  }

  bool rule_asks() { return rule_is(RuleVerdict::Ask) && ask(kRules, rule_words("asked")); }

  bool level_approves() {
    LevelAnswer answer = level_answer(facts_);
    if (!answer.approves) return pass(kLevel, std::move(answer.why));
    if (refused_as_dangerous()) return true;
    return settle(not_needed(kApproveAll, "session"), kLevel, std::move(answer.why));
  }

  bool refused_as_dangerous() {
    const auto danger = danger_of(facts_, verdict_.question);
    if (!danger) return false;
    return settle({.kind = DecisionKind::Skipped,
                   .by = "risk rating",
                   .message = fmt::format("This call was not made, because nobody would have been "
                                          "asked about it and it seems dangerous: {}. Do not try "
                                          "the same again; choose a safer way or leave it to the "
                                          "user.",
                                          *danger)},
                  kRisk, fmt::format("{} → skipped", *danger));
  }

  bool must_ask() {
    Eligibility eligibility = eligibility_of(facts_);
    return eligibility.is_eligible ? pass(kEligible, std::move(eligibility.why))
                                   : ask(kEligible, std::move(eligibility.why));
  }

  bool rule_allows() {
    return rule_is(RuleVerdict::Allow) &&
           settle(setting_decision(kRules), kRules, rule_words("runs"));
  }

  bool contribution_decides() {
    if (!facts_.contribution) return false;
    if (facts_.contribution->decision)
      return settle(*facts_.contribution->decision, kContribution,
                    fmt::format("→ {}", name_of(facts_.contribution->decision->kind)));
    if (facts_.contribution->can_use_default_approvals) return pass(kContribution, "says nothing");
    approvals_count_ = false;
    return pass(kContribution, "says nothing; remembered approvals do not count for it");
  }

  // If everything the call names is approved, it runs; else fewer approvals count.
  bool effects_are_approved() {
    const auto [urls, edits] = effects_of(facts_, UrlSide::Request);
    if (urls == Effect::NotApproved) {
      approvals_count_ = false;
      pass(kUrls, "not every page is approved; remembered approvals do not count for it");
    }
    if (edits == Effect::NotApproved) {
      wide_approvals_count_ = false;
      pass(kEdits, fmt::format("not approved ({}); only approvals of exactly these arguments count",
                               edit_words()));
    }
    if (urls == Effect::NotApproved || edits == Effect::NotApproved) return false;
    if (edits == Effect::Approved)
      return settle(setting_decision(kEdits), kEdits, "every file is approved → runs");
    return urls == Effect::Approved &&
           settle(setting_decision(kUrls), kUrls, "every page is approved → runs");
  }

  std::string edit_words() const {
    if (!facts_.edits) return "not checked";
    const std::string& pattern = facts_.edits->pattern;
    return pattern.empty() ? std::string(name_of(facts_.edits->verdict))
                           : fmt::format("{}, {}", name_of(facts_.edits->verdict), pattern);
  }

  bool remembered_approves() {
    if (!approvals_count_) return false;
    ApprovalQuery query = facts_.approvals;
    query.side = ApprovalSide::Before;
    if (!wide_approvals_count_) {
      query.tool_id.clear();
      query.server_key.clear();
    }
    const Approvals::Match match = approvals_.find(query, now_);
    verdict_.approval = match.approval;
    if (match.approval != nullptr)
      return settle(remembered_decision(*match.approval), kRemembered,
                    fmt::format("{} → runs", words_of(*match.approval)));
    verdict_.outdated = match.outdated;
    if (match.outdated != nullptr)
      return pass(kRemembered, fmt::format("{}, but the definition is another one now",
                                           words_of(*match.outdated)));
    return pass(kRemembered, wide_approvals_count_ ? "none" : "none of exactly this call");
  }

  bool global_approves() {
    if (!facts_.global_approves) return pass(kGlobal, "is off for this tool");
    return settle(setting_decision(kGlobal), kGlobal, "is on for this tool → runs");
  }

  bool caller_decides() {
    if (!facts_.caller_approval) return pass(kCaller, "none");
    Decision decision = *facts_.caller_approval;
    if (decision.by.empty()) decision.by = "caller";
    const auto kind = name_of(decision.kind);
    return settle(std::move(decision), kCaller, fmt::format("→ {}", kind));
  }

  bool tool_decides() {
    if (verdict_.question.title_from != TitleFrom::None) return ask(kTool, "asks");
    if (refused_as_dangerous()) return true;
    const std::string reason = facts_.prepared ? facts_.prepared->not_needed_reason : "";
    return settle(not_needed(reason, "tool"), kTool,
                  reason.empty() ? std::string("does not ask → runs")
                                 : fmt::format("does not ask ({}) → runs", reason));
  }

  const CallFacts& facts_;
  Approvals& approvals_;
  const std::int64_t now_;
  const Trail trail_;
  Verdict verdict_;
  bool approvals_count_ = true;
  bool wide_approvals_count_ = true;  // those of the whole tool or server
};

// The first of the settings and rules that lets a model see a result.
std::optional<Decision> result_decision(const CallFacts& facts, Approvals& approvals,
                                        std::int64_t now) {
  if (level_answer(facts).approves) return not_needed(kApproveAll, "session");
  if (facts.global_is_on) return setting_decision(kGlobal);
  if (facts.result_contribution) {
    if (facts.result_contribution->decision) return facts.result_contribution->decision;
    if (!facts.result_contribution->can_use_default_approvals) return std::nullopt;
  }
  const Effect urls = effects_of(facts, UrlSide::Response).urls;
  if (urls == Effect::Approved) return setting_decision(kUrls);
  if (urls == Effect::NotApproved) return std::nullopt;
  ApprovalQuery query = facts.approvals;
  query.side = ApprovalSide::Results;
  query.arguments_key.clear();
  const Approval* approval = approvals.find(query, now).approval;
  if (approval == nullptr) return std::nullopt;
  Decision decision = remembered_decision(*approval);
  decision.rule = fmt::format("{}: {}", kRemembered, words_of(*approval));
  return decision;
}

}  // namespace

bool wants_risk_rating(const CallFacts& facts) {
  return is_rated(facts, make_question(facts));
}

Verdict decide_call(const CallFacts& facts, Approvals& approvals, std::int64_t now, Trail trail) {
  return CallDecision(facts, approvals, now, trail).decide();
}

std::optional<Decision> decide_result(const CallFacts& facts, Approvals& approvals,
                                      std::int64_t now) {
  auto decision = result_decision(facts, approvals, now);
  if (decision && decision->rule.empty())
    decision->rule = decision->setting.empty() ? decision->reason : decision->setting;
  return decision;
}

}  // namespace toolgate
