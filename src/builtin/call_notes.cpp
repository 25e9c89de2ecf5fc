#include "builtin/call_notes.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <utility>
#include <vector>

#include "base/log.h"
#include "builtin/file_bytes.h"
#include "invoke/canonical.h"
#include "store/private_files.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kKept{24 * 30};
constexpr std::size_t kMostKept = 10'000;
constexpr unsigned kNotesBetweenLooks = 1'000;

}  // namespace

CallNotes::CallNotes(fs::path folder) : folder_(std::move(folder)) {
  if (are_kept()) remove_old_ones();
}

// The same when the question is asked and when the call is made.
fs::path CallNotes::file_of(std::string_view tool, const ToolCall& call) const {
  return folder_ /
         sha256_hex(with_lengths({tool, call.caller, call.session_id, call.request_id, call.id}));
}

Result<void> CallNotes::write(std::string_view tool, const ToolCall& call, std::string_view note) {
  if (!are_kept() || call.id.empty()) return {};
  if (++written_ % kNotesBetweenLooks == 0) remove_old_ones();
  if (auto made = make_private_folder(folder_); !made) return made;
  const fs::path path = file_of(tool, call);
  errno = 0;
  // Not synced: after a loss of power the call is refused and made again.
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << note << std::flush;
  if (file) return {};
  const int number = errno == 0 ? EIO : errno;
  remove(tool, call);
  const std::string why = std::generic_category().message(number);
  log(LogLevel::Error, "cannot write {}: {}", path.string(), why);
  return fail(Errc::Io, "what this call would do cannot be noted: {}; it is not made", why);
}

Result<std::string> CallNotes::read(std::string_view tool, const ToolCall& call) const {
  return read_whole_file(file_of(tool, call));
}

void CallNotes::remove(std::string_view tool, const ToolCall& call) {
  std::error_code ignored;
  if (are_kept()) fs::remove(file_of(tool, call), ignored);
}

void CallNotes::remove_old_ones() const {
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - kKept;
  std::vector<std::pair<fs::file_time_type, fs::path>> notes;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::error_code ignored;
    notes.emplace_back(entry.last_write_time(ignored), entry.path());
  }
  std::ranges::sort(notes);
  for (std::size_t i = 0; i < notes.size(); ++i)
    if (notes[i].first < oldest || notes.size() - i > kMostKept) fs::remove(notes[i].second, error);
}

}  // namespace toolgate
