#include "gateway/settings_approvals.h"

#include <algorithm>
#include <cmath>

namespace toolgate {
namespace {

constexpr std::size_t kMostRules = 1'000;
constexpr std::string_view kOnlyStricter = "is ignored: a workspace may forbid, not allow";

Result<const json::object*> read_map(const SettingsValue& value, std::string_view what) {
  const auto* map = value.value().if_object();
  if (!map) return value.fail("must be an object of {}", what);
  if (map->size() > kMostRules)
    return value.fail("has {} entries, at most {} are allowed", map->size(), kMostRules);
  return map;
}

Result<std::vector<std::string>> read_text_or_texts(const SettingsValue& value) {
  if (!value.value().is_string()) return read_texts(value, "must be a string or a list of strings");
  auto one = read_text(value);
  if (!one) return std::unexpected(std::move(one.error()));
  return std::vector{std::move(*one)};
}

// A program and its arguments, which may hold line breaks.
Result<void> take_command(const SettingsValue& value, std::vector<std::string>& command) {
  const auto member = value.find_member("command");
  if (!member) return {};
  const auto* list = member->value().if_array();
  if (!list || list->empty()) return member->fail("must be a list: a program and its arguments");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* word = (*list)[i].if_string();
    if (!word || word->find('\0') != word->npos)
      return member->item(i).fail("must be a string without null characters");
    command.emplace_back(*word);
  }
  return {};
}

template <class Target>
Result<void> take_texts(const SettingsValue& value, std::string_view name, Target& target) {
  const auto member = value.find_member(name);
  return member ? keep(read_text_or_texts(*member), target) : Result<void>{};
}

template <class Target>
Result<void> take_text(const SettingsValue& value, std::string_view name, Target& target) {
  const auto member = value.find_member(name);
  return member ? keep(read_text(*member), target) : Result<void>{};
}

void warn_of_others(const SettingsValue& value, SettingsDraft& draft,
                    std::initializer_list<std::string_view> known) {
  for (const auto& [name, unused] : value.value().get_object())
    if (std::ranges::find(known, std::string_view(name)) == known.end())
      draft.warn(value.member(name), "is no member here and is ignored");
}

Result<UrlRule> read_url_rule(const SettingsValue& value, std::string_view pattern) {
  UrlRule rule{.pattern = std::string(pattern), .approve_request = {}, .approve_response = {}};
  if (const auto* both = value.value().if_bool()) {
    rule.approve_request = rule.approve_response = *both;
    return rule;
  }
  if (!value.value().is_object())
    return value.fail("must be true, false or {{\"approveRequest\", \"approveResponse\"}}");
  if (const auto request = value.find_member("approveRequest"))
    if (auto kept = keep(read_bool(*request), rule.approve_request); !kept)
      return std::unexpected(std::move(kept.error()));
  if (const auto response = value.find_member("approveResponse"))
    if (auto kept = keep(read_bool(*response), rule.approve_response); !kept)
      return std::unexpected(std::move(kept.error()));
  return rule;
}

// What a workspace says may forbid; what it would allow is left out.
bool only_forbids(UrlRule& rule) {
  const bool allows = rule.approve_request == true || rule.approve_response == true;
  if (rule.approve_request == true) rule.approve_request.reset();
  if (rule.approve_response == true) rule.approve_response.reset();
  return !allows;
}

Result<ArgumentCondition> read_condition(const SettingsValue& value, std::string_view path) {
  ArgumentCondition condition{.path = std::string(path), .glob = {}, .pattern = {}};
  if (value.value().is_string()) {
    auto glob = read_text(value);
    if (!glob) return std::unexpected(std::move(glob.error()));
    condition.glob = std::move(*glob);
    return condition;
  }
  if (!value.value().is_object())
    return value.fail("must be a glob, or {{\"pattern\": a regular expression}}");
  if (auto taken = take_text(value, "glob", condition.glob); !taken)
    return std::unexpected(std::move(taken.error()));
  if (auto taken = take_text(value, "pattern", condition.pattern); !taken)
    return std::unexpected(std::move(taken.error()));
  if (condition.glob.empty() == condition.pattern.empty())
    return value.fail("needs either \"glob\" or \"pattern\"");
  return condition;
}

Result<ApprovalRule> read_rule(const SettingsValue& value, SettingsDraft& draft) {
  if (!value.value().is_object())
    return value.fail("must be an object with \"tools\" and \"decision\"");
  ApprovalRule rule;
  rule.place = value.value_position();
  if (auto taken = take_text(value, "name", rule.name); !taken)
    return std::unexpected(std::move(taken.error()));
  if (auto taken = take_texts(value, "tools", rule.tools); !taken)
    return std::unexpected(std::move(taken.error()));
  if (auto taken = take_texts(value, "sources", rule.sources); !taken)
    return std::unexpected(std::move(taken.error()));
  if (auto taken = take_text(value, "message", rule.message); !taken)
    return std::unexpected(std::move(taken.error()));
  const auto decision = value.find_member("decision");
  const auto* word = decision ? decision->value().if_string() : nullptr;
  const auto verdict = word ? parse_rule_verdict(*word) : std::nullopt;
  if (!verdict) return value.fail("needs a \"decision\": \"allow\", \"ask\" or \"deny\"");
  rule.verdict = *verdict;
  if (const auto where = value.find_member("arguments")) {
    const auto map = read_map(*where, "JSON Pointers and what must stand there");
    if (!map) return std::unexpected(map.error());
    for (const auto& [path, unused] : **map) {
      auto condition = read_condition(where->member(path), path);
      if (!condition) return std::unexpected(std::move(condition.error()));
      rule.where.push_back(std::move(*condition));
    }
  }
  warn_of_others(value, draft, {"name", "tools", "sources", "arguments", "decision", "message"});
  return rule;
}

Result<Hook> read_hook(const SettingsValue& value, std::size_t number, SettingsDraft& draft) {
  if (!value.value().is_object())
    return value.fail("must be an object with \"command\" or \"url\"");
  Hook hook;
  hook.name = fmt::format("hook {}", number);
  for (auto taken : {take_text(value, "name", hook.name), take_text(value, "url", hook.url),
                     take_command(value, hook.command), take_texts(value, "tools", hook.tools),
                     take_texts(value, "environment", hook.environment)})
    if (!taken) return std::unexpected(std::move(taken.error()));
  if (hook.command.empty() == hook.url.empty())
    return value.fail("needs either \"command\" or \"url\"");
  if (const auto usable = check_hook(hook); !usable)
    return value.fail("cannot be used: {}", usable.error().message);
  if (const auto time = value.find_member("timeoutSeconds")) {
    const auto seconds = read_seconds(*time);
    if (!seconds) return std::unexpected(seconds.error());
    hook.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(*seconds * 1000)));
  }
  if (const auto member = value.find_member("onFailure")) {
    const auto* word = member->value().if_string();
    if (word && *word == "ask")
      hook.on_failure = Hook::OnFailure::Ask;
    else if (word && *word == "deny")
      hook.on_failure = Hook::OnFailure::Deny;
    else if (word && *word == "ignore")
      hook.on_failure = Hook::OnFailure::Ignore;
    else
      return member->fail("must be \"ask\", \"deny\" or \"ignore\"");
  }
  warn_of_others(value, draft,
                 {"name", "url", "command", "tools", "environment", "timeoutSeconds", "onFailure"});
  return hook;
}

