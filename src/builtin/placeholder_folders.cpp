#include "builtin/placeholder_folders.h"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <ranges>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utility>

namespace toolgate {
namespace {

// Nobody else makes folders like this, and to those who use one the bit does nothing.
constexpr mode_t kOurMode = S_ISVTX | 0755;
constexpr int kMostTries = 200;
constexpr timespec kPause{0, 5'000'000};

bool is_ours(const struct stat& facts) {
  return S_ISDIR(facts.st_mode) && (facts.st_mode & 07777) == kOurMode &&
         facts.st_uid == ::geteuid();
}

bool is_at(const Descriptor& folder, const std::string& path) {
  struct stat held{};
  struct stat named{};
  return ::fstat(folder.get(), &held) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

bool is_ours(const Descriptor& folder) {
  struct stat facts{};
  return ::fstat(folder.get(), &facts) == 0 && is_ours(facts);
}

bool is_empty(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(path.c_str()), ::closedir);
  if (!stream) return false;
  while (const dirent* entry = ::readdir(stream.get()))
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) return false;
  return true;
}

// With its mode from the first moment: one that is seen without it is somebody's.
void make_folder(const std::string& path) {
  const mode_t before = ::umask(0);
  ::mkdir(path.c_str(), kOurMode);
  ::umask(before);
}

}  // namespace

bool is_placeholder(const std::string& path) {
  struct stat facts{};
  return ::lstat(path.c_str(), &facts) == 0 && is_ours(facts) && is_empty(path);
}

// Each try ends with a lock on what is there, or that is being removed and there is another try.
// Where the file system keeps no mode or no locks, what is made stays.
void PlaceholderFolders::add(std::string path) {
  for (int i = 0; i < kMostTries; ++i) {
    make_folder(path);
    Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder && errno == ENOENT) continue;
    if (!folder || !is_ours(folder)) return;
    if (::flock(folder.get(), LOCK_SH | LOCK_NB) == 0) {
      if (!is_at(folder, path)) continue;
      held_.push_back({std::move(path), std::move(folder)});
      return;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) return;
    ::nanosleep(&kPause, nullptr);
  }
}

PlaceholderFolders::~PlaceholderFolders() {
  for (const Held& each : std::views::reverse(held_)) {
    // Fails while others hold it: the last of them removes it.
    if (::flock(each.folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (is_at(each.folder, each.path) && is_ours(each.folder)) ::rmdir(each.path.c_str());
  }
}

}  // namespace toolgate
