// Decisions, calls and approvals as the API and the database write them.
#include "base/json_object.h"
#include "invoke/book.h"

namespace toolgate {
namespace {

std::string text_of(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

}  // namespace

std::string write_decision(const Decision& decision) {
  std::string out;
  out.reserve(127);
  JsonObjectWriter object(out);
  object.text("kind", name_of(decision.kind));
  object.number("number", static_cast<int>(decision.kind));
  object.text_if_any("reason", decision.reason);
  object.text_if_any("setting", decision.setting);
  if (decision.scope) object.text("scope", name_of(*decision.scope));
  object.text_if_any("selectedButton", decision.selected_button);
  object.text_if_any("by", decision.by);
  object.text_if_any("rule", decision.rule);
  object.text_if_any("message", decision.message);
  object.end();
  return out;
}

Result<Decision> parse_decision(std::string_view text) {
  auto value = parse_json(text);
  if (!value) return std::unexpected(value.error());
  const auto kind = parse_decision_kind(text_of(*value, "kind"));
  if (!kind) return fail(Errc::Internal, "a stored decision is of no known kind");
  return Decision{.kind = *kind,
                  .reason = text_of(*value, "reason"),
                  .setting = text_of(*value, "setting"),
                  .scope = parse_approval_scope(text_of(*value, "scope")),
                  .selected_button = text_of(*value, "selectedButton"),
                  .by = text_of(*value, "by"),
                  .rule = text_of(*value, "rule"),
                  .message = text_of(*value, "message")};
}

std::string write_invocation(const InvocationRow& row, const Redaction* redaction) {
  std::string out;
  out.reserve(1'000 + row.arguments.size() + row.confirmation.size());
  const auto shown = [redaction](const std::string& json) {
    return redaction && !json.empty() ? redaction->redact_line(json) : json;
  };
  JsonObjectWriter object(out);
  object.text("id", row.id);
  object.text_if_any("name", row.tool_id);
  object.text_if_any("source", row.source);
  object.text("state", name_of(row.state));
  object.text_if_any("call_id", row.call_id);
  object.text_if_any("request_id", row.request_id);
  object.text_if_any("session_id", row.session_id);
  object.text_if_any("caller", row.caller);
  object.text_if_any("workspace", row.workspace);
  object.json_if_any("arguments", shown(row.arguments));
  object.text_if_any("arguments_hash", row.binding_hash);
  object.text_if_any("definition_hash", row.definition_hash);
  object.json_if_any("confirmation", shown(row.confirmation));
  object.json_if_any("decision", row.decision);
  object.json_if_any("post_decision", row.post_decision);
  object.text_if_any("error", row.error);
  if (row.unknown_outcome) object.text("outcome", "unknown");
  object.number_if_any("created_at", row.created_at);
  object.number_if_any("decided_at", row.decided_at);
  object.number_if_any("started_at", row.started_at);
  object.number_if_any("ended_at", row.ended_at);
  object.number_if_any("expires_at", row.expires_at);
  object.end();
  return out;
}

std::string write_approval(const Approval& approval) {
  json::object out{{"id", approval.id},
                   {"side", name_of(approval.side)},
                   {"target", name_of(approval.target)},
                   {"scope", name_of(approval.scope)},
                   {"tool", approval.tool_id},
                   {"label", approval.label},
                   {"caller", approval.caller},
                   {"by", approval.by},
                   {"definition_hash", approval.definition_hash},
                   {"created_at", approval.created_at},
                   {"last_used_at", approval.last_used_at}};
  if (!approval.scope_id.empty())
    out[approval.scope == ApprovalScope::Session ? "session_id" : "workspace"] = approval.scope_id;
  if (approval.expires_at != 0) out["expires_at"] = approval.expires_at;
  return write_json(json::value(std::move(out)));
}

std::string write_trail(const std::vector<TrailStep>& trail) {
  json::array out;
  for (const TrailStep& step : trail)
    out.push_back(
        json::object{{"rule", step.rule}, {"outcome", step.outcome}, {"decided", step.decided}});
  return write_json(json::value(std::move(out)));
}

}  // namespace toolgate
