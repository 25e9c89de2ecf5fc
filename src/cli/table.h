// Rows with aligned columns for a terminal, tabs between them for a pipe.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal.h"

namespace toolgate {

class Table {
 public:
  struct Cell {
    std::string text;  // visible text on one line
    Paint paint = Paint::Plain;
  };

  // A column wider than `widest` pushes the rest of its line.
  explicit Table(const Terminal& terminal, std::size_t widest = 40)
      : terminal_(terminal), widest_(widest) {}

  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

  // On a terminal the last column is cut to the window.
  void print(std::string_view indent = "  ") const;

 private:
  const Terminal& terminal_;
  const std::size_t widest_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace toolgate
