#include "builtin/edits.h"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <ranges>
#include <set>

#include "base/clock.h"
#include "base/ids.h"
#include "base/log.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;
using Kind = FileState::Kind;

std::int64_t now_in_milliseconds() {
  return wall_nanoseconds() / 1'000'000;
}

// The id for the names of temporary files while an edit that was cut off is taken back.
std::string recovery_id(const EditRecord& record) {
  return record.id + "-back";
}

std::string folder_of(const FileChange& change) {
  return fs::path(change.path).parent_path().string();
}

void remove_temporaries(const std::string& folder, std::string_view id) {
  const auto place = find_change_place({.path = (fs::path(folder) / "any").string(), .shown = ""});
  if (!place) return;
  const std::string beginning = fmt::format(".toolgate-{}-", id);
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(
      ::fdopendir(::openat(place->folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      ::closedir);
  if (!stream) return;
  while (const dirent* entry = ::readdir(stream.get()))
    if (std::string_view(entry->d_name).starts_with(beginning)) names.emplace_back(entry->d_name);
  for (const std::string& name : names) ::unlinkat(place->folder.get(), name.c_str(), 0);
}

void remove_temporaries(const EditRecord& record) {
  std::set<std::string> folders;
  for (const FileChange& change : record.changes) folders.insert(folder_of(change));
  for (const std::string& folder : folders) remove_temporaries(folder, record.id);
}

// Those that an earlier try to take it back left, and in folders that were not there before the
// edit, which must be empty.
void remove_needless_temporaries(const EditRecord& record) {
  std::set<std::string> folders;
  std::set<std::string> made;
  for (const FileChange& change : record.changes) {
    folders.insert(folder_of(change));
    if (change.after.kind == Kind::Folder) made.insert(change.path);
  }
  for (const std::string& folder : folders) remove_temporaries(folder, recovery_id(record));
  for (const std::string& folder : made) remove_temporaries(folder, record.id);
}

// What was in the file before the edit, where it still lies beside it; else nothing.
SeenFile find_kept(const EditRecord& record, std::size_t number) {
  const FileChange& change = record.changes[number];
  const auto place = find_change_place(change);
  if (!place || change.before.kind != Kind::File) return {};
  const std::string temporary = EditApplication::temporary_name(record.id, number);
  for (const std::string& name : {temporary, EditApplication::kept_name(temporary)}) {
    auto kept = look_at(place->folder.get(), name, change.shown);
    if (kept && kept->state.kind == Kind::File) return std::move(*kept);
  }
  return {};
}

std::unexpected<Error> not_as_left(const FileChange& change, const FileState& now) {
  const std::string words = visible_text(change.shown, false);
  if (now.kind == Kind::Absent) return fail(Errc::Conflict, "{} is gone since this edit", words);
  if (change.after.kind == Kind::Absent)
    return fail(Errc::Conflict, "{} is there again since this edit", words);
  if (now.kind == Kind::File && now.sha256 == change.after.sha256)
    return fail(Errc::Conflict, "the permissions of {} have changed since this edit", words);
  return fail(Errc::Conflict, "{} has changed since this edit", words);
}

// Whether the folder of a file that an undo puts back is there, or is made by it.
bool has_folder(const FileChange& change, const EditPlan& undo) {
  if (find_change_place(change)) return true;
  return std::ranges::any_of(undo.changes, [&](const FileChange& other) {
    return other.after.kind == Kind::Folder && other.path == folder_of(change);
  });
}

// Whether a folder that an edit made, and its undo would remove, holds what the undo leaves there.
bool holds_more(const FileChange& folder, const EditPlan& undo) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.path, error))
    if (std::ranges::none_of(undo.changes, [&](const FileChange& change) {
          return change.path == entry.path().string() && change.after.kind == Kind::Absent;
        }))
      return true;
  return false;
}

}  // namespace

Edits::Edits(const fs::path& data, EditPoints points)
    : folder_(data.empty() ? fs::path() : data / "edits"),
      points_(std::move(points)),
      journal_(folder_) {
  if (folder_.empty()) return;
  for (const EditRecord& record : journal_.open()) recover(record);
  if (!journal_.records().empty()) {
    last_time_ = journal_.records().back().time;
    remove_temporaries(journal_.records().back());
  }
}

void Edits::set_kept_bytes(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  kept_bytes_ = bytes;
}

