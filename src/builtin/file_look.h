// Looks at what is in a place, and reads it if it is a file that edits may touch.
#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "builtin/edit_record.h"
#include "builtin/workspace.h"

namespace toolgate {

// Larger files are not edited.
inline constexpr std::uint64_t kMostEditedBytes = std::uint64_t{10} << 20;

struct SeenFile {
  FileState state = {};
  std::string bytes = {};   // of a file
  std::uint64_t names = 0;  // hard links
};

// A link is not followed: it is refused, as pipes, sockets and devices are. `shown` is for errors.
Result<SeenFile> look_at(int folder, const std::string& name, std::string_view shown);

// The same for a place that a plan or a record names. Fails when a link leads elsewhere by now.
// Where its folder is gone, so is the file.
Result<SeenFile> look_at_change(const FileChange& change);
// Where the change is to be made; its folder is there.
Result<FilePlace> find_change_place(const FileChange& change);

}  // namespace toolgate
