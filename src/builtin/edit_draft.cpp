#include "builtin/edit_draft.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "builtin/edit_application.h"
#include "builtin/text_form.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using Kind = FileState::Kind;

constexpr std::size_t kMostChanges = 1'000;
constexpr std::uint64_t kMostBytes = std::uint64_t{100} << 20;

// umask() can only be asked by setting it, for all threads.
mode_t process_umask() {
  static const mode_t mask = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("Umask:"))
        return static_cast<mode_t>(std::strtoul(line.c_str() + 6, nullptr, 8));
    return mode_t{022};
  }();
  return mask;
}

std::string words(const FileChange& change) {
  return visible_text(change.shown, false);
}

}  // namespace

Result<EditDraft::Spot> EditDraft::find_spot(std::string_view given) const {
  auto place = workspace_.find_place(given);
  if (place) {
    std::string path = place->path;
    return Spot{std::move(*place), std::move(path)};
  }
  if (place.error().code != Errc::NotFound) return std::unexpected(place.error());
  const auto resolved = workspace_.resolve(given);
  if (!resolved) return std::unexpected(resolved.error());
  std::vector<std::string> missing;  // names, the last first
  std::filesystem::path above = *resolved;
  while (above.has_relative_path()) {
    missing.push_back(above.filename().string());
    above = above.parent_path();
    auto folder = workspace_.open(above.string(), O_PATH);
    if (!folder && folder.error().code == Errc::NotFound &&
        std::ranges::find(workspace_.roots(), above.string()) == workspace_.roots().end())
      continue;
    if (!folder) return std::unexpected(folder.error());
    folder = workspace_.open_folder(above.string());
    if (!folder) return std::unexpected(folder.error());
    struct stat facts = {};
    if (::fstatat(folder->descriptor.get(), missing.back().c_str(), &facts, AT_SYMLINK_NOFOLLOW) ==
        0)
      return fail(Errc::InvalidRequest, "{}: {} is a link that leads nowhere", name_of(given),
                  visible_text(missing.back(), false));
    Spot spot{{std::move(folder->descriptor), missing.back(), {}}, folder->path};
    while (!missing.empty()) {
      spot.path += (spot.path == "/" ? "" : "/") + missing.back();
      if (missing.size() > 1) spot.missing_folders.push_back(spot.path);
      missing.pop_back();
    }
    if (auto checked = workspace_.check(spot.path, name_of(given)); !checked)
      return std::unexpected(checked.error());
    return spot;
  }
  return std::unexpected(place.error());
}

FileState EditDraft::new_state(Kind kind, const FilePlace& place) const {
  struct stat folder = {};
  const bool known = ::fstat(place.folder.get(), &folder) == 0;
  const mode_t usual = kind == Kind::Folder ? 0777 : 0666;
  return {.kind = kind,
          .mode = usual & ~process_umask(),
          .owner = ::geteuid(),
          .group = known && (folder.st_mode & S_ISGID) ? folder.st_gid : ::getegid()};
}

Result<EditDraft::Entry*> EditDraft::touch(std::string_view given) {
  if (stop_ && *stop_) return fail(Errc::Cancelled, "the call was cancelled");
  auto spot = find_spot(given);
  if (!spot) return std::unexpected(spot.error());
  if (const auto known = entries_.find(spot->path); known != entries_.end()) return &known->second;
  if (entries_.size() == kMostChanges)
    return fail(Errc::InvalidRequest, "an edit touches at most {} files", kMostChanges);
  Entry entry;
  entry.change.path = spot->path;
  entry.change.shown = workspace_.shown(spot->path);
  entry.missing_folders = std::move(spot->missing_folders);
  auto seen = look_at(spot->place.folder.get(), spot->place.name, entry.change.shown);
  if (!seen) return std::unexpected(seen.error());
  entry.changeable = check_changeable(spot->place, seen->state, seen->names, entry.change.shown);
  entry.change.before = entry.change.after = seen->state;
  // What a new file here would be, kept until one is made.
  if (seen->state.kind == Kind::Absent) {
    entry.change.after = new_state(Kind::File, spot->place);
    entry.change.after.kind = Kind::Absent;
  }
  entry.bytes = seen->bytes;
  entry.before = std::move(seen->bytes);
  order_.push_back(entry.change.path);
  return &entries_.emplace(order_.back(), std::move(entry)).first->second;
}

Result<EditDraft::Entry*> EditDraft::find_file(std::string_view given) {
  auto entry = touch(given);
  if (!entry) return entry;
  const FileChange& change = (*entry)->change;
  if (change.after.kind == Kind::Absent)
    return fail(Errc::NotFound, "there is no {}", words(change));
  if (change.after.kind == Kind::Folder)
    return fail(Errc::InvalidRequest, "{} is a folder, not a file", words(change));
  return entry;
}

// Where a new file can be.
Result<EditDraft::Entry*> EditDraft::find_room(std::string_view given) {
  if (given.ends_with('/') || given.ends_with("/."))
    return fail(Errc::InvalidRequest, "{} names a folder, not a file", visible_text(given, false));
  auto entry = touch(given);
  if (!entry) return entry;
  FileChange& change = (*entry)->change;
  if (change.after.kind == Kind::Folder)
    return fail(Errc::AlreadyExists, "{} is a folder", words(change));
  if (change.after.kind == Kind::File && !(*entry)->bytes.empty())
    return fail(Errc::AlreadyExists,
                "{} is there already: change it with replace_string_in_file, or choose another "
                "name",
                words(change));
  if (!(*entry)->changeable) return std::unexpected((*entry)->changeable.error());
  return entry;
}

