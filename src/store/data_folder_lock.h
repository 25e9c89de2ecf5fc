// Keeps a second gateway out of a data folder: two would run what one person approved twice.
#pragma once

#include <filesystem>
#include <utility>

#include "toolgate/error.h"

namespace toolgate {

// Held from acquire() until it is destroyed or the process ends, however it ends. Programs that
// this process starts do not inherit it.
class DataFolderLock {
 public:
  // Makes the folder where there is none. The error names the process that holds it.
  static Result<DataFolderLock> acquire(const std::filesystem::path& data_folder);

  DataFolderLock(DataFolderLock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)) {}
  DataFolderLock& operator=(DataFolderLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~DataFolderLock();

 private:
  explicit DataFolderLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace toolgate
