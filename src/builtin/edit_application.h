// Makes the changes of a plan in the file system, one after the other, and takes back those it
// made when one cannot be. A file is written beside its place and exchanged with what is there,
// so what is taken out can be looked at: nothing that somebody else wrote meanwhile is lost,
// neither then nor when it is taken back.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/file_look.h"

namespace toolgate {

// For tests: called at the points of an edit by their names; may end the process.
using EditPoints = std::function<void(std::string_view point)>;

class EditApplication {
 public:
  // `id` names the temporary files. The plan stays until this is gone.
  EditApplication(const EditPlan& plan, std::string_view id, EditPoints points = {});
  // Takes back what was neither settled nor taken back. Files that it could not put back stay
  // beside their places; the log names them.
  ~EditApplication();
  EditApplication(const EditApplication&) = delete;
  EditApplication& operator=(const EditApplication&) = delete;

  // All changes, or none and the reason.
  Result<void> run();
  void take_back();
  // The changes of files that could not be taken back, because somebody else has written there
  // since or the file system refuses. What was there before stays beside them until settle().
  std::vector<FileChange> stuck_changes() const;
  // What somebody else wrote in the very moment of the edit, where they have written again since:
  // it stays beside its place, by such a name.
  std::vector<std::string> left_files() const;
  // Removes what was kept for taking back; it cannot be any more.
  void settle();

  // Of the change with this number, in the folder of its file.
  static std::string temporary_name(std::string_view id, std::size_t number);
  // Of the old file, where the file system cannot exchange.
  static std::string kept_name(std::string_view temporary);

 private:
  struct Step {
    const FileChange* change;
    FilePlace place;
    std::string temporary;
    ino_t made = 0;            // our file or folder
    bool has_kept = false;     // what was there is kept by the temporary name
    bool has_dropped = false;  // … was, until its folder had to go: the plan has it
    bool is_strange = false;   // what is kept is not what the plan says: nobody else has it
  };

  Result<void> make(const FileChange& change, std::size_t number);
  Result<void> write_temporary(Step& step) const;
  Result<void> put_file(Step& step);
  Result<void> replace_file(Step& step);
  Result<void> remove_file(Step& step);
  Result<void> check_kept(Step& step);
  void take_back(Step step);
  Result<void> put_back(Step& step) const;
  Result<void> put_old_file_back(Step& step) const;
  static bool is_as_made(const Step& step, const std::string& name);
  void empty_folder(const FileChange& folder);
  Result<void> write_again(const FileChange& removed) const;
  void reach(std::string_view point) const {
    if (points_) points_(point);
  }

  const EditPlan& plan_;
  const std::string id_;
  const EditPoints points_;
  std::vector<Step> done_;
  std::vector<Step> stuck_;  // see stuck_changes()
};

// Whether our user may replace, remove or create what a change names; said before anyone is asked.
Result<void> check_changeable(const FilePlace& place, const FileState& state, std::uint64_t names,
                              std::string_view shown);

}  // namespace toolgate