Result<bool> EditDraft::has(std::string_view given) {
  const auto entry = touch(given);
  if (!entry) return std::unexpected(entry.error());
  return (*entry)->change.after.kind != Kind::Absent;
}

Result<std::string> EditDraft::read(std::string_view given) {
  const auto entry = find_file(given);
  if (!entry) return std::unexpected(entry.error());
  auto plain = read_plain_text((*entry)->bytes, words((*entry)->change));
  if (!plain) return std::unexpected(plain.error());
  return std::move(plain->text);
}

Result<void> EditDraft::write(std::string_view given, std::string_view text) {
  const auto entry = find_file(given);
  if (!entry) return std::unexpected(entry.error());
  if (!(*entry)->changeable) return (*entry)->changeable;
  if (text.contains('\0'))
    return fail(Errc::InvalidRequest, "the text has a NUL character: edits make text files");
  (*entry)->bytes = write_in_form(text, (*entry)->bytes);
  return {};
}

Result<void> EditDraft::create(std::string_view given, std::string_view bytes) {
  if (bytes.contains('\0'))
    return fail(Errc::InvalidRequest, "the text has a NUL character: edits make text files");
  const auto entry = find_room(given);
  if (!entry) return std::unexpected(entry.error());
  (*entry)->bytes = bytes;
  (*entry)->change.after.kind = Kind::File;
  plan_folders(**entry);
  return {};
}

Result<void> EditDraft::make_folder(std::string_view given) {
  const auto entry = touch(given);
  if (!entry) return std::unexpected(entry.error());
  FileChange& change = (*entry)->change;
  if (change.after.kind == Kind::File)
    return fail(Errc::AlreadyExists, "{} is a file", words(change));
  if (change.after.kind == Kind::Folder) return {};
  if (!(*entry)->changeable) return (*entry)->changeable;
  change.after.kind = Kind::Folder;
  change.after.mode = 0777 & ~process_umask();
  plan_folders(**entry);
  return {};
}

void EditDraft::plan_folders(const Entry& entry) {
  for (const std::string& path : entry.missing_folders) {
    if (entries_.contains(path)) {
      entries_[path].change.after.kind = Kind::Folder;
      entries_[path].change.after.mode = 0777 & ~process_umask();
      continue;
    }
    Entry folder;
    folder.change = {.path = path, .shown = workspace_.shown(path), .after = entry.change.after};
    folder.change.after.kind = Kind::Folder;
    folder.change.after.mode = 0777 & ~process_umask();
    entries_.emplace(path, std::move(folder));
    order_.push_back(path);
  }
}

Result<void> EditDraft::remove(std::string_view given) {
  const auto entry = find_file(given);
  if (!entry) return std::unexpected(entry.error());
  if (!(*entry)->changeable) return (*entry)->changeable;
  (*entry)->change.after.kind = Kind::Absent;
  (*entry)->bytes.clear();
  return {};
}

Result<void> EditDraft::move(std::string_view given, std::string_view to) {
  const auto from = find_file(given);
  if (!from) return std::unexpected(from.error());
  if (!(*from)->changeable) return (*from)->changeable;
  const auto room = find_room(to);
  if (!room) return std::unexpected(room.error());
  if ((*room)->change.after.kind != Kind::Absent)
    return fail(Errc::AlreadyExists, "{} is there already", words((*room)->change));
  (*room)->bytes = std::exchange((*from)->bytes, {});
  (*room)->change.after = (*from)->change.after;
  (*from)->change.after.kind = Kind::Absent;
  plan_folders(**room);
  return {};
}

Result<EditPlan> EditDraft::finish() && {
  EditPlan plan;
  std::vector<FileChange> files;
  std::uint64_t total = 0;
  for (const std::string& path : order_) {
    Entry& entry = entries_.at(path);
    FileState& after = entry.change.after;
    if (after.kind == Kind::Absent) after = {};
    if (after.kind == Kind::File) {
      if (entry.bytes.size() > kMostEditedBytes)
        return fail(Errc::InvalidRequest, "{} would have {} bytes: edits make files of up to {}",
                    words(entry.change), entry.bytes.size(), kMostEditedBytes);
      after.size = entry.bytes.size();
      after.sha256 = sha256_hex(entry.bytes);
    }
    if (entry.change.before.is_same(after)) continue;
    total += entry.before.size() + entry.bytes.size();
    if (total > kMostBytes)
      return fail(Errc::InvalidRequest, "an edit changes at most {} bytes in all", kMostBytes);
    if (entry.change.before.kind == Kind::File)
      plan.contents.emplace(entry.change.before.sha256, std::move(entry.before));
    if (after.kind == Kind::File) plan.contents.emplace(after.sha256, std::move(entry.bytes));
    (after.kind == Kind::Folder ? plan.changes : files).push_back(std::move(entry.change));
  }
  // Folders before what is in them.
  std::ranges::sort(plan.changes, {}, &FileChange::path);
  std::ranges::move(files, std::back_inserter(plan.changes));
  if (plan.changes.empty()) return fail(Errc::InvalidRequest, "this edit would change nothing");
  return plan;
}

}  // namespace toolgate