Result<std::vector<Hook>> read_hooks(const SettingsValue& value, SettingsDraft& draft) {
  constexpr std::size_t kMostHooks = 20;
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of hooks");
  if (list->size() > kMostHooks) return value.fail("has more than {} hooks", kMostHooks);
  std::vector<Hook> hooks;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto hook = read_hook(value.item(i), i + 1, draft);
    if (!hook) return std::unexpected(std::move(hook.error()));
    hooks.push_back(std::move(*hook));
  }
  return hooks;
}

}  // namespace

Result<void> global_auto_approve(const SettingsValue& value, SettingsDraft& draft) {
  GlobalAutoApprove& global = draft.settings.approvals.global;
  global = {};
  if (const auto* all = value.value().if_bool()) {
    global.all = *all;
    return {};
  }
  const auto map = read_map(value, "tools and whether each is approved");
  if (!map) return std::unexpected(map.error());
  for (const auto& [tool, unused] : **map) {
    const auto approved = read_bool(value.member(tool));
    if (!approved) return std::unexpected(approved.error());
    global.tools[std::string(tool)] = *approved;
  }
  return {};
}

Result<void> global_opt_in(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_bool(value), draft.settings.approvals.global_opted_in);
}

Result<void> eligible_tools(const SettingsValue& value, SettingsDraft& draft) {
  const auto map = read_map(value, "tools and whether each may be approved without asking");
  if (!map) return std::unexpected(map.error());
  auto& eligible = draft.settings.approvals.eligible;
  for (const auto& [tool, unused] : **map) {
    const auto may = read_bool(value.member(tool));
    if (!may) return std::unexpected(may.error());
    if (draft.in_workspace && *may)
      draft.warn(value.member(tool), kOnlyStricter);
    else
      eligible[std::string(tool)] = *may;
  }
  return {};
}

