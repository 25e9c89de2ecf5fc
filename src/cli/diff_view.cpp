#include "cli/diff_view.h"

#include <algorithm>
#include <cstdio>

#include "invoke/visible_text.h"

namespace toolgate {
namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t feed = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, feed);
  text.remove_prefix(std::min(feed + 1, text.size()));
  return line;
}

// Within a hunk only its lines count, so that a removed "-- x" is no head of a file.
class DiffPainter {
 public:
  Paint paint_of(std::string_view line) {
    if (old_lines_ + new_lines_ == 0) return paint_outside(std::string(line));
    if (line.starts_with('\\')) return Paint::Dim;
    const bool added = line.starts_with('+');
    const bool removed = line.starts_with('-');
    if (!added && old_lines_ > 0) --old_lines_;
    if (!removed && new_lines_ > 0) --new_lines_;
    return added ? Paint::Green : removed ? Paint::Red : Paint::Plain;
  }

 private:
  Paint paint_outside(const std::string& line) {
    std::size_t old_start = 0;
    std::size_t new_start = 0;
    if (std::sscanf(line.c_str(), "@@ -%zu,%zu +%zu,%zu @@", &old_start, &old_lines_, &new_start,
                    &new_lines_) == 4)
      return Paint::Cyan;
    old_lines_ = new_lines_ = 0;
    if (line.starts_with('\\')) return Paint::Dim;
    return line.starts_with("…") ? Paint::Yellow : Paint::Bold;
  }

  std::size_t old_lines_ = 0;  // still to come in the hunk
  std::size_t new_lines_ = 0;
};

}  // namespace

std::string expand_tabs(std::string_view line) {
  constexpr std::size_t kTab = 4;
  std::string out;
  for (const char c : line) {
    if (c == '\t')
      out.append(kTab - columns_of(out) % kTab, ' ');
    else
      out += c;
  }
  return out;
}

std::vector<std::string> diff_view(std::string_view diff, const Terminal& terminal,
                                   std::size_t columns) {
  std::vector<std::string> lines;
  DiffPainter painter;
  while (!diff.empty()) {
    const std::string_view line = take_line(diff);
    const Paint paint = painter.paint_of(line);
    auto parts = wrap_to_columns(expand_tabs(visible_text(line, true)), columns - 1);
    if (parts.empty()) parts.emplace_back();
    // What goes on in the next line cannot pass for a line of its own.
    std::string_view lead;
    for (const std::string& part : parts) {
      lines.push_back(terminal.paint(paint, std::string(lead) + part));
      lead = paint == Paint::Green ? "⁺" : paint == Paint::Red ? "⁻" : " ";
    }
  }
  return lines;
}

std::optional<DiffBlock> find_diff_block(std::string_view message) {
  DiffBlock block;
  std::string fence;
  bool is_closed = false;
  while (!message.empty()) {
    const std::string line(take_line(message));
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (fence.empty() && ticks >= 3 && line.substr(ticks) == "diff")
      fence.assign(ticks, '`');
    else if (!fence.empty() && line == fence && !is_closed)
      is_closed = true;
    else
      (fence.empty() ? block.before : is_closed ? block.after : block.diff) += line + "\n";
  }
  if (!is_closed) return std::nullopt;
  const std::size_t last = block.diff.rfind('\n', block.diff.size() - 2);
  const std::string_view end =
      std::string_view(block.diff).substr(last == block.diff.npos ? 0 : last + 1);
  block.is_whole = !end.starts_with("…");
  return block;
}

}  // namespace toolgate