// Files that are as the edit would have left them are put back; those that are as they were, or
// that somebody has changed since, stay. Of the latter the backup is kept, if the edit came so far.
void Edits::recover(const EditRecord& record) {
  EditPlan plan;
  EditRecord part = record;
  part.changes.clear();
  for (std::size_t i = record.changes.size(); i-- > 0;) {
    const FileChange& change = record.changes[i];
    const auto now = look_at_change(change);
    if (now && now->state.is_same(change.before)) continue;
    const bool is_file = change.before.kind == Kind::File;
    SeenFile kept = find_kept(record, i);
    const bool is_old = is_file && kept.state.is_same(change.before);
    const bool is_as_made = now && now->state.is_same(change.after);
    if (now && !is_as_made && !is_old) continue;
    FileState before = change.before;
    if (is_file) {
      // What was taken out may be another file than the one that the edit was made for.
      const bool has_kept = kept.state.kind == Kind::File && (is_as_made || is_old);
      if (has_kept) before = kept.state;
      auto bytes =
          has_kept ? Result<std::string>(std::move(kept.bytes)) : journal_.read_blob(change.before);
      if (!bytes) {
        log(LogLevel::Error, "edit {}: {} stays changed: {}", record.id, change.path,
            bytes.error().message);
        continue;
      }
      plan.contents[before.sha256] = std::move(*bytes);
    }
    if (is_as_made)
      plan.changes.push_back({change.path, change.shown, now->state, before});
    else if (is_file)
      part.changes.push_back(change);
  }
  remove_needless_temporaries(record);
  EditApplication application(plan, recovery_id(record));
  if (const auto done = application.run(); !done) {
    log(LogLevel::Error, "edit {} was cut off and could not be taken back; it is tried again: {}",
        record.id, done.error().message);
    return;
  }
  application.settle();
  log(LogLevel::Warn, "edit {} was cut off, and is taken back: {} of {} files", record.id,
      plan.changes.size(), record.changes.size());
  if (part.changes.empty()) {
    journal_.drop(record);
  } else {
    if (!keep_part(part, plan)) return;
    journal_.release_blobs(record);
  }
  remove_temporaries(record);
}

// As an edit of its own: undoing it by force gives back what was in the files.
Result<void> Edits::keep_part(const EditRecord& part, const EditPlan& plan) {
  auto kept = journal_.begin(part, plan);
  if (kept) kept = journal_.finish(part);
  if (kept)
    log(LogLevel::Warn,
        "edit {} was taken back but for {}: what was there is in the backup, and 'toolgate undo {} "
        "--force' puts it back",
        part.id, describe_changes(part.changes), part.id);
  else
    log(LogLevel::Error, "edit {}: the backup of what could not be put back failed: {}", part.id,
        kept.error().message);
  return kept;
}

Result<EditRecord> Edits::apply(const EditPlan& plan, EditOrigin origin) {
  const std::lock_guard lock(mutex_);
  return apply_locked(plan, std::move(origin), {});
}

Result<EditRecord> Edits::apply_locked(const EditPlan& plan, EditOrigin origin,
                                       std::string undoes) {
  if (folder_.empty())
    return fail(Errc::Io, "there is no data folder for backups, so nothing can be edited");
  if (auto checked = check_recordable(plan); !checked) return std::unexpected(checked.error());
  last_time_ = std::max(now_in_milliseconds(), last_time_ + 1);
  EditRecord record{.id = make_id("edit_"),
                    .time = last_time_,
                    .tool = std::move(origin.tool),
                    .caller = std::move(origin.caller),
                    .session_id = std::move(origin.session_id),
                    .workspace = std::move(origin.workspace),
                    .undoes = std::move(undoes),
                    .changes = plan.changes};
  if (auto begun = journal_.begin(record, plan); !begun) {
    journal_.give_up(record.id);
    return std::unexpected(begun.error());
  }
  if (points_) points_("begun");
  EditApplication application(plan, record.id, points_);
  Result<void> done = application.run();
  if (done) done = journal_.finish(record);
  if (!done)
    return std::unexpected(give_up(application, std::move(record), plan, std::move(done.error())));
  if (points_) points_("finished");
  application.settle();
  journal_.make_room(kept_bytes_);
  return record;
}

