#include "base/line_diff.h"

#include <algorithm>

namespace toolgate {
namespace {

using Lines = std::vector<DiffLine>;

// More differences than this are not matched up: it would take memory and time by the square.
constexpr int kMostSteps = 1'000;

bool equal(const DiffLine& a, const DiffLine& b) {
  return a.text == b.text && a.ended == b.ended;
}

Lines split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    lines.push_back({.text = text.substr(0, feed), .ended = feed != text.npos});
    text.remove_prefix(feed == text.npos ? text.size() : feed + 1);
  }
  return lines;
}

void add(Lines& out, DiffLine line, DiffLine::Kind kind) {
  line.kind = kind;
  out.push_back(line);
}

// Myers' algorithm: the furthest place that so many steps reach on each diagonal, step after step.
class ShortestEdit {
 public:
  ShortestEdit(const DiffLine* old_lines, std::size_t old_count, const DiffLine* new_lines,
               std::size_t new_count)
      : old_(old_lines),
        new_(new_lines),
        old_count_(static_cast<int>(old_count)),
        new_count_(static_cast<int>(new_count)) {}

  // False: there are too many steps.
  bool find() {
    for (int steps = 0; steps <= std::min(kMostSteps, old_count_ + new_count_); ++steps) {
      reached_.emplace_back(static_cast<std::size_t>(2 * steps + 1));
      for (int diagonal = -steps; diagonal <= steps; diagonal += 2) {
        int at = start_on(steps, diagonal);
        while (at < old_count_ && at - diagonal < new_count_ &&
               equal(old_[at], new_[at - diagonal]))
          ++at;
        place(steps, diagonal) = at;
        if (at >= old_count_ && at - diagonal >= new_count_) return true;
      }
    }
    return false;
  }

  // In order. Only after find() found it.
  Lines lines() {
    Lines back;
    int old_at = old_count_;
    int new_at = new_count_;
    for (int steps = static_cast<int>(reached_.size()) - 1; steps >= 0; --steps) {
      const int diagonal = old_at - new_at;
      const int from = steps == 0 ? 0 : start_on(steps, diagonal);
      for (; old_at > from && new_at > 0; --new_at) add(back, old_[--old_at], DiffLine::Kind::Same);
      if (steps == 0) break;
      if (comes_from_above(steps, diagonal))
        add(back, new_[--new_at], DiffLine::Kind::Added);
      else
        add(back, old_[--old_at], DiffLine::Kind::Removed);
    }
    std::ranges::reverse(back);
    return back;
  }

 private:
  int& place(int steps, int diagonal) {
    return *(reached_[static_cast<std::size_t>(steps)].begin() + steps + diagonal);
  }
  // Whether the step to this diagonal adds a line, instead of removing one.
  bool comes_from_above(int steps, int diagonal) {
    if (diagonal == -steps) return true;
    return diagonal != steps && place(steps - 1, diagonal - 1) < place(steps - 1, diagonal + 1);
  }
  int start_on(int steps, int diagonal) {
    if (steps == 0) return 0;
    return comes_from_above(steps, diagonal) ? place(steps - 1, diagonal + 1)
                                             : place(steps - 1, diagonal - 1) + 1;
  }

  const DiffLine* old_;
  const DiffLine* new_;
  int old_count_;
  int new_count_;
  std::vector<std::vector<int>> reached_;  // by steps and diagonal: the old line
};

Lines compare(std::string_view before, std::string_view after) {
  const Lines old_lines = split(before);
  const Lines new_lines = split(after);
  std::size_t head = 0;
  const std::size_t shorter = std::min(old_lines.size(), new_lines.size());
  while (head < shorter && equal(old_lines[head], new_lines[head])) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         equal(old_lines[old_lines.size() - 1 - tail], new_lines[new_lines.size() - 1 - tail]))
    ++tail;
  const std::size_t old_middle = old_lines.size() - head - tail;
  const std::size_t new_middle = new_lines.size() - head - tail;

  Lines out(old_lines.begin(), old_lines.begin() + static_cast<std::ptrdiff_t>(head));
  ShortestEdit edit(old_lines.data() + head, old_middle, new_lines.data() + head, new_middle);
  if (edit.find()) {
    const Lines middle = edit.lines();
    out.insert(out.end(), middle.begin(), middle.end());
  } else {
    for (std::size_t i = 0; i < old_middle; ++i)
      add(out, old_lines[head + i], DiffLine::Kind::Removed);
    for (std::size_t i = 0; i < new_middle; ++i)
      add(out, new_lines[head + i], DiffLine::Kind::Added);
  }
  out.insert(out.end(), old_lines.end() - static_cast<std::ptrdiff_t>(tail), old_lines.end());
  return out;
}

}  // namespace

std::vector<DiffHunk> diff_lines(std::string_view before, std::string_view after,
                                 std::size_t context) {
  const Lines all = compare(before, after);
  std::vector<bool> shown(all.size());
  for (std::size_t at = 0; at < all.size(); ++at)
    if (all[at].kind != DiffLine::Kind::Same)
      std::fill(shown.begin() + static_cast<std::ptrdiff_t>(at - std::min(at, context)),
                shown.begin() + static_cast<std::ptrdiff_t>(std::min(at + context + 1, all.size())),
                true);

  std::vector<DiffHunk> hunks;
  std::size_t old_line = 0;  // how many lie before the one looked at
  std::size_t new_line = 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const bool in_old = all[at].kind != DiffLine::Kind::Added;
    const bool in_new = all[at].kind != DiffLine::Kind::Removed;
    if (shown[at]) {
      if (at == 0 || !shown[at - 1])
        hunks.push_back({.old_start = old_line, .new_start = new_line});
      DiffHunk& hunk = hunks.back();
      hunk.lines.push_back(all[at]);
      // The first line of a side makes its start a line of its own.
      if (in_old && hunk.old_count++ == 0) ++hunk.old_start;
      if (in_new && hunk.new_count++ == 0) ++hunk.new_start;
    }
    old_line += in_old ? 1 : 0;
    new_line += in_new ? 1 : 0;
  }
  return hunks;
}

}  // namespace toolgate
