#include "store/data_folder_lock.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "store/private_files.h"

namespace toolgate {
namespace {

std::unexpected<Error> failure(const std::filesystem::path& file, const char* what) {
  return fail_at(file.string(), Errc::Io, "cannot {} {}: {}", what, file.string(),
                 std::strerror(errno));
}

// 0 where its holder has not written it yet.
long read_holder(int descriptor) {
  std::array<char, 32> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  long process = 0;
  if (size > 0) std::from_chars(text.data(), text.data() + size, process);
  return process;
}

bool write_holder(int descriptor, const std::string& text) {
  return ftruncate(descriptor, 0) == 0 &&
         pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

std::unexpected<Error> held(const std::filesystem::path& data_folder, long process) {
  const std::string who = process > 0 ? fmt::format(" (pid {})", process) : std::string();
  return fail_at(data_folder.string(), Errc::AlreadyExists,
                 "another gateway{} uses the data folder {}; choose another with --data", who,
                 data_folder.string());
}

}  // namespace

Result<DataFolderLock> DataFolderLock::acquire(const std::filesystem::path& data_folder) {
  if (auto made = make_private_folder(data_folder); !made) return std::unexpected(made.error());
  const std::filesystem::path file = data_folder / "toolgate.lock";
  DataFolderLock lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.descriptor_ < 0) return failure(file, "open");
  if (flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failure(file, "lock");
    return held(data_folder, read_holder(lock.descriptor_));
  }
  if (!write_holder(lock.descriptor_, fmt::format("{}\n", getpid()))) return failure(file, "write");
  return lock;
}

DataFolderLock::~DataFolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace toolgate
