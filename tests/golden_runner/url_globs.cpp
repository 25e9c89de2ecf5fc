// url_globs.json: URLs and patterns, settings that approve them, and patterns to offer for one. A
// pattern that VS Code throws at matches nothing.
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "golden_runner/kinds.h"
#include "invoke/url_approval.h"

namespace toolgate {
namespace {

std::optional<bool> truth_in(const json::value& value, std::string_view key) {
  const json::value* member = find(value, key);
  return member == nullptr ? std::nullopt : std::optional(member->as_bool());
}

std::vector<UrlRule> rules_of(const json::value& settings) {
  std::vector<UrlRule> rules;
  for (const auto& member : settings.as_object()) {
    UrlRule rule{.pattern = std::string(member.key())};
    if (member.value().is_bool()) {
      rule.approve_request = rule.approve_response = member.value().get_bool();
    } else {
      rule.approve_request = truth_in(member.value(), "approveRequest");
      rule.approve_response = truth_in(member.value(), "approveResponse");
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<std::string> texts_of(const json::value& list) {
  std::vector<std::string> texts;
  for (const json::value& item : list.as_array()) texts.emplace_back(item.as_string());
  return texts;
}

std::string word(bool truth) {
  return truth ? "true" : "false";
}

void run_match(const json::value& entry, Tally& tally) {
  const json::value& expected = entry.at("match");
  const bool matches = matches_url(text_in(entry, "url"), text_in(entry, "pattern"));
  tally.compare(text_in(entry, "id"), word(expected.is_bool() && expected.get_bool()),
                word(matches));
}

// type map has one URL, type multi several.
void run_map(const json::value& entry, Tally& tally) {
  const json::value* list = find(entry, "urls");
  const auto urls =
      list != nullptr ? texts_of(*list) : std::vector{std::string(entry.at("url").as_string())};
  const UrlSide side = text_in(entry, "side") == "request" ? UrlSide::Request : UrlSide::Response;
  const bool approved = approves_urls(urls, rules_of(entry.at("settings")), side);
  tally.compare(text_in(entry, "id"), word(entry.at("approved").as_bool()), word(approved));
}

void run_offered(const json::value& entry, Tally& tally) {
  const json::value* expected = find(entry, "patterns");
  if (expected == nullptr) expected = find(entry, "expected");
  if (expected == nullptr) throw std::runtime_error("no patterns");
  tally.compare(text_in(entry, "id"), fmt::format("{}", fmt::join(texts_of(*expected), " ")),
                fmt::format("{}", fmt::join(offered_url_patterns(text_in(entry, "url")), " ")));
}

}  // namespace

void run_url_globs(const json::value& file, Tally& tally) {
  for (const json::value& entry : file.at("cases").as_array()) {
    const std::string_view type = text_in(entry, "type");
    if (type == "match")
      run_match(entry, tally);
    else if (type == "offered_patterns")
      run_offered(entry, tally);
    else
      run_map(entry, tally);
  }
}

}  // namespace toolgate
