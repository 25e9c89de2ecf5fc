#include "hosts/hook_message.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/json_tree.h"
#include "base/utf8.h"

namespace toolgate {
namespace {

using Kind = HookVerdict::Kind;

constexpr std::string_view kWhiteSpace = " \t\r\n";

void append_member(std::string& out, std::string_view name, std::string_view text) {
  append_json_string(out, name);
  out += ':';
  append_json_string(out, mend_utf8(text));
  out += ',';
}

// Written anew from what was read: text that is no JSON cannot add members to the message.
void append_value(std::string& out, std::string_view text) {
  JsonTree tree;
  if (const auto value = tree.parse(text))
    append_json(out, **value);
  else
    append_json_string(out, mend_utf8(text));
}

struct DecisionWord {
  std::string_view word;
  Kind before;
  std::optional<Kind> after;
};

// Ours, and those of other programs that have hooks. Nobody can be asked after the call.
constexpr std::array kDecisionWords{
    DecisionWord{"allow", Kind::Allow, Kind::Nothing},
    DecisionWord{"approve", Kind::Allow, Kind::Nothing},
    DecisionWord{"ask", Kind::Ask, std::nullopt},
    DecisionWord{"deny", Kind::Deny, Kind::Deny},
    DecisionWord{"block", Kind::Deny, Kind::Deny},
};

std::optional<Kind> parse_decision(HookMoment moment, std::string_view word) {
  const auto found = std::ranges::find(kDecisionWords, word, &DecisionWord::word);
  if (found == kDecisionWords.end()) return std::nullopt;
  return moment == HookMoment::Before ? found->before : found->after;
}

std::unexpected<Error> refuse(std::string_view reason) {
  return fail(Errc::InvalidRequest, "{}", reason);
}

// The string of that name; empty where there is none.
Result<std::string_view> text_member(const JsonNode& object, std::string_view name) {
  const JsonNode* member = object.find(name);
  if (!member || member->is(JsonNode::Kind::Null)) return std::string_view();
  if (member->is(JsonNode::Kind::String)) return member->text;
  return refuse(fmt::format("answered with a '{}' that is no string", name));
}

struct MemberNames {
  std::string_view decision;
  std::string_view reason;
};

// Adds what `object` says to `answer`; of two decisions the stricter one counts.
Result<void> take_members(HookMoment moment, const JsonNode& object, MemberNames names,
                          HookAnswer& answer) {
  const auto decision = text_member(object, names.decision);
  if (!decision) return std::unexpected(decision.error());
  const auto reason = text_member(object, names.reason);
  if (!reason) return std::unexpected(reason.error());
  if (!decision->empty()) {
    const auto kind = parse_decision(moment, *decision);
    if (!kind)
      return refuse(fmt::format("answered with a '{}' that is not known {} a call: '{}'",
                                names.decision, moment == HookMoment::Before ? "before" : "after",
                                decision->substr(0, 40)));
    if (*kind > answer.kind || (*kind == answer.kind && !reason->empty())) answer.reason = *reason;
    answer.kind = std::max(answer.kind, *kind);
  }
  const auto added = text_member(object, "additionalContext");
  if (!added) return std::unexpected(added.error());
  if (!added->empty()) answer.added_text = *added;
  const JsonNode* input = object.find("updatedInput");
  if (input && !input->is(JsonNode::Kind::Null)) {
    if (!input->is(JsonNode::Kind::Object))
      return refuse("answered with an 'updatedInput' that is no object");
    answer.updated_input = write_json(*input);
  }
  return {};
}

}  // namespace

std::string write_hook_message(HookMoment moment, const HookCall& call, std::string_view result) {
  std::string out = "{";
  append_member(out, "hook", moment == HookMoment::Before ? "before" : "after");
  out += R"("tool":{)";
  append_member(out, "id", call.tool_id);
  append_member(out, "referenceName", call.tool_reference_name);
  append_member(out, "source", call.source);
  out.back() = '}';
  out += R"(,"arguments":)";
  append_value(out, call.arguments);
  out += ',';
  append_member(out, "session_id", call.session_id);
  append_member(out, "request_id", call.request_id);
  append_member(out, "call_id", call.call_id);
  append_member(out, "caller", call.caller);
  append_member(out, "workspace", call.workspace);
  if (moment == HookMoment::After) {
    out += R"("result":)";
    append_value(out, result);
    out += ',';
  }
  out.back() = '}';
  return out;
}

Result<HookAnswer> parse_hook_answer(HookMoment moment, std::string_view text) {
  HookAnswer answer;
  if (text.find_first_not_of(kWhiteSpace) == text.npos) return answer;
  JsonTree tree;
  const auto root = tree.parse(text);
  if (!root) return refuse("answered with what is not JSON: " + root.error().message);
  if (!(*root)->is(JsonNode::Kind::Object)) return refuse("answered with JSON that is no object");
  if (auto taken = take_members(moment, **root, {"decision", "reason"}, answer); !taken)
    return std::unexpected(taken.error());
  const JsonNode* specific = (*root)->find("hookSpecificOutput");
  if (!specific) return answer;
  if (!specific->is(JsonNode::Kind::Object))
    return refuse("answered with a 'hookSpecificOutput' that is no object");
  if (auto taken = take_members(moment, *specific,
                                {"permissionDecision", "permissionDecisionReason"}, answer);
      !taken)
    return std::unexpected(taken.error());
  return answer;
}

}  // namespace toolgate
