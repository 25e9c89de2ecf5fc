// An edit while it is worked out: changes upon changes of files in the workspace, none of them
// written. The tools that edit make one from their input; finish() gives the plan.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/edit_record.h"
#include "builtin/file_look.h"
#include "builtin/workspace.h"

namespace toolgate {

// Reads files as they are at the first touch: blocks as files do.
class EditDraft {
 public:
  // Once `stop` is true, nothing more is read. Null: nobody stops it.
  explicit EditDraft(const Workspace& workspace, const std::atomic<bool>* stop = nullptr)
      : workspace_(workspace), stop_(stop) {}

  const std::atomic<bool>* stop() const { return stop_; }
  // For errors.
  std::string name_of(std::string_view given) const { return workspace_.name_of(given); }

  // Whether a file or folder is there, by the changes so far.
  Result<bool> has(std::string_view given);
  // The text of a file with line feeds and without a byte-order mark, as changed so far.
  Result<std::string> read(std::string_view given);
  // Of a file that read() gave. It keeps its mode, owner, line endings and mark.
  Result<void> write(std::string_view given, std::string_view text);
  // A new file and the folders that it needs. An empty file may be there.
  Result<void> create(std::string_view given, std::string_view bytes);
  Result<void> make_folder(std::string_view given);
  Result<void> remove(std::string_view given);
  // To a place where nothing is.
  Result<void> move(std::string_view given, std::string_view to);

  // Fails when nothing would change, or too much.
  Result<EditPlan> finish() &&;

 private:
  struct Entry {
    FileChange change = {};
    std::string bytes = {};        // by the changes so far
    std::string before = {};       // on disk
    Result<void> changeable = {};  // why not, if it is not
    std::vector<std::string> missing_folders = {};
  };
  // Where `given` is or would be.
  struct Spot {
    FilePlace place;  // where folders are missing: of the first of them
    std::string path;
    std::vector<std::string> missing_folders = {};
  };

  Result<Spot> find_spot(std::string_view given) const;
  Result<Entry*> touch(std::string_view given);
  Result<Entry*> find_file(std::string_view given);
  Result<Entry*> find_room(std::string_view given);
  void plan_folders(const Entry& entry);
  FileState new_state(FileState::Kind kind, const FilePlace& place) const;

  const Workspace& workspace_;
  const std::atomic<bool>* const stop_;
  std::map<std::string, Entry> entries_;  // by path
  std::vector<std::string> order_;        // paths, as they were first touched
};

}  // namespace toolgate
