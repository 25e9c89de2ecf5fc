// toolgate.approvals.rules: lists of rules that allow, ask or deny calls by tool, source and
// arguments. Compiled once per settings; decide.h asks them about every call.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "toolgate/catalog.h"

namespace toolgate {

enum class RuleVerdict : std::uint8_t { Allow, Ask, Deny };  // in order of strictness
std::string_view name_of(RuleVerdict verdict);               // "allow", "ask", "deny"
std::optional<RuleVerdict> parse_rule_verdict(std::string_view name);

// A condition on one argument. `path` is a JSON Pointer ("/command"); `*` stands for every member
// or item. Values are compared as text: strings as they are, all others as JSON. To ask or deny one
// that matches is enough, to allow all must match and there must be one.
struct ArgumentCondition {
  std::string path;
  std::string glob;     // the whole text; empty: `pattern` counts
  std::string pattern;  // a regular expression found anywhere in it
};

struct ApprovalRule {
  std::string name;                      // for people; empty: made of what it says
  std::vector<std::string> tools;        // globs over id, reference name, full reference name
  std::vector<std::string> sources;      // globs over a source's kind and key; empty: all
  std::vector<ArgumentCondition> where;  // all must hold
  RuleVerdict verdict = RuleVerdict::Ask;
  std::string message;  // for the model when denied, for the person when asked
  std::string place;    // file, line and column it stands at
};

struct RuleHit {
  RuleVerdict verdict = RuleVerdict::Ask;
  std::string name;
  std::string message;
  std::string place;
};

class ApprovalRules {
 public:
  ApprovalRules() = default;
  // A pattern that cannot be compiled is an error that names its rule. `workspace` are rules of
  // files that come with code of others: they can only make it stricter.
  static Result<ApprovalRules> make(std::vector<ApprovalRule> profile,
                                    std::vector<ApprovalRule> workspace);

  // In each list the first rule that matches counts; of the two answers the stricter one. A
  // workspace's "allow" means nothing. A pattern that gives up at its step limit counts as a match
  // of ask and deny, and not of allow.
  std::optional<RuleHit> find(const CatalogTool& tool, const JsonNode& arguments) const;
  bool empty() const { return !compiled_; }

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace toolgate
