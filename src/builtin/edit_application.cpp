#include "builtin/edit_application.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <sys/xattr.h>

#include "base/log.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using Kind = FileState::Kind;

constexpr std::size_t kMostAttributeBytes = 64 << 10;  // Linux has no longer ones, and lists

std::unexpected<Error> io_failure(std::string_view doing, const FileChange& change,
                                  int number = errno) {
  const std::string words = visible_text(change.shown, false);
  if (number == ENOSPC || number == EDQUOT)
    return fail(Errc::Io, "cannot {} {}: the disk is full; nothing was changed", doing, words);
  return file_failure(number, doing, words);
}

std::unexpected<Error> changed_meanwhile(const FileChange& change) {
  return fail(Errc::Conflict, "{} has changed meanwhile: read it again and make the edit anew",
              visible_text(change.shown, false));
}

// A name of a folder is on disk only when the folder is. Some file systems cannot say.
Result<void> sync(int folder, const FileChange& change) {
  if (::fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP) return {};
  return io_failure("write the folder of", change);
}

ino_t inode_of(int folder, const std::string& name) {
  struct stat facts = {};
  return ::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 ? facts.st_ino : 0;
}

int swap_files(const FilePlace& place, const std::string& other) {
  return ::renameat2(place.folder.get(), other.c_str(), place.folder.get(), place.name.c_str(),
                     RENAME_EXCHANGE);
}

// Fails with EEXIST rather than replace. File systems without the flag get a second name first.
int move_without_replacing(int folder, const std::string& from, const std::string& to) {
  if (::renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (::linkat(folder, from.c_str(), folder, to.c_str(), 0) != 0) return -1;
  if (::unlinkat(folder, from.c_str(), 0) == 0) return 0;
  const int number = errno;
  ::unlinkat(folder, to.c_str(), 0);
  errno = number;
  return -1;
}

// Where there is no exchange: the old file gets a second name, `kept`, and loses the first.
int replace_and_keep(const FilePlace& place, const std::string& temporary,
                     const std::string& kept) {
  const int folder = place.folder.get();
  if (::linkat(folder, place.name.c_str(), folder, kept.c_str(), 0) != 0) return -1;
  if (::renameat(folder, temporary.c_str(), folder, place.name.c_str()) == 0) return 0;
  const int number = errno;
  ::unlinkat(folder, kept.c_str(), 0);
  errno = number;
  return -1;
}

Result<void> write_all(int file, std::string_view bytes, const FileChange& change) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return io_failure("write", change);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Access lists and the user's own attributes go with the file, where the file system has them.
Result<void> copy_attributes(int from, int to, const FileChange& change) {
  std::string names(kMostAttributeBytes, '\0');
  const ssize_t size = ::flistxattr(from, names.data(), names.size());
  if (size < 0 && (errno == ENOTSUP || errno == ENOSYS)) return {};
  if (size < 0) return io_failure("read the attributes of", change);
  names.resize(static_cast<std::size_t>(size));
  for (std::size_t at = 0; at < names.size();) {
    const std::string name = names.c_str() + at;
    at += name.size() + 1;
    if (!name.starts_with("user.") && name != "system.posix_acl_access") continue;
    std::string value(kMostAttributeBytes, '\0');
    const ssize_t length = ::fgetxattr(from, name.c_str(), value.data(), value.size());
    if (length < 0 && errno == ENODATA) continue;  // gone meanwhile
    if (length < 0 ||
        ::fsetxattr(to, name.c_str(), value.data(), static_cast<std::size_t>(length), 0) != 0)
      return io_failure(fmt::format("keep the attribute {} of", visible_text(name, false)), change);
  }
  return {};
}

Result<void> give_owner(int file, const FileChange& change) {
  struct stat facts = {};
  if (::fstat(file, &facts) != 0) return io_failure("look at", change);
  const FileState& wanted = change.after;
  if (facts.st_uid == wanted.owner && facts.st_gid == wanted.group) return {};
  if (::fchown(file, wanted.owner, wanted.group) == 0) return {};
  return fail(Errc::Forbidden,
              "{} belongs to another user or group, which a new file cannot be given: {}",
              visible_text(change.shown, false), std::generic_category().message(errno));
}

// The one above may be another one than it was.
Result<void> make_folder(const FileChange& removed) {
  const auto place = find_change_place(removed);
  if (!place) return std::unexpected(place.error());
  const mode_t mode = removed.before.mode;
  if (::mkdirat(place->folder.get(), place->name.c_str(), mode) != 0)
    return io_failure("make the folder", removed);
  (void)::fchmodat(place->folder.get(), place->name.c_str(), mode, 0);
  return {};
}

}  // namespace

