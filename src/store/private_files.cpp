#include "store/private_files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace toolgate {
namespace {

std::unexpected<Error> failure(const std::filesystem::path& path, std::string_view what) {
  return fail_at(path.string(), Errc::Io, "cannot {} {}: {}", what, path.string(),
                 std::strerror(errno));
}

// Else a crash may lose the name of a file whose contents are safe.
Result<void> sync_folder(const std::filesystem::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failure(folder, "open");
  const bool synced = fsync(descriptor) == 0;
  close(descriptor);
  if (!synced) return failure(folder, "write");
  return {};
}

// Not opened: closing it would drop the locks that this process's databases have on it.
Result<void> tighten(const std::filesystem::path& file) {
  struct stat facts{};
  if (stat(file.c_str(), &facts) != 0) return failure(file, "open");
  if (!S_ISREG(facts.st_mode))
    return fail_at(file.string(), Errc::Io, "{} is not a file", file.string());
  if ((facts.st_mode & 077) != 0 && chmod(file.c_str(), facts.st_mode & 0700) != 0)
    return failure(file, "make private");
  return {};
}

}  // namespace

Result<void> make_private_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return {};
  if (folder.has_relative_path() && folder.parent_path() != folder)
    if (auto made = make_private_folder(folder.parent_path()); !made) return made;
  if (mkdir(folder.c_str(), 0700) != 0 && !std::filesystem::is_directory(folder, error))
    return failure(folder, "make the folder");
  return {};
}

Result<void> make_private_file(const std::filesystem::path& file) {
  if (auto made = make_private_folder(file.parent_path()); !made) return made;
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0 && errno == EEXIST) return tighten(file);
  if (descriptor < 0) return failure(file, "create");
  close(descriptor);
  return sync_folder(file.parent_path());
}

}  // namespace toolgate
