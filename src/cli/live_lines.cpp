#include "cli/live_lines.h"

#include <algorithm>

#include <fmt/format.h>

namespace toolgate {

std::string LiveLines::draw(const std::vector<std::string>& lines) {
  std::string out;
  for (std::size_t i = 0; i < std::min(lines.size(), shown_.size()); ++i) {
    if (lines[i] == shown_[i]) continue;
    const std::size_t distance = shown_.size() - i;
    out += fmt::format("\x1b[{0}A{1}\x1b[K\r\x1b[{0}B", distance, lines[i]);
  }
  if (lines.size() < shown_.size())
    out += fmt::format("\x1b[{}A\x1b[J", shown_.size() - lines.size());
  for (std::size_t i = shown_.size(); i < lines.size(); ++i) out += lines[i] + "\r\n";
  shown_ = lines;
  return out;
}

void LiveLines::keep(std::size_t count) {
  shown_.erase(shown_.begin(), shown_.begin() + static_cast<std::ptrdiff_t>(count));
}

std::string LiveLines::erase() {
  return draw({});
}

}  // namespace toolgate
