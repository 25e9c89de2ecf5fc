// The catalogue: every tool and tool set there is at one moment, with the state of each. Immutable;
// a Registry makes a new one when something changes, and a request keeps the one it began with.
// Any thread may read it. Tools and sets name each other by their indexes in `tools` and `sets`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "toolgate/tool.h"
#include "toolgate/tool_set.h"

namespace toolgate {

class ToolRecord;  // the library's own: a tool's data and what was made of it once

// A model's input after a look at it: repaired where the schema says what was meant.
struct CheckedInput {
  bool valid = false;
  std::string input;    // to hand to the tool
  std::string message;  // for the model, when it is not valid: every fault with its place
};

struct CatalogTool {
  std::shared_ptr<const ToolRecord> record;
  std::shared_ptr<Tool> implementation;  // null: declared, but nothing runs it
  std::string full_reference_name;
  std::vector<std::uint32_t> sets;  // of which it is a direct member

  // Each can take the tool out of what models are offered; the settings are in registry.h.
  bool when_holds = true;    // ToolData::when
  bool kind_enabled = true;  // chat.extensionTools.enabled
  bool permitted = true;     // chat.agent.enabled
  bool allowed = true;       // toolgate.tools.allow and .deny
  std::string rule;          // of those two lists, the one that decided; empty: none did

  const ToolData& data() const;
  bool enabled() const { return when_holds && kind_enabled && permitted && allowed; }
  // In one or a few words: "enabled", or why it is not.
  std::string_view state() const;
  // `input` is what a model wrote. A tool without a schema takes any JSON.
  CheckedInput check_input(std::string_view input) const;
};

struct CatalogSet {
  std::shared_ptr<const ToolSetData> data;
  std::string reference_name;        // of well-known servers another than what was given
  std::string full_reference_name;   // empty: a set of a person's file has none
  std::vector<std::uint32_t> tools;  // direct members
  std::vector<std::uint32_t> sets;
  std::vector<std::string> missing;  // names that stand for nothing yet
  bool permitted = true;
};

// Something that is not as its author meant it, for `toolgate doctor` and the catalogue's readers.
struct CatalogProblem {
  std::string subject;  // a tool's id, a set's reference name, a setting
  std::string message;
  std::string advice;  // may be empty
};

class Catalog {
 public:
  Catalog() = default;
  Catalog(Catalog&&) = default;  // no copies: its indexes view its own texts
  Catalog& operator=(Catalog&&) = default;

  std::uint64_t version = 0;
  std::vector<CatalogTool> tools;  // in the order they were registered
  std::vector<CatalogSet> sets;    // the built-in ones first
  std::vector<CatalogProblem> problems;

  // Each null when there is none; what is found lives as long as the catalogue.
  const CatalogTool* find_tool(std::string_view id) const;
  // By toolReferenceName alone; the first one registered. Disabled tools are found too.
  const CatalogTool* find_tool_by_reference_name(std::string_view name) const;
  const CatalogSet* find_set(std::string_view id) const;
  const CatalogSet* find_set_by_reference_name(std::string_view name) const;

  // Indexes of what is enabled for this model (null: for any), private tools left out.
  std::vector<std::uint32_t> enabled_tools(const ModelFacts* model = nullptr) const;
  // Indexes of a set's members whose `when` holds, those of nested sets included, each once.
  std::vector<std::uint32_t> members_of(const CatalogSet& set,
                                        const ModelFacts* model = nullptr) const;

  // For the one who builds it, once the vectors stand; after that nothing may change.
  void index();

 private:
  using Index = std::unordered_map<std::string_view, std::uint32_t>;
  Index tools_by_id_;
  Index tools_by_reference_name_;
  Index sets_by_id_;
  Index sets_by_reference_name_;
};

}  // namespace toolgate
