// Lists of tools for people and for pipes: a line per tool under its source, or, where there are
// too many for a window, a line per source. `toolgate tools` prints with it, and `toolgate chat`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "cli/terminal.h"
#include "schema/families.h"
#include "toolgate/catalog.h"

namespace toolgate {

// Strangers' text on one line, with control characters shown.
std::string tidy(std::string_view text);

// "Acme Weather"; without a label what stands for one.
std::string label_of(const ToolSource& source);
// "extension acme.weather"
std::string kind_and_id_of(const ToolSource& source);

// Why a tool is not enabled, with what decided. Empty: it is.
std::string reason_for_being_off(const CatalogTool& tool);

// A dot: filled and green, or hollow.
std::string mark_of(bool enabled, const Terminal& terminal);

// What a list says of a tool; all of it visible text on one line.
struct ListedTool {
  struct Note {
    std::string text;
    Paint paint = Paint::Plain;
  };

  std::string name;
  std::string reference;  // "#weather"; may be empty
  std::string description;
  std::string source_key;
  std::string source_label;
  std::string source_words;  // "extension acme.weather"
  std::string reason_off;    // empty: it is enabled
  std::string set = {};      // of a built-in tool: lists have a part for each
  Note note = {};            // on its schema
  std::vector<std::string> tags = {};

  bool is_enabled() const { return reason_off.empty(); }
};

// Without a note: that costs a look at the schema.
ListedTool list_tool(const CatalogTool& tool);
// What is wrong with it; with `changes`, what a family of models makes of it.
ListedTool::Note note_on_schema(const CatalogTool& tool,
                                const std::optional<SchemaChanges>& changes);
// An object of GET /v1/tools.
ListedTool read_listed_tool(const JsonNode& tool);

// "5 tools from 1 source: 4 enabled, 1 disabled"
std::string tool_summary(const std::vector<ListedTool>& tools);

class ToolLister {
 public:
  explicit ToolLister(const Terminal& terminal) : terminal_(terminal) {}

  // Grouped by source, cut to the window.
  void print_groups(const std::vector<ListedTool>& tools) const;
  // One line per source, and what to filter by.
  void print_overview(const std::vector<ListedTool>& tools) const;
  // For a pipe: name, state, reference, source and description between tabs, nothing cut; with
  // `notes` a column more.
  void print_lines(const std::vector<ListedTool>& tools, bool notes) const;

 private:
  using Piece = ListedTool::Note;
  using Group = std::vector<const ListedTool*>;  // of one source
  static std::vector<Group> group_by_source(const std::vector<ListedTool>& tools, bool by_set);

  void print_group(const Group& group) const;
  void print_source(const Group& group, std::size_t label_columns) const;
  void print_commonest(std::string_view title, const std::vector<std::string>& words) const;
  std::string line_of(const ListedTool& tool, std::size_t name_columns,
                      std::size_t reference_columns) const;
  // The pieces after each other, cut to the columns.
  std::string fit(const std::vector<Piece>& pieces, std::size_t columns) const;

  const Terminal& terminal_;
};

}  // namespace toolgate
