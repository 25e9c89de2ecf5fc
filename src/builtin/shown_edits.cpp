#include "builtin/shown_edits.h"

#include <algorithm>

#include "builtin/file_look.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using Kind = FileState::Kind;

std::string_view words_for(const FileChange& change, const FileState& now) {
  if (now.kind == Kind::Absent) return "was removed";
  return change.before.kind == Kind::Absent ? "was created" : "has changed";
}

bool is_same_change(const FileChange& a, const FileChange& b) {
  return a.path == b.path && a.before.is_same(b.before) && a.after.is_same(b.after);
}

}  // namespace

ShownEdits::ShownEdits(const std::filesystem::path& data)
    : notes_(data.empty() ? data : data / "edits" / "asked") {}

Result<void> ShownEdits::note(std::string_view tool, const ToolCall& call, const EditPlan& plan) {
  if (auto checked = check_recordable(plan); !checked) return checked;
  return notes_.write(tool, call,
                      write_edit_record({.id = sha256_hex(call.input), .changes = plan.changes}));
}

Result<EditRecord> ShownEdits::read(std::string_view tool, const ToolCall& call) const {
  const auto note = notes_.read(tool, call);
  auto record = parse_edit_record(note ? *note : "");
  if (!record)
    return fail(Errc::Conflict, "what this call would change is not known any more: make it again");
  return record;
}

Result<void> ShownEdits::check_files(std::string_view tool, const ToolCall& call) const {
  if (!notes_.are_kept()) return {};
  const auto shown = read(tool, call);
  if (!shown) return std::unexpected(shown.error());
  for (const FileChange& change : shown->changes) {
    const auto now = look_at_change(change);
    if (!now) return std::unexpected(now.error());
    if (!now->state.is_same(change.before))
      return fail(Errc::Conflict, "{} {} since this edit was shown: read it again and make it anew",
                  visible_text(change.shown, false), words_for(change, now->state));
  }
  return {};
}

Result<void> ShownEdits::check_plan(std::string_view tool, const ToolCall& call,
                                    const EditPlan& plan) const {
  if (!notes_.are_kept()) return {};
  const auto shown = read(tool, call);
  if (!shown) return std::unexpected(shown.error());
  if (shown->id != sha256_hex(call.input)) return {};
  if (std::ranges::equal(shown->changes, plan.changes, is_same_change)) return {};
  return fail(Errc::Conflict,
              "this edit would do something else than what was shown: make it anew");
}

}  // namespace toolgate
