// What the normaliser changed in a tool, for people: `toolgate normalize` prints it for each tool,
// `toolgate tools show --family` for one.
#pragma once

#include <string_view>

#include "cli/terminal.h"
#include "schema/normalize.h"

namespace toolgate {

class ChangePrinter {
 public:
  explicit ChangePrinter(const Terminal& terminal) : terminal_(terminal) {}

  // Its name, then changes and fault; nothing for a tool that has neither.
  void print(const NormalizedTool& tool) const;
  // The same without the name.
  void print_changes(const NormalizedTool& tool) const;

 private:
  void first_line(std::string_view what, Paint paint, std::string_view text) const;
  void next_line(std::string_view text) const;

  const Terminal& terminal_;
};

// Those that are listed and those that are only counted.
std::size_t change_count(const NormalizedTool& tool);

}  // namespace toolgate
