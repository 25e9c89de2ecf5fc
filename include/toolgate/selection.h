// Include and exclude: which of a catalogue's tools a request gets. A ToolFilter is a rule, not a
// result: apply it to each new catalogue, and a tool that is registered later is judged like any
// other.
//
// What is chosen from: the tools that are enabled for the model, private ones only as members of
// sets. An identifier is first compared, exactly and with case, with the ids and reference names of
// tools and sets; it stands for everything it hits.
//  1. `include`: the members of the sets it names, nested ones too, and the tools it names are on,
//     all others off. Without it everything is on.
//  2. `exclude`: the members of the sets it names are off, but not the tools that `include` names
//     themselves; the tools it names are off, always.
//  3. A set is on when it has members and all of them are.
//
// What hits nothing that way is tried as a full reference name ("edit/editFile", "github/*"), which
// names that tool or set; then, when it has '*' or '?', as a pattern over the ids and reference
// names of tools and, when it has a slash, over their full reference names. A pattern names a
// group, so its hits count like the members of a set: a tool that is written out is kept against an
// excluded pattern, and an excluded set takes out what an included pattern brought in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolgate/catalog.h"

namespace toolgate {

struct ToolFilter {
  static constexpr std::size_t kMostPatterns = 100;  // in both lists together

  std::optional<std::vector<std::string>> include;
  std::optional<std::vector<std::string>> exclude;
  // As VS Code does it: no full names and no patterns, and where both the id and the reference name
  // of one tool or set are listed, the reference name is reported as unknown.
  bool upstream_quirks = false;
  // Full reference names and patterns.
  bool extended_names = true;
};

struct UnknownIdentifier {
  std::string identifier;
  std::string nearest;  // a real one that is spelled like it; may be empty
};

struct Selection {
  static constexpr std::size_t kMostWarnings = 20;

  std::vector<std::uint32_t> tools;  // on, as indexes in the catalogue, in its order
  std::vector<std::uint32_t> sets;   // likewise
  // Each once, in order of appearance; the nearest is looked for only for the first kMostWarnings.
  std::vector<UnknownIdentifier> unknown;
  std::vector<std::string> warnings;  // sentences about `unknown`, kMostWarnings at most
};

// Fails when a filter leaves no tool; the error names both lists and what is unknown in them.
// Without lists everything is on, and nothing can fail. A null model asks for the tools of any.
Result<Selection> select_tools(const Catalog& catalog, const ModelFacts* model,
                               const ToolFilter& filter);

}  // namespace toolgate