Result<void> check_changeable(const FilePlace& place, const FileState& state, std::uint64_t names,
                              std::string_view shown) {
  constexpr mode_t kAnyWrite = 0222;
  const std::string words = visible_text(shown, false);
  struct stat folder = {};
  if (::fstat(place.folder.get(), &folder) != 0) return file_failure(errno, "look at", words);
  if ((folder.st_mode & kAnyWrite) == 0 ||
      ::faccessat(place.folder.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
    return fail(Errc::Forbidden, "{} cannot be changed: its folder is read-only", words);
  if (state.kind != Kind::File) return {};
  // One that has gone meanwhile is no matter of rights: whoever changes it will see.
  if ((state.mode & kAnyWrite) == 0 ||
      (::faccessat(place.folder.get(), place.name.c_str(), W_OK, AT_EACCESS) != 0 &&
       errno != ENOENT))
    return fail(Errc::Forbidden, "{} is read-only", words);
  if ((state.mode & (S_ISUID | S_ISGID)) != 0)
    return fail(Errc::Forbidden, "{} runs with the rights of its owner (setuid): edit it by hand",
                words);
  if (names > 1)
    return fail(Errc::Forbidden,
                "{} has {} names (hard links), which an edit would separate: edit it by hand",
                words, names);
  return {};
}

EditApplication::EditApplication(const EditPlan& plan, std::string_view id, EditPoints points)
    : plan_(plan), id_(id), points_(std::move(points)) {}

EditApplication::~EditApplication() {
  take_back();
  for (const Step& step : stuck_) {
    const std::filesystem::path path = step.change->path;
    if (step.has_kept)
      log(LogLevel::Error, "edit {}: what was in {} is kept as {}", id_, path.string(),
          (path.parent_path() / step.temporary).string());
  }
}

std::string EditApplication::temporary_name(std::string_view id, std::size_t number) {
  return fmt::format(".toolgate-{}-{}", id, number);
}

std::string EditApplication::kept_name(std::string_view temporary) {
  return std::string(temporary) + "-old";
}

Result<void> EditApplication::run() {
  for (std::size_t i = 0; i < plan_.changes.size(); ++i) {
    auto made = make(plan_.changes[i], i);
    if (!made) {
      take_back();
      return made;
    }
    reach(fmt::format("changed {}", i));
  }
  return {};
}

Result<void> EditApplication::make(const FileChange& change, std::size_t number) {
  auto place = find_change_place(change);
  if (!place) return std::unexpected(place.error());
  Step step{&change, std::move(*place), temporary_name(id_, number)};
  const int folder = step.place.folder.get();
  const auto now = look_at(folder, step.place.name, change.shown);
  if (!now) return std::unexpected(now.error());
  if (!now->state.is_same(change.before)) return changed_meanwhile(change);
  if (auto may = check_changeable(step.place, now->state, now->names, change.shown); !may)
    return may;

  Result<void> made;
  if (change.after.kind == Kind::File) {
    made = put_file(step);
  } else if (change.before.kind == Kind::File) {
    made = remove_file(step);
  } else if (change.after.kind == Kind::Folder && change.before.kind == Kind::Absent) {
    if (::mkdirat(folder, step.place.name.c_str(), change.after.mode) != 0)
      return io_failure("make the folder", change);
    (void)::fchmodat(folder, step.place.name.c_str(), change.after.mode, 0);
    step.made = inode_of(folder, step.place.name);
  } else if (change.before.kind == Kind::Folder && change.after.kind == Kind::Absent) {
    empty_folder(change);
    if (::unlinkat(folder, step.place.name.c_str(), AT_REMOVEDIR) != 0)
      return errno == ENOTEMPTY || errno == EEXIST
                 ? fail(Errc::Conflict, "the folder {} is not empty",
                        visible_text(change.shown, false))
                 : io_failure("remove the folder", change);
  }
  if (!made) return made;
  done_.push_back(std::move(step));
  return sync(folder, change);
}

Result<void> EditApplication::write_temporary(Step& step) const {
  const FileChange& change = *step.change;
  const int folder = step.place.folder.get();
  const Descriptor file(::openat(folder, step.temporary.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return io_failure("write", change);
  step.made = inode_of(folder, step.temporary);
  Result<void> written = write_all(file.get(), plan_.bytes_of(change.after), change);
  if (written && change.before.kind == Kind::File) {
    const Descriptor old(
        ::openat(folder, step.place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    written = old ? copy_attributes(old.get(), file.get(), change) : io_failure("read", change);
  }
  if (written) written = give_owner(file.get(), change);
  if (written && ::fchmod(file.get(), change.after.mode) != 0)
    written = io_failure("set the mode of", change);
  if (written && ::fsync(file.get()) != 0) written = io_failure("write", change);
  if (!written) ::unlinkat(folder, step.temporary.c_str(), 0);
  return written;
}

Result<void> EditApplication::put_file(Step& step) {
  if (auto written = write_temporary(step); !written) return written;
  reach("written");
  if (step.change->before.kind == Kind::File) return replace_file(step);
  const int folder = step.place.folder.get();
  if (move_without_replacing(folder, step.temporary, step.place.name) == 0) return {};
  const int number = errno;
  ::unlinkat(folder, step.temporary.c_str(), 0);
  return number == EEXIST ? changed_meanwhile(*step.change)
                          : io_failure("create", *step.change, number);
}

Result<void> EditApplication::replace_file(Step& step) {
  int done = swap_files(step.place, step.temporary);
  if (done != 0 && (errno == EINVAL || errno == ENOSYS)) {
    const std::string kept = kept_name(step.temporary);
    done = replace_and_keep(step.place, step.temporary, kept);
    if (done == 0) step.temporary = kept;
  }
  if (done != 0) {
    const int number = errno;
    ::unlinkat(step.place.folder.get(), step.temporary.c_str(), 0);
    return number == ENOENT ? changed_meanwhile(*step.change)
                            : io_failure("replace", *step.change, number);
  }
  step.has_kept = true;
  if (auto kept = check_kept(step); !kept) {
    take_back(std::move(step));
    return kept;
  }
  return {};
}

Result<void> EditApplication::remove_file(Step& step) {
  if (move_without_replacing(step.place.folder.get(), step.place.name, step.temporary) != 0)
    return errno == ENOENT ? changed_meanwhile(*step.change) : io_failure("remove", *step.change);
  step.has_kept = true;
  if (auto kept = check_kept(step); !kept) {
    take_back(std::move(step));
    return kept;
  }
  return {};
}

// What was taken out must be what the edit was made for.
Result<void> EditApplication::check_kept(Step& step) {
  const auto kept = look_at(step.place.folder.get(), step.temporary, step.change->shown);
  step.is_strange = !kept || !kept->state.is_same(step.change->before);
  if (!kept) return std::unexpected(kept.error());
  if (step.is_strange) return changed_meanwhile(*step.change);
  return {};
}

// Of what we keep there ourselves.
void EditApplication::empty_folder(const FileChange& folder) {
  for (Step& step : done_) {
    if (!step.has_kept || step.change->path != folder.path + "/" + step.place.name) continue;
    ::unlinkat(step.place.folder.get(), step.temporary.c_str(), 0);
    step.has_kept = false;
    step.has_dropped = true;
  }
}

Result<void> EditApplication::write_again(const FileChange& removed) const {
  const FileChange change{removed.path, removed.shown, {}, removed.before};
  auto place = find_change_place(change);
  if (!place) return std::unexpected(place.error());
  Step step{&change, std::move(*place), temporary_name(id_, plan_.changes.size())};
  if (auto written = write_temporary(step); !written) return written;
  const int folder = step.place.folder.get();
  if (move_without_replacing(folder, step.temporary, step.place.name) == 0) return {};
  ::unlinkat(folder, step.temporary.c_str(), 0);
  return io_failure("create", change);
}

void EditApplication::take_back() {
  while (!done_.empty()) {
    Step step = std::move(done_.back());
    done_.pop_back();
    take_back(std::move(step));
  }
}

void EditApplication::take_back(Step step) {
  const FileChange& change = *step.change;
  const auto done = put_back(step);
  if (const auto synced = sync(step.place.folder.get(), change); !synced)
    log(LogLevel::Error, "edit {}: {}", id_, synced.error().message);
  if (done) return;
  log(LogLevel::Error, "edit {}: {} could not be put back: {}", id_, change.path,
      done.error().message);
  // By another name than our temporaries, which the next start removes.
  if (step.is_strange && step.has_kept)
    if (std::string kept = ".kept" + step.temporary;
        move_without_replacing(step.place.folder.get(), step.temporary, kept) == 0)
      step.temporary = std::move(kept);
  if (change.before.kind == Kind::File) stuck_.push_back(std::move(step));
}

// Our file, and nobody has written into it since.
bool EditApplication::is_as_made(const Step& step, const std::string& name) {
  const int folder = step.place.folder.get();
  if (step.made == 0 || inode_of(folder, name) != step.made) return false;
  const auto now = look_at(folder, name, step.change->shown);
  return now && now->state.is_same(step.change->after);
}

Result<void> EditApplication::put_back(Step& step) const {
  const int folder = step.place.folder.get();
  const char* name = step.place.name.c_str();
  const FileChange& change = *step.change;
  if (step.has_dropped) return write_again(change);
  if (step.has_kept && change.after.kind == Kind::Absent) {
    if (move_without_replacing(folder, step.temporary, step.place.name) != 0)
      return io_failure("put back", change);
    step.has_kept = false;
  } else if (step.has_kept) {
    return put_old_file_back(step);
  } else if (change.before.kind == Kind::Absent) {
    // Whoever put something else there since wins.
    if (!is_as_made(step, step.place.name)) return changed_meanwhile(change);
    if (::unlinkat(folder, name, change.after.kind == Kind::Folder ? AT_REMOVEDIR : 0) != 0)
      return io_failure("remove", change);
  } else if (change.before.kind == Kind::Folder) {
    return make_folder(change);
  }
  return {};
}

// Whoever wrote there since wins; the old file stays beside it. What is taken out is looked at here
// too: somebody may write between the look and the exchange.
Result<void> EditApplication::put_old_file_back(Step& step) const {
  const int folder = step.place.folder.get();
  if (!is_as_made(step, step.place.name)) return changed_meanwhile(*step.change);
  if (swap_files(step.place, step.temporary) == 0) {
    if (is_as_made(step, step.temporary)) {
      ::unlinkat(folder, step.temporary.c_str(), 0);
      step.has_kept = false;
      return {};
    }
    step.is_strange = swap_files(step.place, step.temporary) != 0 || step.is_strange;
    return changed_meanwhile(*step.change);
  }
  if ((errno != EINVAL && errno != ENOSYS) ||
      ::renameat(folder, step.temporary.c_str(), folder, step.place.name.c_str()) != 0)
    return io_failure("put back", *step.change);
  step.has_kept = false;
  return {};
}

std::vector<FileChange> EditApplication::stuck_changes() const {
  std::vector<FileChange> changes;
  for (const Step& step : stuck_)
    if (!step.is_strange) changes.push_back(*step.change);
  return changes;
}

std::vector<std::string> EditApplication::left_files() const {
  std::vector<std::string> names;
  for (const Step& step : stuck_)
    if (step.is_strange && step.has_kept)
      names.push_back(
          (std::filesystem::path(step.change->shown).parent_path() / step.temporary).string());
  return names;
}

void EditApplication::settle() {
  std::ranges::move(done_, std::back_inserter(stuck_));
  done_.clear();
  for (const Step& step : stuck_) {
    if (!step.has_kept || step.is_strange) continue;
    ::unlinkat(step.place.folder.get(), step.temporary.c_str(), 0);
    (void)::fsync(step.place.folder.get());  // a name that comes back is no harm
  }
  std::erase_if(stuck_, [](const Step& step) { return !step.is_strange; });
}

}  // namespace toolgate
