#include "tools/tool_rules.h"

#include <algorithm>

#include "base/ascii.h"
#include "tools/enclosing_sets.h"

namespace toolgate {
namespace {

constexpr std::string_view kSourcePrefix = "source:";

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), ascii_lower);
  return result;
}

std::vector<std::string_view> names_of_sets(const Catalog& catalog,
                                            std::span<const std::uint32_t> sets) {
  std::vector<std::string_view> names;
  for (const std::uint32_t set : sets) names.push_back(catalog.sets[set].reference_name);
  return names;
}

// Sets that can let a tool in: none of a workspace, and none that only bears the name of an earlier
// one.
std::vector<std::string_view> names_of_trusted_sets(const Catalog& catalog,
                                                    std::span<const std::uint32_t> sets) {
  std::vector<std::string_view> names;
  for (const std::uint32_t index : sets) {
    const CatalogSet& set = catalog.sets[index];
    const bool is_first = catalog.find_set_by_reference_name(set.reference_name) == &set;
    if (set.data->is_trusted && is_first) names.push_back(set.reference_name);
  }
  return names;
}

}  // namespace

// Everything a rule may call a tool.
struct ToolRules::Names {
  Names(const ToolData& tool, std::string_view full_reference_name,
        std::span<const std::string_view> set_names)
      : kind(name_of(tool.source.kind)),
        is_extension(tool.source.kind == ToolSource::Kind::Extension),
        source(is_extension ? lower_case(tool.source.key()) : tool.source.key()),
        sets(set_names) {
    add(tool.id);
    add(tool.reference_name);
    plain_count = own.size();
    add(full_reference_name);
    full_names.reserve(sets.size());
    for (const std::string_view set : sets)
      add(full_names.emplace_back(std::string(set) + "/" + tool.name_for_people()));
  }

  void add(std::string_view name) {
    if (!name.empty() && std::ranges::find(own, name) == own.end()) own.push_back(name);
  }

  std::string_view kind;
  bool is_extension;
  std::string source;
  std::span<const std::string_view> sets;
  std::vector<std::string> full_names;
  std::vector<std::string_view> own;
  std::size_t plain_count = 0;  // so many of them are no full names
};

ToolRules::List::List(std::string_view name, std::span<const std::string> texts)
    : setting(name), rules(texts.begin(), texts.end()) {
  for (std::size_t i = 0; i < rules.size(); ++i) add(i);
}

void ToolRules::List::add(std::size_t rule) {
  const std::string_view text = rules[rule];
  const bool prefixed = text.starts_with(kSourcePrefix);
  const std::string_view source = prefixed ? text.substr(kSourcePrefix.size()) : text;
  if (prefixed || source.contains(':'))
    sources.push_back({rule, Glob(source), Glob(lower_case(source)), false});
  if (prefixed) return;
  if (has_wildcard(text))
    names.push_back({rule, Glob(text), Glob(""), text.contains('/')});
  else
    plain.emplace(text, rule);
}

template <class Skip, class Take>
void ToolRules::List::each_match(const Names& tool, const Skip& skip, const Take& take) const {
  const auto look_up = [&](std::string_view name) {
    const auto [first, last] = plain.equal_range(name);
    for (auto found = first; found != last; ++found) take(found->second);
  };
  for (const std::string_view name : tool.own) look_up(name);
  for (const std::string_view set : tool.sets) look_up(set);
  const std::span all(tool.own);
  for (const Pattern& pattern : names) {
    if (skip(pattern.rule)) continue;
    const auto compared = pattern.has_slash ? all : all.first(tool.plain_count);
    if (std::ranges::any_of(compared,
                            [&](std::string_view name) { return pattern.glob.matches(name); }))
      take(pattern.rule);
  }
  for (const Pattern& pattern : sources) {
    if (skip(pattern.rule)) continue;
    const Glob& key = tool.is_extension ? pattern.lower : pattern.glob;
    if (key.matches(tool.source) || pattern.glob.matches(tool.kind)) take(pattern.rule);
  }
}

std::optional<std::size_t> ToolRules::List::match(const Names& tool) const {
  std::optional<std::size_t> first;
  each_match(
      tool, [&](std::size_t rule) { return first && *first < rule; },
      [&](std::size_t rule) { first = std::min(first.value_or(rule), rule); });
  return first;
}

std::string ToolRules::List::describe(std::size_t rule) const {
  return fmt::format("{}: \"{}\"", setting, rules[rule]);
}

ToolRules::ToolRules(std::span<const std::string> allow, std::span<const std::string> deny)
    : allow_("toolgate.tools.allow", allow), deny_("toolgate.tools.deny", deny) {}

RuleDecision ToolRules::decide(const ToolData& tool, std::string_view full_reference_name,
                               std::span<const std::string_view> sets,
                               std::span<const std::string_view> trusted_sets) const {
  if (empty()) return {};
  if (!deny_.rules.empty())
    if (const auto rule = deny_.match(Names(tool, full_reference_name, sets)))
      return {false, deny_.describe(*rule)};
  if (allow_.rules.empty()) return {};
  if (const auto rule = allow_.match(Names(tool, full_reference_name, trusted_sets)))
    return {true, allow_.describe(*rule)};
  return {false, allow_.setting + ": no rule names it"};
}

void ToolRules::apply(Catalog& catalog) const {
  if (empty()) return;
  const EnclosingSets enclosing(catalog);
  for (std::uint32_t i = 0; i < catalog.tools.size(); ++i) {
    CatalogTool& tool = catalog.tools[i];
    RuleDecision decision =
        decide(tool.data(), tool.full_reference_name, names_of_sets(catalog, enclosing.of(i)),
               names_of_trusted_sets(catalog, enclosing.of(i)));
    tool.allowed = decision.allowed;
    tool.rule = std::move(decision.rule);
  }
}

std::vector<std::string> ToolRules::unmatched(const Catalog& catalog) const {
  if (empty()) return {};
  std::vector<char> allowing(allow_.rules.size());
  std::vector<char> denying(deny_.rules.size());
  const auto mark = [](const List& list, const Names& names, std::vector<char>& matched) {
    list.each_match(
        names, [&](std::size_t rule) { return matched[rule] != 0; },
        [&](std::size_t rule) { matched[rule] = 1; });
  };
  const EnclosingSets enclosing(catalog);
  for (std::uint32_t i = 0; i < catalog.tools.size(); ++i) {
    const CatalogTool& tool = catalog.tools[i];
    const auto sets = names_of_sets(catalog, enclosing.of(i));
    const auto trusted = names_of_trusted_sets(catalog, enclosing.of(i));
    mark(allow_, Names(tool.data(), tool.full_reference_name, trusted), allowing);
    mark(deny_, Names(tool.data(), tool.full_reference_name, sets), denying);
  }
  std::vector<std::string> result;
  const auto report = [&](const List& list, const std::vector<char>& matched) {
    for (std::size_t i = 0; i < list.rules.size(); ++i)
      if (matched[i] == 0) result.push_back(list.describe(i));
  };
  report(allow_, allowing);
  report(deny_, denying);
  return result;
}

}  // namespace toolgate
