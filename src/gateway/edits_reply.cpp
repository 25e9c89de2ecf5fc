#include "gateway/edits_reply.h"

#include <algorithm>
#include <filesystem>

#include "base/log.h"
#include "builtin/edit_diff.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostDiffBytes = 256 << 10;

json::object with_undo(Edits& edits, const EditRecord& record) {
  json::object out = edit_record_json(record);
  if (const std::string undo = edits.undone_by(record.id); !undo.empty()) out["undone_by"] = undo;
  return out;
}

std::vector<std::string> files_of(const EditRecord& record) {
  std::vector<std::string> files;
  for (const FileChange& change : record.changes) files.push_back(change.shown);
  return files;
}

// Folders that the edit made and that stay although it is undone: they hold something else.
json::array kept_folders(const EditRecord& edit, const std::vector<FileChange>& undo) {
  json::array kept;
  for (const FileChange& change : edit.changes) {
    std::error_code ignored;
    if (change.before.kind == FileState::Kind::Absent &&
        change.after.kind == FileState::Kind::Folder &&
        std::ranges::find(undo, change.path, &FileChange::path) == undo.end() &&
        std::filesystem::is_directory(change.path, ignored))
      kept.emplace_back(change.shown);
  }
  return kept;
}

Result<void> note(Ledger& ledger, const UndoNote& undo) {
  return ledger.run_blocking([&](InvocationBook& book) { return book.note_undo(undo); });
}

}  // namespace

std::string write_edit_list(Edits& edits, std::size_t limit, std::string_view workspace) {
  auto records = edits.list(limit + 1, workspace);
  const bool has_more = records.size() > limit;
  if (has_more) records.pop_back();
  json::array data;
  for (const EditRecord& record : records) data.push_back(with_undo(edits, record));
  return write_json(
      json::object{{"object", "list"}, {"data", std::move(data)}, {"has_more", has_more}});
}

Result<std::string> write_edit(Edits& edits, std::string_view id, bool force) {
  const auto record = edits.find(id);
  if (!record) return std::unexpected(record.error());
  json::object out = with_undo(edits, *record);
  const auto plan = edits.plan_undo(id, force);
  json::object undo{{"possible", plan.has_value()}};
  if (plan) {
    undo["diff"] = write_unified_diff(*plan, kMostDiffBytes);
    if (auto kept = kept_folders(*record, plan->changes); !kept.empty())
      undo["kept_folders"] = std::move(kept);
  } else {
    undo["problem"] = plan.error().message;
  }
  out["undo"] = std::move(undo);
  return write_json(out);
}

Result<std::string> write_undo(Edits& edits, Ledger& ledger, std::string_view id,
                               const EditUndo& how) {
  const auto edit = edits.find(id);
  if (!edit) return std::unexpected(edit.error());
  UndoNote undo{.edit = edit->id,
                .tool_id = edit->tool,
                .session_id = edit->session_id,
                .workspace = edit->workspace,
                .by = how.caller,
                .force = how.force,
                .files = files_of(*edit)};
  if (auto noted = note(ledger, undo); !noted) return std::unexpected(noted.error());
  const auto record = edits.undo(id, how);
  if (record) {
    undo.outcome = UndoNote::Outcome::Done;
    undo.undone_by = record->id;
    undo.files = files_of(*record);
  } else {
    undo.outcome = record.error().code == Errc::Conflict ? UndoNote::Outcome::Refused
                                                         : UndoNote::Outcome::Failed;
    undo.problem = record.error().message;
  }
  // What happened has happened: whoever asked must not be told otherwise.
  if (const auto noted = note(ledger, undo); !noted)
    log(LogLevel::Error, "how the undo of {} ended is not in the audit trail: {}", undo.edit,
        noted.error().message);
  if (!record) return std::unexpected(record.error());
  json::object out = edit_record_json(*record);
  if (auto kept = kept_folders(*edit, record->changes); !kept.empty())
    out["kept_folders"] = std::move(kept);
  return write_json(out);
}

}  // namespace toolgate
