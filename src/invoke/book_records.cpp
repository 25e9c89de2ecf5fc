// What the book writes beside the calls themselves: the audit trail, remembered approvals, and what
// a person was shown.
#include "base/ids.h"
#include "base/json_object.h"
#include "invoke/book_open.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

// How often the last use of an approval is written down.
constexpr std::int64_t kUseResolution = 60'000;

// Of an edit; the others are counted.
constexpr std::size_t kMostFilesNamed = 100;

std::string_view setting_of(const Decision& decision) {
  return decision.setting.empty() ? std::string_view(decision.reason)
                                  : std::string_view(decision.setting);
}

std::string_view caller_of(const InvocationRow& row) {
  return row.caller.empty() ? std::string_view("local") : std::string_view(row.caller);
}

void describe_decision(const Decision& decision, JsonObjectWriter& object) {
  object.text("decision", name_of(decision.kind));
  object.text_if_any("because", setting_of(decision));
  if (decision.scope) object.text("scope", name_of(*decision.scope));
  object.text_if_any("rule", decision.rule);
  object.text_if_any("message", decision.message);
}

void describe_end(const InvocationRow& row, const Ending& ending, JsonObjectWriter& object) {
  object.number("bytes", static_cast<std::int64_t>(ending.result_bytes));
  object.number("durationMs", row.ended_at - row.started_at);
  object.text_if_any("error", row.error);
}

std::string_view name_of(UndoNote::Outcome outcome) {
  switch (outcome) {
    case UndoNote::Outcome::Begun:
      return "begun";
    case UndoNote::Outcome::Done:
      return "done";
    case UndoNote::Outcome::Refused:
      return "refused";
    case UndoNote::Outcome::Failed:
      break;
  }
  return "failed";
}

json::object undo_json(const UndoNote& undo) {
  json::object out{{"edit", undo.edit}, {"outcome", name_of(undo.outcome)}};
  if (undo.force) out["force"] = true;
  if (!undo.undone_by.empty()) out["undone_by"] = undo.undone_by;
  if (!undo.problem.empty()) out["problem"] = undo.problem;
  if (!undo.workspace.empty()) out["workspace"] = undo.workspace;
  json::array files;
  for (std::size_t i = 0; i < std::min(undo.files.size(), kMostFilesNamed); ++i)
    files.emplace_back(undo.files[i]);
  out["files"] = std::move(files);
  if (undo.files.size() > kMostFilesNamed) out["more_files"] = undo.files.size() - kMostFilesNamed;
  return out;
}

json::value parsed_or_text(std::string_view text) {
  if (auto value = parse_json(text)) return std::move(*value);
  return json::value(text);
}

// Every text in it, so that a change of characters that nobody sees is seen.
void make_visible(json::value& value) {
  if (auto* text = value.if_string()) value = visible_text(*text);
  if (auto* list = value.if_array())
    for (json::value& item : *list) make_visible(item);
  if (auto* object = value.if_object())
    for (auto& member : *object) make_visible(member.value());
}

void add_change(json::array& changes, std::string_view field, const json::value* before,
                const json::value* after) {
  const json::value nothing;
  const json::value& old_value = before ? *before : nothing;
  const json::value& new_value = after ? *after : nothing;
  if (old_value == new_value) return;
  changes.push_back(json::object{{"field", field}, {"before", old_value}, {"after", new_value}});
}

// Field by field of two objects.
json::array changes_between(const json::value& before, const json::value& after) {
  json::array changes;
  if (!before.is_object() || !after.is_object()) {
    add_change(changes, "definition", &before, &after);
    return changes;
  }
  for (const auto& [key, value] : before.get_object())
    add_change(changes, key, &value, find(after, key));
  for (const auto& [key, value] : after.get_object())
    if (!find(before, key)) add_change(changes, key, nullptr, &value);
  return changes;
}

