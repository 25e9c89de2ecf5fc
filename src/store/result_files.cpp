#include "store/result_files.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>
#include <vector>

#include "base/ascii.h"

namespace toolgate {
namespace {

Error cannot(std::string_view what, const std::filesystem::path& path, int error) {
  return {
      Errc::Io,
      fmt::format("cannot {} {}: {}", what, path.string(), std::generic_category().message(error)),
      {}};
}

Result<void> write_all(int file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::unexpected(cannot("write", path, errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

ResultFiles::ResultFiles(std::filesystem::path folder, std::uintmax_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

Result<std::string> ResultFiles::keep(std::string_view invocation_id, std::size_t part,
                                      std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (!error) std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, error);
  if (error) return std::unexpected(cannot("make", folder_, error.value()));
  make_room();
  const std::string name = fmt::format("{}.{}", invocation_id, part);
  const auto path = folder_ / name;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return std::unexpected(cannot("make", path, errno));
  const auto written = write_all(file, bytes, path);
  ::close(file);
  if (!written) {
    std::filesystem::remove(path, error);
    return std::unexpected(written.error());
  }
  return std::string(kResultScheme) + name;
}

void ResultFiles::forget(std::string_view invocation_id, std::size_t parts) {
  const std::lock_guard lock(mutex_);
  std::error_code ignored;
  for (std::size_t part = 0; part < parts; ++part)
    std::filesystem::remove(folder_ / fmt::format("{}.{}", invocation_id, part), ignored);
}

// A handle comes from outside: it must not lead out of the folder.
Result<std::filesystem::path> ResultFiles::path_of(std::string_view handle) const {
  if (handle.starts_with(kResultScheme)) handle.remove_prefix(kResultScheme.size());
  const bool plain =
      !handle.empty() && handle.size() < 128 && handle.front() != '.' &&
      std::ranges::all_of(
          handle,
          [](char c) { return is_ascii_letter_or_digit(c) || c == '_' || c == '-' || c == '.'; });
  if (!plain || handle.contains("..")) return fail(Errc::NotFound, "there is no result {}", handle);
  return folder_ / handle;
}

Result<ResultFiles::Slice> ResultFiles::read(std::string_view handle, std::uintmax_t offset,
                                             std::size_t limit) const {
  const auto path = path_of(handle);
  if (!path) return std::unexpected(path.error());
  std::error_code error;
  Slice slice{.bytes = {}, .size = std::filesystem::file_size(*path, error)};
  if (error)
    return fail(Errc::NotFound, "there is no result {}, or it was removed to make room", handle);
  if (offset >= slice.size) return slice;
  std::ifstream stream(*path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(offset));
  slice.bytes.resize(
      static_cast<std::size_t>(std::min<std::uintmax_t>(limit, slice.size - offset)));
  stream.read(slice.bytes.data(), static_cast<std::streamsize>(slice.bytes.size()));
  if (!stream) return std::unexpected(cannot("read", *path, EIO));
  return slice;
}

void ResultFiles::make_room() {
  struct Kept {
    std::filesystem::file_time_type time;
    std::filesystem::path path;
    std::uintmax_t size;
  };
  std::vector<Kept> files;
  std::uintmax_t total = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    std::error_code ignored;
    const auto size = entry.file_size(ignored);
    if (ignored) continue;
    total += size;
    files.push_back({entry.last_write_time(ignored), entry.path(), size});
  }
  if (total <= most_bytes_) return;
  std::ranges::sort(files, {}, &Kept::time);
  for (const Kept& file : files) {
    if (total <= most_bytes_ / 2) break;
    std::filesystem::remove(file.path, error);
    total -= file.size;
  }
}

}  // namespace toolgate