Result<void> url_rules(const SettingsValue& value, SettingsDraft& draft) {
  const auto map = read_map(value, "URL patterns and whether each is approved");
  if (!map) return std::unexpected(map.error());
  std::vector<UrlRule> rules;
  for (const auto& [pattern, unused] : **map) {
    auto rule = read_url_rule(value.member(pattern), pattern);
    if (!rule) return std::unexpected(std::move(rule.error()));
    if (draft.in_workspace && !only_forbids(*rule))
      draft.warn(value.member(pattern), kOnlyStricter);
    rules.push_back(std::move(*rule));
  }
  // The first match decides: what a workspace forbids stands before what the profile allows.
  auto& all = draft.settings.approvals.urls;
  if (!draft.in_workspace) all.clear();
  all.insert(all.begin(), rules.begin(), rules.end());
  return {};
}

// VS Code lets edits be made and shows them afterwards, to keep or undo. Nobody looks at ours
// afterwards, so plain files are asked about too until someone says "**/*": true.
std::vector<EditRule> usual_edit_rules() {
  std::vector<EditRule> rules = default_edit_rules();
  rules.front().approve = false;
  return rules;
}

Result<void> edit_rules(const SettingsValue& value, SettingsDraft& draft) {
  const auto map = read_map(value, "globs of files and whether each is approved");
  if (!map) return std::unexpected(map.error());
  auto& rules = draft.settings.approvals.edits;
  if (!draft.in_workspace) rules = usual_edit_rules();
  for (const auto& [pattern, unused] : **map) {
    const auto approve = read_bool(value.member(pattern));
    if (!approve) return std::unexpected(approve.error());
    // The last match decides, so what comes last is the strictest it can be.
    // The one that is there already keeps its place, as VS Code merges such an object.
    const auto known = std::ranges::find(rules, std::string_view(pattern), &EditRule::pattern);
    if (draft.in_workspace && *approve)
      draft.warn(value.member(pattern), kOnlyStricter);
    else if (!draft.in_workspace && known != rules.end())
      known->approve = *approve;
    else
      rules.push_back({std::string(pattern), *approve});
  }
  return {};
}

Result<void> permission_level(const SettingsValue& value, SettingsDraft& draft) {
  const auto* word = value.value().if_string();
  const auto level = word ? parse_permission_level(*word) : std::nullopt;
  if (!level)
    return value.fail("must be \"default\", \"assisted\", \"autoApprove\" or \"autopilot\"");
  draft.settings.approvals.default_level = *level;
  return {};
}

Result<void> approval_rules(const SettingsValue& value, SettingsDraft& draft) {
  const auto* list = value.value().if_array();
  if (!list) return value.fail("must be a list of rules");
  if (list->size() > kMostRules)
    return value.fail("has {} rules, at most {} are allowed", list->size(), kMostRules);
  std::vector<ApprovalRule> rules;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto rule = read_rule(value.item(i), draft);
    if (!rule) return std::unexpected(std::move(rule.error()));
    if (draft.in_workspace && rule->verdict == RuleVerdict::Allow)
      draft.warn(value.item(i), kOnlyStricter);
    else
      rules.push_back(std::move(*rule));
  }
  auto& target = draft.in_workspace ? draft.workspace_rules : draft.profile_rules;
  if (!draft.in_workspace) target.clear();
  target.insert(target.end(), rules.begin(), rules.end());
  return {};
}

Result<void> confirmation_time(const SettingsValue& value, SettingsDraft& draft) {
  constexpr double kMostSeconds = 365 * 86'400.0;
  double seconds = 0;
  if (value.value().is_number()) seconds = value.value().to_number<double>();
  if (!value.value().is_number() || seconds < 0 || seconds > kMostSeconds)
    return value.fail("must be a number of seconds from 0 (no limit) to {}", kMostSeconds);
  draft.settings.approvals.confirmation_time =
      std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
  return {};
}

Result<void> redacted_names(const SettingsValue& value, SettingsDraft& draft) {
  auto names = read_text_or_texts(value);
  if (!names) return std::unexpected(std::move(names.error()));
  auto& all = draft.settings.redact;
  if (!draft.in_workspace) all.clear();
  all.insert(all.end(), names->begin(), names->end());
  return {};
}

Result<void> http_tool_hosts(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_text_or_texts(value), draft.settings.http_tools.allowed_private_hosts);
}

Result<void> hooks_before(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_hooks(value, draft), draft.settings.hooks.before);
}

Result<void> hooks_after(const SettingsValue& value, SettingsDraft& draft) {
  return keep(read_hooks(value, draft), draft.settings.hooks.after);
}

Result<void> complete_approvals(SettingsDraft& draft) {
  auto rules =
      ApprovalRules::make(std::move(draft.profile_rules), std::move(draft.workspace_rules));
  if (!rules)
    return fail_at(rules.error().where, Errc::InvalidSettings, "{}: {}", rules.error().where,
                   rules.error().message);
  draft.settings.approvals.rules = std::move(*rules);
  return {};
}

}  // namespace toolgate
