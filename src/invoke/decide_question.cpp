// What a person is asked about a call, and what may be remembered of the answer: see decide.h.
#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/json_tree.h"
#include "invoke/decide_parts.h"
#include "tools/names.h"

namespace toolgate {
namespace {

using TitleFrom = Question::TitleFrom;

bool has_title(const Question& question) {
  return question.title_from != TitleFrom::None;
}

// What a tool shows of a command line has its own place for notes.
bool shows_terminal(const PreparedCall& prepared) {
  if (prepared.tool_specific_data.empty()) return false;
  JsonTree tree;
  const auto root = tree.parse(prepared.tool_specific_data);
  if (!root) return false;
  const JsonNode* kind = (*root)->find("kind");
  return kind != nullptr && kind->is(JsonNode::Kind::String) && kind->text == "terminal";
}

void show_input(PreparedCall& prepared, const CallFacts& facts) {
  prepared.tool_specific_data = fmt::format(R"({{"kind":"input","rawInput":{}}})",
                                            facts.raw_input.empty() ? "null" : facts.raw_input);
}

void add_line(std::string& text, std::string_view line) {
  if (!text.empty()) text += "\n\n";
  text += line;
}

std::string list_some(const std::vector<std::string>& texts) {
  constexpr std::size_t kMost = 5;
  const std::size_t shown = std::min(texts.size(), kMost);
  std::string list = fmt::format("{}", fmt::join(std::span(texts).first(shown), "\n"));
  if (shown < texts.size()) list += fmt::format("\nand {} more", texts.size() - shown);
  return list;
}

std::string_view reason_of(EditVerdict verdict) {
  switch (verdict) {
    case EditVerdict::Approved:
      break;
    case EditVerdict::NoPermissions:
      return "may not be changed without a confirmation";
    case EditVerdict::Sensitive:
      return "is not approved by chat.tools.edits.autoApprove";
    case EditVerdict::SystemFile:
      return "belongs to the system or to a program's settings";
    case EditVerdict::OutsideWorkspace:
      return "is outside the workspace";
  }
  return "may be changed";
}

void take_general_title(Question& question, std::string title, std::string message) {
  question.title_from = TitleFrom::General;
  question.prepared.confirmation_title = std::move(title);
  question.prepared.confirmation_message = std::move(message);
  question.prepared.message_is_markdown = false;
}

void ask_because_not_eligible(Question& question, const CallFacts& facts) {
  if (!has_title(question))
    take_general_title(question, fmt::format("Run the tool '{}'?", name_for_people(facts)),
                       "It runs only after a confirmation.");
  // Whatever the tool says itself: this is why remembering is not offered.
  question.prepared.disclaimer =
      is_always_asked(facts.tool_id)
          ? ""
          : fmt::format(
                "chat.tools.eligibleForAutoApproval does not let '{}' be approved "
                "automatically.",
                name_for_people(facts));
}

void ask_because_of_edits(Question& question, const CallFacts& facts) {
  const EditVerdict verdict = facts.edits ? facts.edits->verdict : EditVerdict::NoPermissions;
  const std::size_t count = question.prepared.edited_files.size();
  const std::string why =
      fmt::format("{} {}.", count > 1 ? "At least one file" : "The file", reason_of(verdict));
  if (has_title(question))
    add_line(question.prepared.disclaimer, why);
  else
    take_general_title(question, count > 1 ? "Change these files?" : "Change this file?",
                       fmt::format("{}\n\n{}", why, list_some(question.prepared.edited_files)));
}

void ask_because_of_urls(Question& question) {
  const std::vector<std::string>& urls = question.prepared.urls;
  if (!has_title(question))
    take_general_title(question, urls.size() > 1 ? "Fetch these pages?" : "Fetch this page?",
                       list_some(urls));
  // What is remembered about pages is in chat.tools.urls.autoApprove.
  question.prepared.allow_auto_confirm = false;
}

void settle_remembering(Question& question, const CallFacts& facts) {
  std::optional<bool>& allow = question.prepared.allow_auto_confirm;
  if (facts.policy_forbids_auto_approve)
    allow = false;
  else if (allow != false && !shows_terminal(question.prepared))
    allow = is_eligible(facts);
}

// Someone else than the tool wants to have it asked.
void add_demand(Question& question, const CallFacts& facts, TitleFrom from,
                const std::string& note) {
  PreparedCall& prepared = question.prepared;
  if (!has_title(question)) {
    take_general_title(question, fmt::format("Use the tool '{}'?", name_for_people(facts)), note);
    question.title_from = from;
    show_input(prepared, facts);
  } else if (shows_terminal(prepared)) {
    prepared.disclaimer =
        prepared.disclaimer.empty() ? note : fmt::format("{}\n\n{}", note, prepared.disclaimer);
  } else {
    std::string message = note;
    if (!prepared.confirmation_message.empty()) add_line(message, prepared.confirmation_message);
    prepared.confirmation_message = std::move(message);
  }
  prepared.allow_auto_confirm = false;
}

std::string with_reason(std::string_view note, std::string_view reason) {
  return reason.empty() ? std::string(note) : fmt::format("{}: {}", note, reason);
}

std::string place_of(ApprovalScope scope) {
  if (scope == ApprovalScope::Session) return "in this session";
  return scope == ApprovalScope::Workspace ? "in this workspace" : "always";
}

std::string label_of(ApprovalTarget target, const CallFacts& facts, std::string_view server) {
  if (target == ApprovalTarget::Tool) return "Allow this tool";
  if (target == ApprovalTarget::Server) return fmt::format("Allow all tools of {}", server);
  const bool has_words = facts.prepared && !facts.prepared->approve_combination.empty();
  return has_words ? facts.prepared->approve_combination : "Allow exactly these arguments";
}

// Of which kinds an approval would be found again.
std::vector<ApprovalTarget> lasting_targets(const CallFacts& facts, ApprovalSide side) {
  const auto& contribution =
      side == ApprovalSide::Before ? facts.contribution : facts.result_contribution;
  if (contribution && !contribution->can_use_default_approvals) return {};
  const Effects effects =
      effects_of(facts, side == ApprovalSide::Before ? UrlSide::Request : UrlSide::Response);
  if (effects.urls == Effect::NotApproved) return {};
  std::vector<ApprovalTarget> targets;
  if (side == ApprovalSide::Before) {
    if (make_question(facts).prepared.allow_auto_confirm == false) return {};
    const bool only_exactly = effects.edits == Effect::NotApproved || counts_exactly(facts);
    const bool offers_arguments = facts.prepared && !facts.prepared->approve_combination.empty();
    if (offers_arguments || only_exactly) targets.push_back(ApprovalTarget::Arguments);
    if (only_exactly) return targets;
  }
  targets.push_back(ApprovalTarget::Tool);
  if (!facts.approvals.server_key.empty()) targets.push_back(ApprovalTarget::Server);
  return targets;
}

}  // namespace

bool is_always_asked(std::string_view tool_id) {
  return tool_id == "vscode_get_confirmation_with_options" ||
         tool_id == "vscode_get_modified_files_confirmation";
}

bool counts_exactly(const CallFacts& facts) {
  return facts.prepared && !facts.prepared->approval_key.empty();
}

std::string_view name_for_people(const CallFacts& facts) {
  return facts.eligibility_names.empty() ? facts.tool_id : facts.eligibility_names.front();
}

Effects effects_of(const CallFacts& facts, UrlSide side) {
  Effects effects;
  if (!facts.prepared) return effects;
  if (!facts.prepared->urls.empty()) {
    const bool approved =
        facts.settings && approves_urls(facts.prepared->urls, facts.settings->urls, side);
    effects.urls = approved ? Effect::Approved : Effect::NotApproved;
  }
  if (facts.edits || !facts.prepared->edited_files.empty()) {
    const bool approved = facts.edits && facts.edits->verdict == EditVerdict::Approved;
    effects.edits = approved ? Effect::Approved : Effect::NotApproved;
  }
  return effects;
}

std::vector<std::string> eligibility_names_of(const CatalogTool& tool) {
  const ToolData& data = tool.data();
  std::vector<std::string> names;
  const bool is_fetch = data.id == "vscode_fetchWebPage_internal";
  names.push_back(is_fetch ? "fetch" : full_reference_name(data, nullptr));
  for (const std::string& legacy : data.legacy_full_names) {
    names.push_back(legacy);
    if (const auto slash = legacy.rfind('/'); slash != legacy.npos)
      names.push_back(legacy.substr(slash + 1));
  }
  return names;
}

Eligibility eligibility_of(const CallFacts& facts) {
  // It only calls vscode_fetchWebPage_internal, which is looked at itself.
  if (facts.tool_id == "copilot_fetchWebPage") return {true, "what it calls is looked at"};
  if (is_always_asked(facts.tool_id))
    return {false, "this tool is a question itself → always asked"};
  if (!facts.settings) return {};
  for (const std::string& name : facts.eligibility_names) {
    const auto found = facts.settings->eligible.find(name);
    if (found == facts.settings->eligible.end()) continue;
    return {found->second, fmt::format("\"{}\" is {} → {}", name, found->second,
                                       found->second ? "may be approved" : "always asked")};
  }
  return {};
}

bool is_eligible(const CallFacts& facts) {
  return eligibility_of(facts).is_eligible;
}

Question make_question(const CallFacts& facts) {
  Question question;
  if (facts.prepared) question.prepared = *facts.prepared;
  if (!question.prepared.confirmation_title.empty()) question.title_from = TitleFrom::Tool;
  if (!is_eligible(facts)) ask_because_not_eligible(question, facts);
  const Effects effects = effects_of(facts, UrlSide::Request);
  if (effects.edits == Effect::NotApproved) ask_because_of_edits(question, facts);
  if (effects.urls == Effect::NotApproved) ask_because_of_urls(question);
  if (has_title(question)) {
    settle_remembering(question, facts);
    if (facts.always_display_input_output && question.prepared.tool_specific_data.empty())
      show_input(question.prepared, facts);
  }
  if (facts.hook.kind == HookVerdict::Kind::Ask)
    add_demand(question, facts, TitleFrom::Hook,
               with_reason("A hook wants this call confirmed", facts.hook.reason));
  if (facts.rule && facts.rule->verdict == RuleVerdict::Ask)
    add_demand(question, facts, TitleFrom::Rule,
               with_reason("A rule wants this call confirmed", facts.rule->message));
  return question;
}

std::vector<OfferedApproval> offered_approvals(const CallFacts& facts, ApprovalSide side,
                                               std::string_view server_label) {
  std::vector<OfferedApproval> offers;
  for (const ApprovalTarget target : lasting_targets(facts, side)) {
    const std::string label = label_of(target, facts, server_label);
    for (const ApprovalScope scope :
         {ApprovalScope::Session, ApprovalScope::Workspace, ApprovalScope::Profile})
      offers.push_back({target, scope, scope == ApprovalScope::Session && !offers.empty(),
                        fmt::format("{} {}", label, place_of(scope))});
  }
  return offers;
}

}  // namespace toolgate
