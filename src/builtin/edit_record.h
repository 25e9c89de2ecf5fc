// What an edit did to files: for each the state before and after it. Kept by edit_journal.h as
// JSON, so that it can be undone. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace toolgate {

// What is in one place.
struct FileState {
  enum class Kind : std::uint8_t { Absent, File, Folder };

  Kind kind = Kind::Absent;
  mode_t mode = 0;  // permissions only
  uid_t owner = 0;
  gid_t group = 0;
  std::uint64_t size = 0;
  std::string sha256 = {};  // of a file's bytes

  // Content and permissions of a file; of a folder only that it is one.
  bool is_same(const FileState& other) const;
};

struct FileChange {
  std::string path;   // absolute and free of links
  std::string shown;  // as people read it
  FileState before = {};
  FileState after = {};
};

// Changes in the order in which they are made, and the bytes of the files in them by sha256.
struct EditPlan {
  std::vector<FileChange> changes = {};
  std::map<std::string, std::string> contents = {};

  const std::string& bytes_of(const FileState& state) const;
};

struct EditRecord {
  std::string id = {};
  std::int64_t time = 0;  // milliseconds since 1970
  std::string tool = {};
  std::string caller = {};
  std::string session_id = {};
  std::string workspace = {};
  std::string undoes = {};  // the edit that this one takes back; empty: none
  std::vector<FileChange> changes = {};
};

// "Edit src/a.cpp", "Create a/b.txt", "Edit 3 files": what the changes are, without the folders
// that are made for files.
std::string describe_changes(const std::vector<FileChange>& changes);
// "created", "edited", "removed"; of folders too.
std::string_view name_of_change(const FileChange& change);

// Whether it can be written down: paths are UTF-8.
Result<void> check_recordable(const EditPlan& plan);

std::string write_edit_record(const EditRecord& record);
json::object edit_record_json(const EditRecord& record);
Result<EditRecord> parse_edit_record(std::string_view text);

}  // namespace toolgate
