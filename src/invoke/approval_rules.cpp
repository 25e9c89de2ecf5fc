#include "invoke/approval_rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "base/ascii.h"
#include "base/glob.h"
#include "base/json_number.h"
#include "base/json_pointer.h"
#include "base/utf8.h"
#include "schema/check_state.h"
#include "schema/pattern.h"

namespace toolgate {
namespace {

// Of one rule on one call; some 200 ms at most.
constexpr std::uint64_t kStepsPerRule = 4'000'000;

enum class Match : std::uint8_t { No, Unknown, Yes };  // Unknown: it took too long

struct PointerStep {
  std::string name;
  std::optional<std::size_t> index;  // of an array's item
  bool is_any = false;
};

struct Condition {
  std::vector<PointerStep> steps;
  std::optional<Glob> glob;
  std::shared_ptr<const Pattern> pattern;
};

struct NamePattern {
  Glob glob;
  bool has_slash = false;
};

struct SourcePattern {
  Glob glob;
  Glob lower;  // for extensions, whose ids have no case
};

struct CompiledRule {
  ApprovalRule text;
  std::vector<NamePattern> tools;
  std::vector<SourcePattern> sources;
  std::vector<Condition> where;

  bool is_strict() const { return text.verdict != RuleVerdict::Allow; }
};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), ascii_lower);
  return lower;
}

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string describe(const ApprovalRule& rule) {
  std::string text(name_of(rule.verdict));
  text += ' ' + (rule.tools.empty() ? "every tool" : join(rule.tools));
  if (!rule.sources.empty()) text += " from " + join(rule.sources);
  for (const ArgumentCondition& condition : rule.where)
    text += fmt::format("{}{} {} '{}'", &condition == rule.where.data() ? " where " : " and ",
                        condition.path.empty() ? "the input" : condition.path,
                        condition.glob.empty() ? "matches" : "is",
                        condition.glob.empty() ? condition.pattern : condition.glob);
  return text;
}

std::optional<std::size_t> parse_index(std::string_view text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return text.size() > 1 && text[0] == '0' ? std::nullopt : std::optional(index);
}

Result<std::vector<PointerStep>> parse_pointer(std::string_view path) {
  std::vector<PointerStep> steps;
  if (path.empty()) return steps;
  if (!path.starts_with('/'))
    return fail(Errc::InvalidSettings, "'{}' is no JSON pointer: it must begin with '/'", path);
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view step = path.substr(0, path.find('/'));
    steps.push_back({unescape_pointer_step(step), parse_index(step), step == "*"});
    path.remove_prefix(step.size());
  }
  return steps;
}

Result<Condition> compile_condition(const ArgumentCondition& text) {
  Condition condition;
  auto steps = parse_pointer(text.path);
  if (!steps) return std::unexpected(steps.error());
  condition.steps = std::move(*steps);
  if (text.glob.empty() == text.pattern.empty())
    return fail(Errc::InvalidSettings, "the condition on '{}' needs either a glob or a pattern",
                text.path);
  if (text.pattern.empty()) {
    condition.glob.emplace(text.glob);
    return condition;
  }
  if (!is_valid_utf8(text.pattern))
    return fail(Errc::InvalidSettings, "the pattern of '{}' is no valid UTF-8", text.path);
  auto pattern = Pattern::make(text.pattern);
  if (!pattern)
    return fail(Errc::InvalidSettings, "the pattern '{}' cannot be used: {}", text.pattern,
                pattern.error().message);
  condition.pattern = std::move(*pattern);
  return condition;
}

Result<CompiledRule> compile_rule(ApprovalRule text) {
  CompiledRule rule;
  if (text.name.empty()) text.name = describe(text);
  for (const std::string& name : text.tools) rule.tools.push_back({Glob(name), name.contains('/')});
  for (const std::string& source : text.sources)
    rule.sources.push_back({Glob(source), Glob(lower_case(source))});
  for (const ArgumentCondition& condition : text.where) {
    auto compiled = compile_condition(condition);
    if (!compiled)
      return fail_at(text.place, Errc::InvalidSettings, "rule '{}': {}", text.name,
                     compiled.error().message);
    rule.where.push_back(std::move(*compiled));
  }
  rule.text = std::move(text);
  return rule;
}

Result<std::vector<CompiledRule>> compile_rules(std::vector<ApprovalRule> texts) {
  std::vector<CompiledRule> rules;
  for (ApprovalRule& text : texts) {
    auto rule = compile_rule(std::move(text));
    if (!rule) return std::unexpected(rule.error());
    rules.push_back(std::move(*rule));
  }
  return rules;
}

// To let calls run, "read*" does not mean what a set called "reader" happens to have: only a
// pattern with a slash is compared with full names.
bool names_tool(const CompiledRule& rule, const CatalogTool& tool) {
  if (rule.tools.empty()) return true;
  return std::ranges::any_of(rule.tools, [&](const NamePattern& pattern) {
    const ToolData& data = tool.data();
    if (pattern.glob.matches(data.id)) return true;
    if (!data.reference_name.empty() && pattern.glob.matches(data.reference_name)) return true;
    return (pattern.has_slash || rule.is_strict()) && !tool.full_reference_name.empty() &&
           pattern.glob.matches(tool.full_reference_name);
  });
}

