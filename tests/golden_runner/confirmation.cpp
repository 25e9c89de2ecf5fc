// confirmation.json: the state machine of a call, remembered approvals, and whole calls (those are
// in confirmation_scenarios.cpp).
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "golden_runner/confirmation_scenarios.h"
#include "golden_runner/kinds.h"
#include "invoke/book.h"
#include "invoke/canonical.h"
#include "invoke/decide.h"
#include "invoke/invocation.h"

namespace toolgate {
namespace {

constexpr std::string_view kOrderRule = "the order of arguments";
constexpr std::string_view kSessionsRule = "approvals of sessions are limited too";

constexpr std::string_view kWorkspace = "/workspace";
constexpr std::string_view kCaller = "caller";

std::string text_of(const json::value& value, std::string_view key) {
  return std::string(text_in(value, key));
}

bool is_true(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  return member != nullptr && member->is_bool() && member->get_bool();
}

json::value null_or(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

Decision read_decision(const json::value& value) {
  Decision decision;
  decision.kind = parse_decision_kind(text_in(value, "kind")).value();
  decision.reason = text_in(value, "reason");
  decision.setting = text_in(value, "setting");
  decision.scope = parse_approval_scope(text_in(value, "scope"));
  decision.selected_button = text_in(value, "selected_button");
  return decision;
}

std::optional<Decision> read_decision_in(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  if (member == nullptr || !member->is_object()) return std::nullopt;
  return read_decision(*member);
}

std::string_view scope_name(ApprovalScope scope) {
  return scope == ApprovalScope::Profile ? "profile" : name_of(scope);
}

json::value show(const std::optional<Decision>& decision) {
  if (!decision) return nullptr;
  json::object out{{"kind", name_of(decision->kind)}};
  if (!decision->reason.empty()) out["reason"] = decision->reason;
  if (!decision->setting.empty()) out["setting"] = decision->setting;
  if (decision->scope) out["scope"] = scope_name(*decision->scope);
  if (!decision->selected_button.empty()) out["selected_button"] = decision->selected_button;
  return out;
}

// The state machine.

std::optional<PreparedCall> read_prepared(const json::value& holder) {
  const json::value* given = find(holder, "prepare");
  if (given == nullptr || !given->is_object()) return std::nullopt;
  PreparedCall prepared;
  prepared.confirmation_title = text_in(*given, "title");
  prepared.invocation_message = text_in(*given, "message");
  prepared.past_tense_message = text_in(*given, "past_tense");
  prepared.not_needed_reason = text_in(*given, "not_needed_reason");
  prepared.presentation = text_in(*given, "presentation");
  prepared.confirm_results = is_true(*given, "confirm_results");
  return prepared;
}

Decision cancel_decision(const json::value& given) {
  Decision decision;
  decision.kind = parse_decision_kind(text_in(given, "reason")).value();
  decision.message = text_in(given, "message");
  return decision;
}

Invocation start(const json::value& given) {
  const std::string_view kind = text_in(given, "kind");
  if (kind == "streaming") return Invocation::streaming("Tool T");
  if (kind == "cancelled") return Invocation::cancelled(cancel_decision(given));
  return Invocation::ready(read_prepared(given));
}

ResultFacts read_result(const json::value& operation) {
  ResultFacts facts;
  // The last word, after which nobody is asked.
  if (is_true(operation, "final")) facts.confirm_results = false;
  const json::value* result = find(operation, "result");
  if (result == nullptr || !result->is_object()) return facts;
  facts.is_error = find(*result, "error") != nullptr;
  facts.message = text_in(*result, "message");
  if (const json::value* confirm = find(*result, "confirm_results"); confirm != nullptr)
    facts.confirm_results = confirm->as_bool();
  return facts;
}

std::optional<double> read_progress(const json::value& operation) {
  const json::value* progress = find(operation, "progress");
  if (progress == nullptr || !progress->is_number()) return std::nullopt;
  return progress->to_number<double>();
}

// What VS Code writes into the history of a chat.
json::value serialised(const Invocation& call) {
  return json::object{{"is_confirmed", show(call.decision_to_keep())},
                      {"is_complete", true},
                      {"has_details", false}};
}

// What the operation returned, if it is one that returns something in VS Code.
std::optional<json::value> apply(Invocation& call, const json::value& operation) {
  const std::string_view op = text_in(operation, "op");
  if (op == "confirm") return json::value(call.confirm(read_decision(operation.at("with"))));
  if (op == "cancel_stream") return json::value(call.cancel_streaming(cancel_decision(operation)));
  if (op == "serialise") return serialised(call);
  if (op == "executed")
    call.executed(read_result(operation), read_decision_in(operation, "auto_post"));
  else if (op == "ready")
    call.become_ready(read_prepared(operation), read_decision_in(operation, "auto"));
  else if (op == "stream_message")
    call.set_streaming_message(text_of(operation, "message"));
  else if (op == "request_confirmation")
    call.request_confirmation(read_prepared(operation).value());
  else if (op == "auth_required")
    call.require_authentication();
  else if (op == "auth_resolved")
    call.authentication_done();
  else if (op == "progress")
    call.report_progress(read_progress(operation), text_of(operation, "message"));
  else
    throw std::runtime_error("unknown operation " + std::string(op));
  return std::nullopt;
}

json::object show_state(const Invocation& call) {
  json::object out{{"state", name_of(call.state())}, {"confirmed", show(call.decision())}};
  if (call.state() == InvocationState::Cancelled) {
    out["cancel_reason"] = name_of(call.decision()->kind);
    if (!call.decision()->message.empty()) out["cancel_message"] = call.decision()->message;
  }
  if (call.post_decision()) out["post_confirmed"] = show(call.post_decision());
  return out;
}

json::value show_message(const Invocation& call, const json::value& expected) {
  // Where the wording is free, it must say something.
  const std::string_view wanted = text_in(expected, "invocation_message");
  if (wanted.starts_with('<') && !call.invocation_message().empty()) return json::value(wanted);
  return json::value(call.invocation_message());
}

json::value show_progress(double progress) {
  return progress == 0 ? json::value(0) : json::value(progress);
}

json::value outcome_of_states(const json::value& entry) {
  const json::value& given = entry.at("given");
  Invocation call = start(given.at("start"));
  json::array after_each{show_state(call)};
  for (const json::value& operation : given.at("operations").as_array()) {
    auto returned = apply(call, operation);
    json::object state = show_state(call);
    if (returned) state["returned"] = std::move(*returned);
    after_each.push_back(std::move(state));
  }
  return json::object{{"after_each", std::move(after_each)},
                      {"invocation_message", show_message(call, entry.at("expected"))},
                      {"past_tense_message", null_or(call.past_tense_message())},
                      {"presentation", null_or(call.presentation())},
                      {"progress", show_progress(call.progress())},
                      {"progress_message", null_or(call.progress_message())}};
}

// Remembered approvals.

// Where ours differs from VS Code: both ways can be run.
struct Way {
  bool sorts_arguments = true;
  std::size_t limit = 100;
};
constexpr Way kGivenOrder{.sorts_arguments = false};
constexpr Way kManySessions{.limit = 1000};

class ConfirmationService {
 public:
  explicit ConfirmationService(const Way& way) : way_(way), approvals_(way.limit) {}

  json::value apply(const json::value& step) {
    ++now_;
    const std::string_view op = text_in(step, "op");
    if (op.ends_with("_pre")) return about(step, op, ApprovalSide::Before);
    if (op.ends_with("_post")) return about(step, op, ApprovalSide::Results);
    if (op == "approve_many") return approve_many(step);
    if (op == "register_contribution") return register_contribution(step);
    if (op == "dispose_contribution") return dispose_contribution(step);
    if (op == "set_storage") return set_storage(step);
    if (op == "can_manage") return can_manage(step);
    if (op == "save") return save();
    if (op == "new_instance") return begin_anew();
    if (op == "reset") return reset();
    throw std::runtime_error("unknown operation " + std::string(op));
  }

 private:
  struct Contribution {
    ContributedDecision before;
    ContributedDecision results;
  };

  json::value about(const json::value& step, std::string_view op, ApprovalSide side) {
    const CallFacts facts = facts_of(step);
    if (op.starts_with("pick_")) return pick(step, facts, side);
    if (op.starts_with("actions_")) return actions(step, facts, side);
    if (side == ApprovalSide::Results) return show(decide_result(facts, approvals_, now_));
    const Verdict verdict = decide_call(facts, approvals_, now_);
    return verdict.kind == Verdict::Kind::Ask ? json::value(nullptr) : show(verdict.decision);
  }

  CallFacts facts_of(const json::value& step) const {
    CallFacts facts;
    facts.tool_id = text_of(step, "tool");
    facts.prepared.emplace();
    facts.prepared->confirmation_title = "Sure?";
    facts.prepared->approve_combination = text_of(step, "combination");
    facts.settings = settings_;
    facts.approvals.tool_id = facts.tool_id;
    facts.approvals.server_key = text_of(step, "server");
    if (const json::value* parameters = find(step, "parameters");
        parameters != nullptr && !facts.prepared->approve_combination.empty())
      facts.approvals.arguments_key = key_of(facts.tool_id, *parameters);
    facts.approvals.session_id = session_;
    facts.approvals.workspace = kWorkspace;
    facts.approvals.caller = kCaller;
    if (const auto found = contributions_.find(facts.tool_id); found != contributions_.end()) {
      facts.contribution = found->second.before;
      facts.result_contribution = found->second.results;
    }
    return facts;
  }

  std::string key_of(const std::string& tool_id, const json::value& parameters) const {
    const std::string text = write_json(parameters);
    return way_.sorts_arguments ? arguments_key(tool_id, canonical_json(text).value())
                                : combination_key(tool_id, text);
  }

  static ApprovalTarget target_of(std::string_view group) {
    return group == "combination" ? ApprovalTarget::Arguments
                                  : parse_approval_target(group).value();
  }

  static std::string_view group_of(ApprovalTarget target) {
    return target == ApprovalTarget::Arguments ? "combination" : name_of(target);
  }

  json::value pick(const json::value& step, const CallFacts& facts, ApprovalSide side) {
    const ApprovalTarget target = target_of(text_in(step, "group"));
    const ApprovalScope scope = parse_approval_scope(text_in(step, "scope")).value();
    const auto offers = offered_approvals(facts, side, text_in(step, "server_label"));
    const bool offered = std::ranges::any_of(offers, [&](const OfferedApproval& offer) {
      return offer.target == target && offer.scope == scope;
    });
    const ApprovalQuery& query = facts.approvals;
    if (offered)
      remember(side, target, scope,
               target == ApprovalTarget::Tool     ? query.tool_id
               : target == ApprovalTarget::Server ? query.server_key
                                                  : query.arguments_key,
               facts.tool_id);
    return json::object{{"also_confirms", offered}};
  }

  void remember(ApprovalSide side, ApprovalTarget target, ApprovalScope scope, std::string key,
                std::string tool_id = {}) {
    Approval approval;
    approval.id = "approval-" + std::to_string(++count_);
    approval.side = side;
    approval.target = target;
    approval.scope = scope;
    if (scope == ApprovalScope::Session) approval.scope_id = session_;
    if (scope == ApprovalScope::Workspace) approval.scope_id = kWorkspace;
    approval.key = std::move(key);
    approval.tool_id = std::move(tool_id);
    approval.caller = kCaller;
    approval.last_used_at = now_;
    approvals_.remember(std::move(approval));
  }

  static json::value actions(const json::value& step, const CallFacts& facts, ApprovalSide side) {
    json::array list;
    const std::string_view server = text_in(step, "server_label");
    for (const OfferedApproval& offer : offered_approvals(facts, side, server)) {
      json::object entry{{"group", group_of(offer.target)},
                         {"scope", scope_name(offer.scope)},
                         {"divider", offer.begins_group}};
      if (offer.target == ApprovalTarget::Server)
        entry["label_names_server"] = offer.label.contains(server);
      list.push_back(std::move(entry));
    }
    return list;
  }

  json::value approve_many(const json::value& step) {
    const ApprovalScope scope = parse_approval_scope(text_in(step, "scope")).value();
    for (auto i = step.at("from").as_int64(); i <= step.at("to").as_int64(); ++i) {
      const std::string tool = "t" + std::to_string(i);
      remember(ApprovalSide::Before, ApprovalTarget::Tool, scope, tool, tool);
    }
    return nullptr;
  }

  json::value register_contribution(const json::value& step) {
    Contribution& made = contributions_[text_of(step, "tool")];
    made.before.decision = read_decision_in(step, "pre");
    made.results.decision = read_decision_in(step, "post");
    if (const json::value* defaults = find(step, "can_use_default_approvals"); defaults != nullptr)
      made.before.can_use_default_approvals = made.results.can_use_default_approvals =
          defaults->as_bool();
    return nullptr;
  }

  json::value dispose_contribution(const json::value& step) {
    contributions_.erase(text_of(step, "tool"));
    return nullptr;
  }

  // VS Code's own storage: a list of ids, or an object whose keys are ids.
  json::value set_storage(const json::value& step) {
    const json::value* given = find(step, "value");
    const auto parsed = given != nullptr ? Result<json::value>(*given)
                                         : parse_json_any_utf8(text_in(step, "raw_text"));
    if (!parsed) return nullptr;
    std::vector<std::string> ids;
    if (const json::array* list = parsed->if_array())
      for (const json::value& id : *list) ids.emplace_back(id.as_string());
    if (const json::object* object = parsed->if_object())
      for (const auto& member : *object) ids.emplace_back(member.key());
    const std::string_view key = text_in(step, "key");
    const ApprovalSide side = key.ends_with("-post") ? ApprovalSide::Results : ApprovalSide::Before;
    const ApprovalTarget target = key.starts_with("chat/servers/") ? ApprovalTarget::Server
                                  : key.ends_with("-combination")  ? ApprovalTarget::Arguments
                                                                   : ApprovalTarget::Tool;
    for (const std::string& id : ids)
      remember(side, target, parse_approval_scope(text_in(step, "scope")).value(), id, id);
    return nullptr;
  }

  json::value can_manage(const json::value& step) const {
    const std::string tool = text_of(step, "tool");
    return is_true(step, "pre_approval") || is_true(step, "post_approval") ||
           contributions_.contains(tool) ||
           std::ranges::any_of(approvals_.list(),
                               [&](const Approval* approval) { return approval->tool_id == tool; });
  }

  json::value save() {
    saved_.clear();
    for (const Approval* approval : approvals_.list())
      if (approval->scope != ApprovalScope::Session) saved_.push_back(*approval);
    std::ranges::sort(saved_, {}, &Approval::last_used_at);
    return nullptr;
  }

  json::value begin_anew() {
    session_ += "+";
    approvals_ = Approvals(way_.limit);
    contributions_.clear();
    for (const Approval& approval : saved_) approvals_.remember(approval);
    return nullptr;
  }

  json::value reset() {
    approvals_.reset();
    return json::object{{"contribution_resets", contributions_.size()}};
  }

  Way way_;
  Approvals approvals_;
  std::vector<Approval> saved_;
  std::map<std::string, Contribution> contributions_;
  std::shared_ptr<const ApprovalSettings> settings_ = std::make_shared<ApprovalSettings>();
  std::string session_ = "session";
  std::int64_t now_ = 0;
  int count_ = 0;
};

json::value outcome_of_approvals(const json::value& entry, const Way& way) {
  ConfirmationService service(way);
  json::array returns;
  for (const json::value& step : entry.at("given").at("steps").as_array())
    returns.push_back(service.apply(step));
  return json::object{{"returns", std::move(returns)}};
}

json::value outcome_of_key(const json::value& given) {
  return json::value(
      combination_key(text_in(given, "tool_id"), write_json(given.at("parameters"))));
}

json::value outcome_of_stored(const json::value& given) {
  const json::value& stored = given.at("stored_is_confirmed");
  if (stored.is_object()) return show(parse_decision(write_json(stored)).value());
  Decision decision;
  decision.kind =
      decision_kind_of(stored.is_bool() ? std::optional(stored.get_bool()) : std::nullopt);
  return show(decision);
}

bool is_same(const json::value& a, const json::value& b) {
  return canonical_json(write_json(a)).value() == canonical_json(write_json(b)).value();
}

void compare(const json::value& entry, const json::value& got, Tally& tally) {
  if (is_same(got, entry.at("expected")))
    ++tally.passed;
  else
    tally.compare(text_in(entry, "id"), write_json(entry.at("expected")), write_json(got));
}

void run_approvals(const json::value& entry, Tally& tally) {
  const json::value got = outcome_of_approvals(entry, {});
  const json::value& expected = entry.at("expected");
  if (is_same(got, expected))
    ++tally.passed;
  else if (is_same(outcome_of_approvals(entry, kGivenOrder), expected))
    tally.differ(text_in(entry, "id"), kOrderRule);
  else if (is_same(outcome_of_approvals(entry, kManySessions), expected))
    tally.differ(text_in(entry, "id"), kSessionsRule);
  else
    compare(entry, got, tally);
}

}  // namespace

void run_confirmation(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array()) {
    const std::string_view type = text_in(entry, "type");
    if (type == "state_machine")
      compare(entry, outcome_of_states(entry), tally);
    else if (type == "confirmation_service")
      run_approvals(entry, tally);
    else if (type == "combination_key")
      compare(entry, outcome_of_key(entry.at("given")), tally);
    else if (type == "stored_confirmation")
      compare(entry, outcome_of_stored(entry.at("given")), tally);
    else if (type == "begin_tool_call")
      run_begin_tool_call(entry, tally);
    else if (type == "update_tool_stream")
      run_update_tool_stream(entry, tally);
    else
      run_confirmation_scenario(entry, tally);
  }
}

}  // namespace toolgate
