// Edits of files, each all or nothing, and their undoing. The tools that edit make a plan
// (edit_draft.h) and have it applied here; /v1/edits and `toolgate undo` take edits back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/edit_application.h"
#include "builtin/edit_journal.h"

namespace toolgate {

// Who edits, for the record.
struct EditOrigin {
  std::string tool = {};
  std::string caller = {};
  std::string session_id = {};
  std::string workspace = {};
};

// Which call a plan was shown for.
struct EditQuestion {
  std::string call;   // the same when the call is made
  std::string input;  // what a person changed is not compared with what was shown
};

struct EditUndo {
  bool force = false;  // whatever the files are by now
  std::string caller = {};
};

// Any thread may use it; everything blocks as files do: call it through offload().
class Edits {
 public:
  static constexpr std::uint64_t kUsualKeptBytes = std::uint64_t{500} << 20;

  // Takes back what the last process left half done. Empty `data`: nothing can be edited.
  explicit Edits(const std::filesystem::path& data, EditPoints points = {});

  // How much of backups is kept.
  void set_kept_bytes(std::uint64_t bytes);

  Result<EditRecord> apply(const EditPlan& plan, EditOrigin origin);

  // Newest first; those of one workspace, if it is named.
  std::vector<EditRecord> list(std::size_t most, std::string_view workspace = {});
  Result<EditRecord> find(std::string_view id);
  // The edit that took this one back and was not taken back itself; empty: none.
  std::string undone_by(std::string_view id);

  // What undoing would change; not what is as before the edit already, nor folders that hold
  // something else by now. Conflict: a file is not as the edit left it.
  Result<EditPlan> plan_undo(std::string_view id, bool force);
  Result<EditRecord> undo(std::string_view id, const EditUndo& how);

  // Remembers what was shown in a question, also for after a restart, and compares: Conflict when
  // a file is another one since. What cannot be remembered cannot be done.
  Result<void> note_asked(const EditQuestion& question, const EditPlan& plan);
  Result<void> check_files_unchanged(const EditQuestion& question);
  Result<void> check_plan_unchanged(const EditQuestion& question, const EditPlan& plan);
  void forget_asked(const EditQuestion& question);

 private:
  Result<EditRecord> apply_locked(const EditPlan& plan, EditOrigin origin, std::string undoes);
  Error give_up(EditApplication& application, EditRecord record, const EditPlan& plan, Error error);
  Result<void> keep_part(const EditRecord& part, const EditPlan& plan);
  Result<EditPlan> plan_undo_locked(std::string_view id, bool force);
  std::string undone_by_locked(std::string_view id) const;
  void recover(const EditRecord& record);
  std::filesystem::path asked_file(const EditQuestion& question) const;
  void forget_old_questions() const;

  const std::filesystem::path folder_;  // empty: there is none
  const EditPoints points_;
  std::mutex mutex_;  // one edit at a time
  EditJournal journal_;
  std::uint64_t kept_bytes_ = kUsualKeptBytes;
  std::int64_t last_time_ = 0;
};

}  // namespace toolgate
