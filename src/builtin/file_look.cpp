#include "builtin/file_look.h"

#include <cerrno>

#include "builtin/file_bytes.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr mode_t kPermissions = 07777;

// Paths in plans were checked when the plan was made; here only links count.
const Workspace& everywhere() {
  static const Workspace workspace({"/"});
  return workspace;
}

Result<SeenFile> read_regular(int folder, const std::string& name, std::string_view shown) {
  const Descriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return file_failure(errno, "read", shown);
  struct stat facts = {};
  if (::fstat(file.get(), &facts) != 0) return file_failure(errno, "look at", shown);
  if (!S_ISREG(facts.st_mode)) return fail(Errc::InvalidRequest, "{} is not a file", shown);
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  if (size > kMostEditedBytes)
    return fail(Errc::InvalidRequest, "{} has {} bytes: edits touch files of up to {} bytes", shown,
                size, kMostEditedBytes);
  auto bytes = read_bytes(file.get(), 0, size + 1, shown);
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->size() > size)
    return fail(Errc::Conflict, "{} grows while it is read: try again later", shown);
  SeenFile seen{.bytes = std::move(*bytes), .names = facts.st_nlink};
  seen.state = {.kind = FileState::Kind::File,
                .mode = facts.st_mode & kPermissions,
                .owner = facts.st_uid,
                .group = facts.st_gid,
                .size = seen.bytes.size(),
                .sha256 = sha256_hex(seen.bytes)};
  return seen;
}

}  // namespace

Result<SeenFile> look_at(int folder, const std::string& name, std::string_view shown) {
  const std::string words = visible_text(shown, false);
  struct stat facts = {};
  if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return SeenFile{};
    return file_failure(errno, "look at", words);
  }
  if (S_ISREG(facts.st_mode)) return read_regular(folder, name, words);
  if (!S_ISDIR(facts.st_mode))
    return fail(Errc::InvalidRequest, "{} is {}, not a file", words,
                S_ISLNK(facts.st_mode) ? "a link" : "a pipe, socket or device");
  SeenFile seen;
  seen.state = {.kind = FileState::Kind::Folder,
                .mode = facts.st_mode & kPermissions,
                .owner = facts.st_uid,
                .group = facts.st_gid};
  return seen;
}

Result<FilePlace> find_change_place(const FileChange& change) {
  auto place = everywhere().find_place(change.path);
  const std::string words = visible_text(change.shown, false);
  if (!place) return fail(place.error().code, "cannot reach {}: {}", words, place.error().message);
  if (place->path != change.path)
    return fail(Errc::Conflict, "{} is another place by now: a link leads to {}", words,
                visible_text(place->path, false));
  return place;
}

Result<SeenFile> look_at_change(const FileChange& change) {
  const auto place = find_change_place(change);
  if (!place && place.error().code == Errc::NotFound) return SeenFile{};
  if (!place) return std::unexpected(place.error());
  return look_at(place->folder.get(), place->name, change.shown);
}

}  // namespace toolgate
