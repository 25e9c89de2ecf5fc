// toolgate.tools.allow and toolgate.tools.deny: which registered tools there may be at all. The
// catalogue is built with it, and shows for each tool the rule that decided.
//
// A rule is one of
//   get_weather, web/fetch   a tool's id, reference name or full reference name
//   get_*, web/*, mcp_?h_*   the same with wildcards (base/glob.h)
//   web                      the reference name of a set: its members, those of nested sets too
//   source:mcp               a kind of source: internal, extension, mcp, user, http
//   mcp:*, source:mcp:*      the key of a source, which has a colon: "extension:publisher.name",
//                            "mcp:collection:server", "http:URL"
// A tool in several sets has a full name in each of them. A pattern without a slash is not compared
// with full names, and none with the names of sets, so that "read*" does not let in what a set
// called "read" happens to have. Extension ids are compared without regard to case, as VS Code
// does; everything else with.
//
// To let tools in, a set of a workspace does not count, nor one that only bears the name of an
// earlier one.
//
// Deny wins over allow. An allow list that is not empty denies what it does not name.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/glob.h"
#include "toolgate/catalog.h"

namespace toolgate {

struct RuleDecision {
  bool allowed = true;
  std::string rule;  // `toolgate.tools.deny: "web/*"`; empty: neither list says anything
};

class ToolRules {
 public:
  ToolRules(std::span<const std::string> allow, std::span<const std::string> deny);

  ToolRules(ToolRules&&) = default;
  ToolRules(const ToolRules&) = delete;

  bool empty() const { return allow_.rules.empty() && deny_.rules.empty(); }

  // Decides about every tool of a catalogue whose names stand: sets `allowed` and `rule`.
  void apply(Catalog& catalog) const;

  // `sets` are the reference names of the sets that the tool is in, `trusted_sets` those of them
  // that may let it in.
  RuleDecision decide(const ToolData& tool, std::string_view full_reference_name,
                      std::span<const std::string_view> sets,
                      std::span<const std::string_view> trusted_sets) const;

  // The rules that name no tool of this catalogue, as `toolgate.tools.deny: "wbe/*"`.
  std::vector<std::string> unmatched(const Catalog& catalog) const;

 private:
  struct Names;

  struct Pattern {
    std::size_t rule;
    Glob glob;
    Glob lower;              // for extensions
    bool has_slash = false;  // compared with full names too
  };
  struct List {
    List(std::string_view setting, std::span<const std::string> texts);
    void add(std::size_t rule);

    // Calls `take` for every rule that names the tool, in no order; those that `skip` says are not
    // looked at.
    template <class Skip, class Take>
    void each_match(const Names& tool, const Skip& skip, const Take& take) const;
    // The first rule that names the tool.
    std::optional<std::size_t> match(const Names& tool) const;
    std::string describe(std::size_t rule) const;

    std::string setting;
    std::vector<std::string> rules;
    std::unordered_multimap<std::string_view, std::size_t> plain;  // views `rules`
    std::vector<Pattern> names;
    std::vector<Pattern> sources;
  };

  List allow_;
  List deny_;
};

}  // namespace toolgate
