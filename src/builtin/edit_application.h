// Makes the changes of a plan in the file system, one after the other, and takes back those it
// made when one cannot be. A file is written beside its place and exchanged with what is there,
// so what is taken out can be looked at: nothing that somebody else wrote meanwhile is lost.
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
  // Takes back what was neither settled nor taken back.
  ~EditApplication();
  EditApplication(const EditApplication&) = delete;
  EditApplication& operator=(const EditApplication&) = delete;

  // All changes, or none and the reason.
  Result<void> run();
  void take_back();
  // Removes what was kept for taking back; it cannot be any more.
  void settle();

  // Of the change with this number, in the folder of its file.
  static std::string temporary_name(std::string_view id, std::size_t number);

 private:
  struct Step {
    const FileChange* change;
    FilePlace place;
    std::string temporary;
    ino_t made = 0;            // our file or folder
    bool has_kept = false;     // what was there is kept by the temporary name
    bool has_dropped = false;  // … was, until its folder had to go: the plan has it
  };

  Result<void> make(const FileChange& change, std::size_t number);
  Result<void> write_temporary(Step& step) const;
  Result<void> put_file(Step& step);
  Result<void> replace_file(Step& step);
  Result<void> remove_file(Step& step);
  Result<void> check_kept(const Step& step) const;
  void take_back(Step& step);
  void empty_folder(const FileChange& folder);
  Result<void> write_again(const FileChange& removed) const;
  void reach(std::string_view point) const {
    if (points_) points_(point);
  }

  const EditPlan& plan_;
  const std::string id_;
  const EditPoints points_;
  std::vector<Step> done_;
};

// Whether our user may replace, remove or create what a change names; said before anyone is asked.
Result<void> check_changeable(const FilePlace& place, const FileState& state, std::uint64_t names,
                              std::string_view shown);

}  // namespace toolgate
