// Decisions, calls and approvals as the API and the database write them.
#include "base/json.h"
#include "invoke/book.h"

namespace toolgate {
namespace {

std::string text_of(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

json::object decision_object(const Decision& decision) {
  json::object out{{"kind", name_of(decision.kind)}, {"number", static_cast<int>(decision.kind)}};
  const auto add = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) out[key] = text;
  };
  add("reason", decision.reason);
  add("setting", decision.setting);
  if (decision.scope) out["scope"] = name_of(*decision.scope);
  add("selectedButton", decision.selected_button);
  add("by", decision.by);
  add("rule", decision.rule);
  add("message", decision.message);
  return out;
}

void append_member(std::string& out, std::string_view key, std::string_view json) {
  if (json.empty()) return;
  out += ",\"";
  out += key;
  out += "\":";
  out += json;
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  out += ",\"";
  out += key;
  out += "\":";
  append_json_string(out, text);
}

void append_time(std::string& out, std::string_view key, std::int64_t time) {
  if (time != 0) out += fmt::format(",\"{}\":{}", key, time);
}

}  // namespace

std::string write_decision(const Decision& decision) {
  return write_json(json::value(decision_object(decision)));
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
  std::string out = R"({"id":)";
  append_json_string(out, row.id);
  append_text(out, "name", row.tool_id);
  append_text(out, "source", row.source);
  append_text(out, "state", name_of(row.state));
  append_text(out, "call_id", row.call_id);
  append_text(out, "request_id", row.request_id);
  append_text(out, "session_id", row.session_id);
  append_text(out, "caller", row.caller);
  append_text(out, "workspace", row.workspace);
  append_member(out, "arguments", redaction ? redaction->redact(row.arguments) : row.arguments);
  append_text(out, "arguments_hash", row.binding_hash);
  append_text(out, "definition_hash", row.definition_hash);
  append_member(out, "confirmation",
                redaction && !row.confirmation.empty() ? redaction->redact(row.confirmation)
                                                       : row.confirmation);
  append_member(out, "decision", row.decision);
  append_member(out, "post_decision", row.post_decision);
  append_text(out, "error", row.error);
  if (row.unknown_outcome) out += R"(,"outcome":"unknown")";
  append_time(out, "created_at", row.created_at);
  append_time(out, "decided_at", row.decided_at);
  append_time(out, "started_at", row.started_at);
  append_time(out, "ended_at", row.ended_at);
  append_time(out, "expires_at", row.expires_at);
  out += '}';
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