Decision denial_of(const Confirmation& confirmation) {
  const bool skips = confirmation.choice == Confirmation::Choice::Skip;
  Decision decision{.kind = skips ? DecisionKind::Skipped : DecisionKind::Denied};
  decision.message = !confirmation.message.empty() ? confirmation.message
                     : skips ? "the user chose to skip this call and wants to go on without it"
                             : "the user denied this call";
  return decision;
}

}  // namespace

Decision InvocationBook::decision_of(const Confirmation& confirmation) {
  Decision decision = confirmation.choice == Confirmation::Choice::Allow
                          ? Decision{.kind = DecisionKind::UserAction,
                                     .scope = confirmation.scope,
                                     .selected_button = confirmation.selected_button}
                          : denial_of(confirmation);
  decision.by = confirmation.by;
  return decision;
}

Result<void> InvocationBook::note(AuditKind kind, const InvocationRow& row, std::string_view actor,
                                  std::string data) {
  if (auto written = write_ends(); !written) return written;  // what happened first stands first
  AuditEntry entry{.at = options_.now(),
                   .kind = kind,
                   .invocation_id = row.id,
                   .tool_id = row.tool_id,
                   .session_id = row.session_id,
                   .actor = std::string(actor),
                   .data = std::move(data)};
  chain_after(entry, last_audit_ ? &*last_audit_ : nullptr);
  if (auto written = stored(store_.append_audit(entry)); !written) return written;
  last_audit_ = AuditEntry{.sequence = entry.sequence, .hash = entry.hash};
  const std::size_t bytes = entry.data.size() + 500;
  news_.events.emplace_back("audit", bytes,
                            [entry = std::move(entry)] { return write_audit_line(entry); });
  return {};
}

void InvocationBook::describe_proposal(const InvocationRow& row, JsonObjectWriter& object) const {
  object.text("source", row.source);
  object.json("arguments", redaction_->redact(row.arguments));
  object.text("bindingHash", row.binding_hash);
}

Result<void> InvocationBook::note_proposal(const InvocationRow& row, std::string_view actor,
                                           bool edited) {
  std::string data;
  JsonObjectWriter object(data);
  describe_proposal(row, object);
  if (edited) object.truth("edited", true);
  object.end();
  return note(AuditKind::Proposed, row, actor, std::move(data));
}

Result<void> InvocationBook::note_decision(const InvocationRow& row, const Decision& decision) {
  std::string data;
  JsonObjectWriter object(data);
  describe_decision(decision, object);
  object.end();
  const std::string_view actor = decision.by.empty() ? "gateway" : std::string_view(decision.by);
  return note(AuditKind::Decided, row, actor, std::move(data));
}

Result<void> InvocationBook::note_start(const InvocationRow& row) {
  return note(AuditKind::Started, row, "gateway", "{}");
}

// `decision` is null where a person is asked.
Result<void> InvocationBook::note_beginning(const InvocationRow& row, const Decision* decision) {
  if (auto noted = note_proposal(row, caller_of(row), false); !noted) return noted;
  if (!decision) return {};
  if (auto noted = note_decision(row, *decision); !noted) return noted;
  return row.started_at != 0 ? note_start(row) : Result<void>{};
}

Result<void> InvocationBook::note_end(const InvocationRow& row, const Ending& ending) {
  std::string data;
  JsonObjectWriter object(data);
  describe_end(row, ending, object);
  object.end();
  return note(AuditKind::Ended, row, "gateway", std::move(data));
}

// All there is to say of a call that changed nothing and that nobody was asked about, in one entry.
Result<void> InvocationBook::note_run(const InvocationRow& row, const Decision& decision,
                                      const Ending& ending) {
  std::string data;
  data.reserve(row.arguments.size() + row.result.size() + 500);
  JsonObjectWriter object(data);
  describe_proposal(row, object);
  describe_decision(decision, object);
  describe_end(row, ending, object);
  object.end();
  return note(AuditKind::Ran, row, caller_of(row), std::move(data));
}

Result<void> InvocationBook::write_so_far(Open& open) {
  if (!open.written_later) return {};
  if (auto written = stored(store_.insert_invocation(*open.row)); !written) return written;
  if (auto noted = note_beginning(*open.row, open.decision.get()); !noted) return noted;
  just_written_.push_back({std::make_unique<Open>(open), std::nullopt});
  open.written_later = false;
  return {};
}

