// Folders and files that only their owner can read: the database and the lock make theirs so.
#pragma once

#include <filesystem>

#include "toolgate/error.h"

namespace toolgate {

// Makes the folder with mode 0700, and those above it that are missing. One that is there stays as
// it is.
Result<void> make_private_folder(const std::filesystem::path& folder);

// Makes an empty file with mode 0600 in a folder made as above; one that is there loses what it
// grants to others.
Result<void> make_private_file(const std::filesystem::path& file);

}  // namespace toolgate
