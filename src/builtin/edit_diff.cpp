#include "builtin/edit_diff.h"

#include <algorithm>

#include "base/line_diff.h"
#include "base/utf8.h"
#include "builtin/name_line.h"

namespace toolgate {
namespace {

using Kind = FileState::Kind;

bool is_text(std::string_view bytes) {
  return !bytes.contains('\0') && is_valid_utf8(bytes);
}

std::string name_of_side(const FileChange& change, const FileState& state, std::string_view side) {
  if (state.kind == Kind::Absent) return "/dev/null";
  return fmt::format("{}/{}", side, name_on_one_line(change.shown));
}

char sign_of(DiffLine::Kind kind) {
  if (kind == DiffLine::Kind::Added) return '+';
  return kind == DiffLine::Kind::Removed ? '-' : ' ';
}

void append_hunk(std::string& out, const DiffHunk& hunk) {
  out += fmt::format("@@ -{},{} +{},{} @@\n", hunk.old_start, hunk.old_count, hunk.new_start,
                     hunk.new_count);
  for (const DiffLine& line : hunk.lines) {
    std::string_view text = line.text;
    if (text.ends_with('\r')) text.remove_suffix(1);
    out += sign_of(line.kind);
    out += text;
    out += '\n';
    if (!line.ended) out += "\\ No newline at end of file\n";
  }
}

bool shows_line_ends_alone(std::string_view before, std::string_view after) {
  std::string a(before);
  std::string b(after);
  std::erase(a, '\r');
  std::erase(b, '\r');
  return a == b;
}

void append_file(std::string& out, const EditPlan& plan, const FileChange& change,
                 std::size_t most_bytes) {
  if (change.before.kind == Kind::Folder || change.after.kind == Kind::Folder) {
    out += fmt::format("folder {} is {}\n", name_on_one_line(change.shown), name_of_change(change));
    return;
  }
  out += fmt::format("--- {}\n+++ {}\n", name_of_side(change, change.before, "a"),
                     name_of_side(change, change.after, "b"));
  const std::string& before = plan.bytes_of(change.before);
  const std::string& after = plan.bytes_of(change.after);
  if (!is_text(before) || !is_text(after)) {
    out += fmt::format("Binary file, {} bytes before and {} after\n", before.size(), after.size());
    return;
  }
  if (change.before.kind == change.after.kind && before != after &&
      shows_line_ends_alone(before, after))
    out += "Only line ends differ\n";
  for (const DiffHunk& hunk : diff_lines(before, after)) {
    append_hunk(out, hunk);
    if (out.size() > most_bytes) return;
  }
}

}  // namespace

std::string write_unified_diff(const EditPlan& plan, std::size_t most_bytes) {
  std::string out;
  std::size_t shown = 0;
  for (const FileChange& change : plan.changes) {
    if (out.size() > most_bytes) break;
    append_file(out, plan, change, most_bytes);
    ++shown;
  }
  if (out.size() <= most_bytes) return out;
  const std::string_view whole = first_characters(out, most_bytes);
  const std::size_t last = whole.rfind('\n');
  std::string cut(whole.substr(0, last == whole.npos ? 0 : last + 1));
  cut += "… the diff is longer than what is shown";
  if (shown < plan.changes.size())
    cut += fmt::format(", and {} more files change", plan.changes.size() - shown);
  return cut + "\n";
}

std::string write_diff_block(const EditPlan& plan, std::size_t most_bytes) {
  const std::string diff = write_unified_diff(plan, most_bytes);
  std::size_t longest = 2;
  std::size_t ticks = 0;
  for (const char c : diff) {
    ticks = c == '`' ? ticks + 1 : 0;
    longest = std::max(longest, ticks);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}diff\n{}{}\n", fence, diff, fence);
}

ChangedLines count_changed_lines(const EditPlan& plan, const FileChange& change) {
  ChangedLines count;
  const std::string& before = plan.bytes_of(change.before);
  const std::string& after = plan.bytes_of(change.after);
  if (!is_text(before) || !is_text(after)) return count;
  for (const DiffHunk& hunk : diff_lines(before, after, 0))
    for (const DiffLine& line : hunk.lines) {
      count.added += line.kind == DiffLine::Kind::Added ? 1 : 0;
      count.removed += line.kind == DiffLine::Kind::Removed ? 1 : 0;
    }
  return count;
}

}  // namespace toolgate