Error Edits::give_up(EditApplication& application, EditRecord record, const EditPlan& plan,
                     Error error) {
  application.take_back();
  for (const std::string& name : application.left_files())
    error.message +=
        fmt::format("; what was there for a moment is kept as {}", visible_text(name, false));
  record.changes = application.stuck_changes();
  if (record.changes.empty()) {
    journal_.give_up(record.id);
    return error;
  }
  // Else it stays pending, and is looked at again at the next start.
  if (!keep_part(record, plan)) return error;
  application.settle();
  error.message +=
      fmt::format("; also, {} could not be put back as it was: 'toolgate undo {} --force' does it",
                  record.changes.size() == 1 ? visible_text(record.changes.front().shown, false)
                                             : fmt::format("{} files", record.changes.size()),
                  record.id);
  return error;
}

std::vector<EditRecord> Edits::list(std::size_t most, std::string_view workspace) {
  const std::lock_guard lock(mutex_);
  std::vector<EditRecord> result;
  for (const EditRecord& record : std::views::reverse(journal_.records())) {
    if (result.size() == most) break;
    if (workspace.empty() || record.workspace == workspace) result.push_back(record);
  }
  return result;
}

Result<EditRecord> Edits::find(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const EditRecord* record = journal_.find(id);
  if (!record)
    return fail(Errc::NotFound, "there is no edit {}, or its backup was removed to make room",
                visible_text(id, false));
  return *record;
}

std::string Edits::undone_by(std::string_view id) {
  const std::lock_guard lock(mutex_);
  return undone_by_locked(id);
}

std::string Edits::undone_by_locked(std::string_view id) const {
  for (const EditRecord& record : std::views::reverse(journal_.records()))
    if (record.undoes == id && undone_by_locked(record.id).empty()) return record.id;
  return {};
}

Result<EditPlan> Edits::plan_undo(std::string_view id, bool force) {
  const std::lock_guard lock(mutex_);
  return plan_undo_locked(id, force);
}

Result<EditPlan> Edits::plan_undo_locked(std::string_view id, bool force) {
  const EditRecord* record = journal_.find(id);
  if (!record)
    return fail(Errc::NotFound, "there is no edit {}, or its backup was removed to make room",
                visible_text(id, false));
  if (const std::string undo = undone_by_locked(id); !undo.empty() && !force)
    return fail(Errc::Conflict, "{} is undone already, by {}", record->id, undo);
  EditPlan plan;
  for (const FileChange& change : std::views::reverse(record->changes)) {
    const auto now = look_at_change(change);
    if (!now) return std::unexpected(now.error());
    if (now->state.is_same(change.before)) continue;
    const bool is_as_left = now->state.is_same(change.after);
    // Only what an edit did is forced: a folder in the place of a file is somebody's.
    if (!is_as_left && (now->state.kind == Kind::Folder || change.before.kind == Kind::Folder) &&
        now->state.kind != Kind::Absent)
      return fail(
          Errc::Conflict, "{} is a {} by now, which an undo leaves alone: move it away, then undo",
          visible_text(change.shown, false), now->state.kind == Kind::Folder ? "folder" : "file");
    if (!is_as_left && !force) return not_as_left(change, now->state);
    if (now->state.kind == Kind::Folder && holds_more(change, plan)) continue;
    if (change.before.kind != Kind::Absent && !has_folder(change, plan))
      return fail(Errc::Conflict, "the folder of {} is gone since this edit: make it, then undo",
                  visible_text(change.shown, false));
    plan.changes.push_back({change.path, change.shown, now->state, change.before});
    if (now->state.kind == Kind::File) plan.contents[now->state.sha256] = now->bytes;
    if (change.before.kind != Kind::File) continue;
    auto bytes = journal_.read_blob(change.before);
    if (!bytes) return std::unexpected(bytes.error());
    plan.contents[change.before.sha256] = std::move(*bytes);
  }
  return plan;
}

Result<EditRecord> Edits::undo(std::string_view id, const EditUndo& how) {
  const std::lock_guard lock(mutex_);
  const auto plan = plan_undo_locked(id, how.force);
  if (!plan) return std::unexpected(plan.error());
  const EditRecord& record = *journal_.find(id);
  EditOrigin origin{.tool = "undo",
                    .caller = how.caller,
                    .session_id = record.session_id,
                    .workspace = record.workspace};
  return apply_locked(*plan, std::move(origin), record.id);
}

}  // namespace toolgate
