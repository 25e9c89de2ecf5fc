// when.json: parsing, evaluation, normal form, negation, keys, implications and faults of clauses.
#include "tools/when.h"

#include <string>

#include <fmt/format.h>

#include "golden_runner/kinds.h"

namespace toolgate {
namespace {

constexpr std::string_view kRule = "the text of a clause means the same again";

WhenOptions options_of(const json::value& entry) {
  const std::string_view platform = text_in(entry, "platform");
  WhenOptions options;
  if (text_in(entry, "mode") == "lenient") options.mode = WhenMode::Lenient;
  if (platform == "win32") options.platform = WhenPlatform::Windows;
  if (platform == "darwin") options.platform = WhenPlatform::Mac;
  return options;
}

ContextKeys context_of(const json::value& entry) {
  ContextKeys context;
  for (const auto& member : entry.at("context").as_object())
    context.set(member.key(), member.value());
  return context;
}

json::value null_or(std::string_view text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::array list_faults(const std::vector<WhenFault>& faults, bool with_hints) {
  json::array list;
  for (const WhenFault& fault : faults) {
    json::object entry{{"kind", fault.kind}, {"offset", fault.offset}, {"lexeme", fault.lexeme}};
    if (with_hints) entry["hint"] = null_or(fault.hint);
    list.push_back(std::move(entry));
  }
  return list;
}

json::array list_places(const ParsedWhen& parsed) {
  json::array list;
  const auto& faults = parsed.lexing_faults.empty() ? parsed.parsing_faults : parsed.lexing_faults;
  for (const WhenFault& fault : faults)
    list.push_back(json::object{{"offset", fault.offset}, {"length", fault.length}});
  return list;
}

json::array list_keys(const WhenClause& clause) {
  json::array list;
  for (const std::string& key : clause.keys()) list.emplace_back(key);
  return list;
}

json::value outcome_of_parsing(const ParsedWhen& parsed, WhenText style) {
  if (parsed.clause)
    return json::object{{"parse_ok", true},
                        {"normal_form", parsed.clause->text(style)},
                        {"keys", list_keys(*parsed.clause)}};
  return json::object{{"parse_ok", false},
                      {"lexing_errors", list_faults(parsed.lexing_faults, false)},
                      {"parsing_errors", list_faults(parsed.parsing_faults, true)}};
}

json::value outcome(const json::value& entry, WhenText style) {
  const std::string_view type = text_in(entry, "type");
  const WhenOptions options = options_of(entry);
  if (type == "implies") {
    const auto condition = parse_when(text_in(entry, "p"), options).clause;
    const auto conclusion = parse_when(text_in(entry, "q"), options).clause;
    return condition && conclusion ? json::value(condition->implies(*conclusion)) : json::value();
  }
  if (type == "no_rule") return holds(std::nullopt, context_of(entry));
  const ParsedWhen parsed = parse_when(text_in(entry, "expression"), options);
  if (type == "validate") return list_places(parsed);
  if (type == "parse" || !parsed.clause) return outcome_of_parsing(parsed, style);
  const WhenClause& clause = *parsed.clause;
  if (type == "eval")
    return json::object{{"parse_ok", true}, {"value", clause.holds(context_of(entry))}};
  if (type == "serialize") return json::value(clause.text(style));
  if (type == "keys") return list_keys(clause);
  const WhenClause negated = clause.negated();
  return json::array{negated.text(style), negated.negated().text(style)};
}

json::value expectation(const json::value& entry) {
  const json::value* twice = find(entry, "expected_twice");
  if (twice == nullptr) return entry.at("expected");
  return json::array{entry.at("expected"), *twice};
}

}  // namespace

void run_when(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array()) {
    const std::string_view id = text_in(entry, "id");
    const json::value expected = expectation(entry);
    const json::value got = outcome(entry, WhenText::Exact);
    if (got != expected && outcome(entry, WhenText::Classic) == expected)
      tally.differ(id, kRule);
    else if (got == expected)
      ++tally.passed;
    else
      tally.compare(id, write_json(expected), write_json(got));
  }
}

}  // namespace toolgate
