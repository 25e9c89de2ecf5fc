// Lists of tools for people and for pipes: a line per tool under its source, or, where there are
// too many for a window, a line per source. `toolgate tools` prints with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// "5 tools from 1 source: 4 enabled, 1 disabled"
std::string tool_summary(const std::vector<const CatalogTool*>& tools);

class ToolLister {
 public:
  // With `changes` each tool says what a family of models makes of it.
  ToolLister(const Terminal& terminal, std::optional<SchemaChanges> changes)
      : terminal_(terminal), changes_(changes) {}

  // Grouped by source, cut to the window.
  void print_groups(const std::vector<const CatalogTool*>& tools) const;
  // One line per source, and what to filter by.
  void print_overview(const std::vector<const CatalogTool*>& tools) const;
  // For a pipe: name, state, reference, source and description between tabs, nothing cut; with
  // `changes` a column more.
  void print_lines(const std::vector<const CatalogTool*>& tools) const;

 private:
  struct Group {
    const ToolSource* source = nullptr;
    std::vector<const CatalogTool*> tools;
  };
  struct Piece {
    std::string text;
    Paint paint;
  };
  static std::vector<Group> group_by_source(const std::vector<const CatalogTool*>& tools);

  void print_group(const Group& group) const;
  void print_source(const Group& group, std::size_t label_columns) const;
  void print_commonest(std::string_view title, const std::vector<std::string>& words) const;
  std::string line_of(const CatalogTool& tool, std::size_t name_columns,
                      std::size_t reference_columns) const;
  Piece note_on_schema(const CatalogTool& tool) const;
  // The pieces after each other, cut to the columns.
  std::string fit(const std::vector<Piece>& pieces, std::size_t columns) const;

  const Terminal& terminal_;
  const std::optional<SchemaChanges> changes_;
};

}  // namespace toolgate
