#include "builtin/edit_journal.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <optional>

#include "base/descriptor.h"
#include "base/log.h"
#include "builtin/file_bytes.h"
#include "invoke/canonical.h"
#include "store/private_files.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEdits = 10'000;
constexpr std::string_view kDone = ".json";
constexpr std::string_view kPending = ".pending";

std::unexpected<Error> failure(std::string_view doing, const fs::path& path, int number = errno) {
  return fail(Errc::Io, "cannot {} {}: {}; nothing was changed", doing, path.string(),
              std::generic_category().message(number));
}

Result<void> sync_folder(const fs::path& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor || ::fsync(descriptor.get()) != 0) return failure("write", folder);
  return {};
}

std::optional<EditRecord> read_record(const fs::path& file) {
  const auto text = read_whole_file(file);
  auto record = text ? parse_edit_record(*text) : std::unexpected(text.error());
  if (record && record->id == file.stem().string()) return std::move(*record);
  log(LogLevel::Warn, "the record of an edit {} is ignored: {}", file.string(),
      record ? "it has another name" : record.error().message);
  return std::nullopt;
}

}  // namespace

Result<void> write_durably(const fs::path& file, std::string_view bytes) {
  fs::path temporary = file;
  temporary += ".tmp";
  const fs::path folder = file.parent_path();
  Descriptor descriptor(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!descriptor) return failure("write", file);
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!bytes.empty() || ::fsync(descriptor.get()) != 0 ||
      ::rename(temporary.c_str(), file.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary.c_str());
    return failure("write", file, number);
  }
  return sync_folder(folder);
}

std::vector<EditRecord> EditJournal::open() {
  std::vector<EditRecord> pending;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension != kDone && extension != kPending) continue;
    auto record = read_record(entry.path());
    if (!record) continue;
    use_blobs(*record);  // those of a pending one too: they must stay
    (extension == kDone ? records_ : pending).push_back(std::move(*record));
  }
  std::ranges::sort(records_, {}, &EditRecord::time);
  remove_unused_blobs();
  return pending;
}

Result<void> EditJournal::make_folders() const {
  return make_private_folder(folder_ / "blobs");
}

Result<void> EditJournal::keep_blob(const FileState& state, const std::string& bytes) const {
  if (state.kind != FileState::Kind::File) return {};
  const fs::path file = folder_ / "blobs" / state.sha256;
  std::error_code error;
  if (fs::file_size(file, error) == bytes.size() && !error && read_blob(state)) return {};
  return write_durably(file, bytes);
}

Result<void> EditJournal::begin(const EditRecord& record, const EditPlan& plan) {
  if (auto made = make_folders(); !made) return made;
  for (const FileChange& change : record.changes)
    if (auto kept = keep_blob(change.before, plan.bytes_of(change.before)); !kept) return kept;
  return write_durably(folder_ / (record.id + std::string(kPending)), write_edit_record(record));
}

Result<void> EditJournal::finish(const EditRecord& record) {
  const fs::path pending = folder_ / (record.id + std::string(kPending));
  const fs::path done = folder_ / (record.id + std::string(kDone));
  if (::rename(pending.c_str(), done.c_str()) != 0) return failure("write", done);
  if (auto synced = sync_folder(folder_); !synced) return synced;
  use_blobs(record);
  records_.push_back(record);
  return {};
}

void EditJournal::give_up(std::string_view id) {
  for (const std::string_view ending : {kPending, kDone}) {
    const fs::path file = folder_ / (std::string(id) + std::string(ending));
    ::unlink(file.c_str());
  }
  remove_unused_blobs();
}

void EditJournal::drop(const EditRecord& pending) {
  release_blobs(pending);
  give_up(pending.id);
}

const EditRecord* EditJournal::find(std::string_view id) const {
  const auto found = std::ranges::find(records_, id, &EditRecord::id);
  return found == records_.end() ? nullptr : &*found;
}

Result<std::string> EditJournal::read_blob(const FileState& state) const {
  auto bytes = read_whole_file(folder_ / "blobs" / state.sha256);
  if (!bytes || sha256_hex(*bytes) != state.sha256)
    return fail(Errc::Io, "the backup {} is {}", state.sha256, bytes ? "damaged" : "gone");
  return std::move(*bytes);
}

void EditJournal::make_room(std::uint64_t most_bytes) {
  std::size_t gone = 0;
  while (gone + 1 < records_.size() &&
         (bytes_ > most_bytes || records_.size() - gone > kMostEdits)) {
    const EditRecord& oldest = records_[gone++];
    ::unlink((folder_ / (oldest.id + std::string(kDone))).c_str());
    release_blobs(oldest);
  }
  records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(gone));
}

void EditJournal::use_blobs(const EditRecord& record) {
  for (const FileChange& change : record.changes) {
    if (change.before.kind != FileState::Kind::File) continue;
    Blob& blob = blobs_[change.before.sha256];
    if (blob.users++ > 0) continue;
    blob.size = change.before.size;
    bytes_ += blob.size;
  }
}

void EditJournal::release_blobs(const EditRecord& record) {
  for (const FileChange& change : record.changes) {
    if (change.before.kind != FileState::Kind::File) continue;
    const auto found = blobs_.find(change.before.sha256);
    if (found == blobs_.end() || --found->second.users > 0) continue;
    ::unlink((folder_ / "blobs" / found->first).c_str());
    bytes_ -= found->second.size;
    blobs_.erase(found);
  }
}

void EditJournal::remove_unused_blobs() const {
  std::error_code error;
  std::vector<fs::path> unused;
  for (const auto& entry : fs::directory_iterator(folder_ / "blobs", error))
    if (!blobs_.contains(entry.path().filename().string())) unused.push_back(entry.path());
  for (const fs::path& file : unused) fs::remove(file, error);
}

}  // namespace toolgate