Result<void> InvocationBook::void_approval(const Approval& approval, std::string_view by,
                                           std::string_view why) {
  (void)approvals_.revoke(approval.id);
  if (auto removed = stored(store_.remove_approval(approval.id)); !removed) return removed;
  const InvocationRow about{.tool_id = approval.tool_id, .session_id = {}};
  return note(AuditKind::Revoked, about, by,
              write_json(json::value(json::object{{"approval", approval.id},
                                                  {"target", name_of(approval.target)},
                                                  {"scope", name_of(approval.scope)},
                                                  {"why", why}})));
}

Result<void> InvocationBook::note_use(const Approval& approval, std::int64_t now) {
  if (now - approval.last_used_at < kUseResolution) return {};
  Approval used = approval;
  used.last_used_at = now;
  if (used.scope == ApprovalScope::Session && used.expires_at != 0)
    used.expires_at = now + options_.session_idle;
  if (auto kept = stored(store_.put_approval(used)); !kept) return kept;
  (void)approvals_.remember(std::move(used));
  return {};
}

Result<Approval> InvocationBook::make_approval(const Confirmation& confirmation, const Open& open,
                                               const InvocationRow& row) const {
  const bool results = row.state == InvocationState::WaitingForPostApproval;
  if (!open.may_be_remembered)
    return fail_at("scope", Errc::InvalidRequest,
                   "{}{} is always asked about: it can be approved once, not for longer",
                   results ? "this result of " : "", row.tool_id);
  if (confirmation.scope == ApprovalScope::Workspace && row.workspace.empty())
    return fail_at("scope", Errc::InvalidRequest,
                   "{} belongs to no workspace, so it cannot be approved for one", row.id);
  const bool only_exactly = !results && !open.approval_key.empty();
  const ApprovalTarget target =
      confirmation.target.value_or(only_exactly ? ApprovalTarget::Arguments : ApprovalTarget::Tool);
  if (only_exactly && target != ApprovalTarget::Arguments)
    return fail_at("target", Errc::InvalidRequest,
                   "an approval of {} counts for exactly what was shown: the target is "
                   "\"arguments\"",
                   row.tool_id);
  if (only_exactly && confirmation.parameters)
    return fail_at("scope", Errc::InvalidRequest,
                   "what {} would do with changed arguments was not shown: approve it once",
                   row.tool_id);
  const std::int64_t now = options_.now();
  Approval approval{
      .id = make_id("apr_"),
      .side = results ? ApprovalSide::Results : ApprovalSide::Before,
      .target = target,
      .scope = confirmation.scope,
      .tool_id = row.tool_id,
      .label = row.tool_id,
      .caller = row.caller,
      .definition_hash = row.definition_hash,
      .definition = open.definition ? *open.definition : std::string(),
      .by = confirmation.by,
      .created_at = now,
      .last_used_at = now,
      .expires_at = confirmation.remember_for == 0 ? 0 : now + confirmation.remember_for};
  switch (target) {
    case ApprovalTarget::Tool:
      approval.key = row.tool_id;
      break;
    case ApprovalTarget::Server:
      if (open.server_key.empty())
        return fail_at("target", Errc::InvalidRequest, "{} is a tool of no server", row.tool_id);
      approval.key = approval.label = open.server_key;
      approval.definition_hash = open.server_definition_hash;
      approval.definition = open.server_definition ? *open.server_definition : std::string();
      break;
    case ApprovalTarget::Arguments: {
      const auto arguments = canonical_json(row.arguments);
      if (!arguments) return std::unexpected(arguments.error());
      approval.key = only_exactly ? open.approval_key : arguments_key(row.tool_id, *arguments);
      approval.label = visible_text(options_.redaction.redact(*arguments), false);
      break;
    }
  }
  if (confirmation.scope == ApprovalScope::Session) {
    if (row.session_id.empty())
      return fail_at("scope", Errc::InvalidRequest,
                     "{} belongs to no session, so it cannot be approved for one", row.id);
    approval.scope_id = row.session_id;
    if (approval.expires_at == 0) approval.expires_at = now + options_.session_idle;
  }
  if (confirmation.scope == ApprovalScope::Workspace) approval.scope_id = row.workspace;
  return approval;
}

