#include "builtin/file_bytes.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "builtin/workspace.h"

namespace toolgate {
namespace {

constexpr std::size_t kLeastBlock = 4'096;

// One more than it should be: the end shows when it is read.
std::size_t expected_bytes(int file, std::uint64_t offset) {
  struct stat facts = {};
  if (::fstat(file, &facts) != 0) return kLeastBlock;
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  return std::max<std::size_t>(kLeastBlock, size > offset ? size - offset + 1 : 0);
}

}  // namespace

Result<std::string> read_bytes(int file, std::uint64_t offset, std::size_t most,
                               std::string_view shown) {
  std::string bytes(std::min(most, expected_bytes(file, offset)), '\0');
  std::size_t size = 0;
  while (size < most) {
    if (size == bytes.size()) bytes.resize(size > most / 2 ? most : 2 * size);
    const ssize_t got =
        ::pread(file, bytes.data() + size, bytes.size() - size, static_cast<off_t>(offset + size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_failure(errno, "read", shown);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

Result<std::string> read_whole_file(int file, std::size_t most, std::string_view shown) {
  auto bytes = read_bytes(file, 0, most + 1, shown);
  if (bytes && bytes->size() > most)
    return fail(Errc::TooLarge, "{} is longer than {} bytes", shown, most);
  return bytes;
}

Result<std::string> read_whole_file(const std::filesystem::path& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) return file_failure(errno, "read", file.string());
  return read_bytes(opened.get(), 0, std::numeric_limits<std::size_t>::max(), file.string());
}

}  // namespace toolgate