bool names_source(const CompiledRule& rule, const ToolSource& source) {
  if (rule.sources.empty()) return true;
  const bool is_extension = source.kind == ToolSource::Kind::Extension;
  const std::string key = is_extension ? lower_case(source.key()) : source.key();
  return std::ranges::any_of(rule.sources, [&](const SourcePattern& pattern) {
    return pattern.glob.matches(name_of(source.kind)) ||
           (is_extension ? pattern.lower : pattern.glob).matches(key);
  });
}

// Calls `take` for every value the pointer leads to until it returns false.
bool each_value(const JsonNode& node, std::span<const PointerStep> steps, CheckBudget& budget,
                const std::function<bool(const JsonNode&)>& take) {
  if (!budget.spend(1)) return false;
  if (steps.empty()) return take(node);
  const PointerStep& step = steps.front();
  std::size_t index = 0;
  for (const JsonNode* child = node.first; child; child = child->next, ++index) {
    const bool is_meant = step.is_any || (node.is(JsonNode::Kind::Array) ? step.index == index
                                                                         : step.name == child->key);
    if (is_meant && !each_value(*child, steps.subspan(1), budget, take)) return false;
  }
  return true;
}

Match match_text(const Condition& condition, std::string_view text, CheckBudget& budget) {
  if (condition.glob) {
    if (!budget.spend_bytes(text.size())) return Match::Unknown;
    return condition.glob->matches(text) ? Match::Yes : Match::No;
  }
  if (!is_valid_utf8(text)) return Match::Unknown;
  const bool matches = budget.matches(*condition.pattern, text);
  if (budget.stopped()) return Match::Unknown;
  return matches ? Match::Yes : Match::No;
}

// To ask or to deny one value is enough. To allow every one must match: a list in which one item is
// fine is not fine. Numbers are looked at as written and as usual: 22.0 is 22 too.
Match match_condition(const Condition& condition, const JsonNode& arguments, bool is_strict,
                      CheckBudget& budget) {
  Match result = Match::No;
  const auto goes_on = [&](std::string_view text) {
    result = match_text(condition, text, budget);
    return is_strict ? result == Match::No : result == Match::Yes;
  };
  const auto take = [&](const JsonNode& value) {
    if (value.is(JsonNode::Kind::String)) return goes_on(value.text);
    if (!goes_on(write_json(value))) return false;
    if (!value.is(JsonNode::Kind::Number)) return true;
    const double number = to_double(value.text);
    return !std::isfinite(number) || goes_on(javascript_text(number));
  };
  each_value(arguments, condition.steps, budget, take);
  return budget.stopped() ? Match::Unknown : result;
}

bool holds(const CompiledRule& rule, const CatalogTool& tool, const JsonNode& arguments) {
  if (!names_tool(rule, tool) || !names_source(rule, tool.data().source)) return false;
  CheckBudget budget(kStepsPerRule);
  return std::ranges::all_of(rule.where, [&](const Condition& condition) {
    const Match match = match_condition(condition, arguments, rule.is_strict(), budget);
    return match == Match::Yes || (match == Match::Unknown && rule.is_strict());
  });
}

const CompiledRule* first_match(std::span<const CompiledRule> rules, const CatalogTool& tool,
                                const JsonNode& arguments) {
  const auto found = std::ranges::find_if(
      rules, [&](const CompiledRule& rule) { return holds(rule, tool, arguments); });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace

struct ApprovalRules::Compiled {
  std::vector<CompiledRule> profile;
  std::vector<CompiledRule> workspace;
};

std::string_view name_of(RuleVerdict verdict) {
  switch (verdict) {
    case RuleVerdict::Allow:
      return "allow";
    case RuleVerdict::Ask:
      return "ask";
    case RuleVerdict::Deny:
      return "deny";
  }
  return "";
}

std::optional<RuleVerdict> parse_rule_verdict(std::string_view name) {
  for (const RuleVerdict verdict : {RuleVerdict::Allow, RuleVerdict::Ask, RuleVerdict::Deny})
    if (name == name_of(verdict)) return verdict;
  return std::nullopt;
}

Result<ApprovalRules> ApprovalRules::make(std::vector<ApprovalRule> profile,
                                          std::vector<ApprovalRule> workspace) {
  ApprovalRules rules;
  if (profile.empty() && workspace.empty()) return rules;
  auto of_profile = compile_rules(std::move(profile));
  if (!of_profile) return std::unexpected(of_profile.error());
  auto of_workspace = compile_rules(std::move(workspace));
  if (!of_workspace) return std::unexpected(of_workspace.error());
  rules.compiled_ =
      std::make_shared<const Compiled>(std::move(*of_profile), std::move(*of_workspace));
  return rules;
}

std::optional<RuleHit> ApprovalRules::find(const CatalogTool& tool,
                                           const JsonNode& arguments) const {
  if (!compiled_) return std::nullopt;
  const CompiledRule* hit = first_match(compiled_->profile, tool, arguments);
  const CompiledRule* tighter = first_match(compiled_->workspace, tool, arguments);
  if (tighter != nullptr && tighter->is_strict() &&
      (hit == nullptr || tighter->text.verdict > hit->text.verdict))
    hit = tighter;
  if (hit == nullptr) return std::nullopt;
  const ApprovalRule& rule = hit->text;
  return RuleHit{rule.verdict, rule.name, rule.message, rule.place};
}

}  // namespace toolgate