Result<void> InvocationBook::remember(Approval approval, const InvocationRow& row) {
  json::object data{{"approval", approval.id},
                    {"side", name_of(approval.side)},
                    {"target", name_of(approval.target)},
                    {"scope", name_of(approval.scope)}};
  const std::string by = approval.by;
  if (auto kept = stored(store_.put_approval(approval)); !kept) return kept;
  for (const Approval& gone : approvals_.remember(std::move(approval)))
    if (auto removed = stored(store_.remove_approval(gone.id)); !removed) return removed;
  return note(AuditKind::Remembered, row, by, write_json(json::value(std::move(data))));
}

// The person runs something else than the model asked for; the trail has both.
Result<void> InvocationBook::take_edited(const Confirmation& confirmation, InvocationRow& row) {
  if (row.started_at != 0)
    return fail_at("parameters", Errc::InvalidRequest,
                   "{} has begun already: its arguments cannot be changed", row.id);
  const auto canonical = canonical_json(*confirmation.parameters);
  if (!canonical)
    return fail_at("parameters", Errc::InvalidRequest, "{}", canonical.error().message);
  row.arguments = *confirmation.parameters;
  row.binding_hash = binding_hash(row.tool_id, row.definition_hash, *canonical, row.caller);
  return {};
}

// What is shown, and what may be answered.
std::string InvocationBook::write_confirmation(const Question& question, const Open& open,
                                               std::string_view changes) {
  const PreparedCall& prepared = question.prepared;
  json::object out{{"title", visible_text(prepared.confirmation_title, false)},
                   {"message", visible_text(prepared.confirmation_message)},
                   {"messageIsMarkdown", prepared.message_is_markdown},
                   {"invocationMessage", visible_text(prepared.invocation_message)},
                   {"pastTenseMessage", visible_text(prepared.past_tense_message)},
                   {"confirmResults", prepared.confirm_results},
                   {"mayBeRemembered", prepared.allow_auto_confirm.value_or(true)}};
  if (!prepared.disclaimer.empty()) out["disclaimer"] = visible_text(prepared.disclaimer);
  if (!prepared.approve_combination.empty())
    out["approveCombination"] = visible_text(prepared.approve_combination, false);
  if (!prepared.buttons.empty()) {
    json::array buttons;
    for (const std::string& button : prepared.buttons)
      buttons.emplace_back(visible_text(button, false));
    out["buttons"] = std::move(buttons);
  }
  if (!open.server_key.empty()) out["server"] = open.server_key;
  if (!open.approval_key.empty()) out["approvalKey"] = open.approval_key;
  if (!prepared.tool_specific_data.empty())
    out["toolSpecificData"] = parsed_or_text(prepared.tool_specific_data);
  if (!changes.empty()) {
    out["definitionChanges"] = parsed_or_text(changes);
    make_visible(out["definitionChanges"]);
  }
  return write_json(json::value(std::move(out)));
}

// After a restart: as much of the call as was kept. It can be decided about, and then resumed.
InvocationBook::Open InvocationBook::restore_open(InvocationRow row, const Open* known) const {
  Open open;
  open.confirmation_time = options_.resume_time;
  if (known) {
    open = *known;
  } else if (const auto shown = parse_json(row.confirmation)) {
    const auto truth = [&](std::string_view key) {
      const json::value* value = toolgate::find(*shown, key);
      return value && value->is_bool() && value->get_bool();
    };
    open.may_be_remembered = truth("mayBeRemembered");
    open.confirm_results = truth("confirmResults");
    if (const json::value* key = toolgate::find(*shown, "approvalKey"); key && key->is_string())
      open.approval_key = key->get_string();
  }
  open.approved = row.state == InvocationState::WaitingForConfirmation && row.started_at == 0 &&
                  !row.decision.empty();
  open.row = std::make_shared<const InvocationRow>(std::move(row));
  return open;
}

