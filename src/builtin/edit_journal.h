// Edits as they are kept: <data>/edits/<id>.json for each, <id>.pending while it is made, and
// blobs/<sha256> with what files held before. The oldest go when it is too much. Not for several
// threads at once: Edits has the lock.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "builtin/edit_record.h"

namespace toolgate {

class EditJournal {
 public:
  // `folder` is made when it is first needed.
  explicit EditJournal(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Reads what is there. Returns the edits that were under way when the last process ended.
  std::vector<EditRecord> open();

  // Both on disk when they return.
  Result<void> begin(const EditRecord& record, const EditPlan& plan);
  Result<void> finish(const EditRecord& record);
  void give_up(std::string_view id);
  // Of those that open() returned: forgets it, or only its blobs where another record took its
  // place.
  void drop(const EditRecord& pending);
  void release_blobs(const EditRecord& record);

  // Oldest first.
  const std::vector<EditRecord>& records() const { return records_; }
  const EditRecord* find(std::string_view id) const;
  Result<std::string> read_blob(const FileState& state) const;

  // Forgets the oldest until what is kept takes at most so many bytes; never the newest.
  void make_room(std::uint64_t most_bytes);

 private:
  struct Blob {
    std::uint64_t size = 0;
    std::size_t users = 0;
  };

  Result<void> make_folders() const;
  Result<void> keep_blob(const FileState& state, const std::string& bytes) const;
  void use_blobs(const EditRecord& record);
  void remove_unused_blobs() const;

  const std::filesystem::path folder_;
  std::vector<EditRecord> records_;
  std::map<std::string, Blob> blobs_;  // by sha256, those that records use
  std::uint64_t bytes_ = 0;            // of them
};

// Writes `bytes` as a private file, on disk under its name when it returns, or not at all.
Result<void> write_durably(const std::filesystem::path& file, std::string_view bytes);

}  // namespace toolgate
