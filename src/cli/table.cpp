#include "cli/table.h"

#include <algorithm>

namespace toolgate {

void Table::print(std::string_view indent) const {
  const bool plain = !terminal_.is_terminal();
  std::vector<std::size_t> columns;
  for (const auto& row : rows_) {
    columns.resize(std::max(columns.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      if (const std::size_t own = columns_of(row[i].text); own <= widest_)
        columns[i] = std::max(columns[i], own);
  }
  for (const auto& row : rows_) {
    std::string line(plain ? "" : indent);
    std::size_t used = indent.size();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Cell& cell = row[i];
      const bool last = i + 1 == row.size();
      if (plain) {
        line += cell.text + (last ? "" : "\t");
      } else if (last) {
        const std::size_t left = terminal_.width() - std::min(terminal_.width(), used);
        line += terminal_.paint(cell.paint, cut_to_columns(cell.text, left));
      } else {
        const std::string text = pad_to_columns(cell.text, columns[i]) + "  ";
        line += terminal_.paint(cell.paint, text);
        used += columns_of(text);
      }
    }
    terminal_.print(line + "\n");
  }
}

}  // namespace toolgate