std::string InvocationBook::definition_changes(const Approval& outdated, const Open& open) {
  const auto& now =
      outdated.target == ApprovalTarget::Server ? open.server_definition : open.definition;
  if (!now || outdated.definition.empty()) return {};
  const auto changes = changes_between(parsed_or_text(outdated.definition), parsed_or_text(*now));
  return changes.empty() ? std::string() : write_json(json::value(changes));
}

std::vector<Approval> InvocationBook::approvals() const {
  std::vector<Approval> result;
  const std::int64_t now = options_.now();
  for (const Approval* approval : approvals_.list())
    if (approval->expires_at == 0 || approval->expires_at > now) result.push_back(*approval);
  return result;
}

Result<Approval> InvocationBook::revoke(std::string_view id, std::string_view by) {
  auto gone = approvals_.revoke(id);
  if (!gone) return fail(Errc::NotFound, "there is no approval {}", id);
  if (auto voided = void_approval(*gone, by, "it was revoked"); !voided)
    return std::unexpected(voided.error());
  return std::move(*gone);
}

Result<std::size_t> InvocationBook::reset_approvals(std::string_view by) {
  const auto gone = approvals_.reset();
  for (const Approval& approval : gone)
    if (auto voided = void_approval(approval, by, "all were revoked"); !voided)
      return std::unexpected(voided.error());
  return gone.size();
}

Verdict InvocationBook::explain(const CallFacts& facts) {
  Verdict verdict = decide_call(facts, approvals_, options_.now());
  verdict.outdated = verdict.approval = nullptr;  // the book's own
  return verdict;
}

Result<std::vector<AuditEntry>> InvocationBook::audit(const AuditQuery& query) {
  if (auto written = write_ends(); !written) return std::unexpected(written.error());
  return store_.read_audit(query);
}

Result<void> InvocationBook::note_undo(const UndoNote& undo) {
  json::object data = undo_json(undo);
  const InvocationRow about{.tool_id = undo.tool_id, .session_id = undo.session_id};
  if (auto noted = note(AuditKind::Undo, about, undo.by, write_json(data)); !noted) return noted;
  if (undo.outcome == UndoNote::Outcome::Begun) return {};
  data["actor"] = undo.by;
  news_.events.emplace_back("undo", write_json(data));
  return {};
}

Result<void> InvocationBook::add_http_tool(const HttpToolRow& tool, std::string_view by) {
  if (auto kept = stored(store_.put_http_tool(tool)); !kept) return kept;
  return note(AuditKind::Registered, {.tool_id = tool.name}, by, "{}");
}

Result<bool> InvocationBook::remove_http_tool(std::string_view name, std::string_view by) {
  auto removed = stored(store_.remove_http_tool(name));
  if (!removed || !*removed) return removed;
  if (auto noted = note(AuditKind::Removed, {.tool_id = std::string(name)}, by, "{}"); !noted)
    return std::unexpected(noted.error());
  return true;
}

Result<std::vector<HttpToolRow>> InvocationBook::http_tools() {
  return store_.load_http_tools();
}

Result<void> InvocationBook::keep_turn(const std::string& caller, const std::string& id,
                                       const std::string& record, std::int64_t keep_time) {
  const std::int64_t now = options_.now();
  if (auto pruned = stored(store_.prune_turns(now)); !pruned) return pruned;
  return stored(store_.put_turn({caller, id, record, now + keep_time}));
}

Result<std::optional<std::string>> InvocationBook::find_turn(std::string_view caller,
                                                             std::string_view id) {
  auto found = store_.find_turn(caller, id);
  if (!found) return std::unexpected(found.error());
  if (!*found || (*found)->expires_at <= options_.now()) return std::nullopt;
  return std::move((*found)->record);
}

}  // namespace toolgate
