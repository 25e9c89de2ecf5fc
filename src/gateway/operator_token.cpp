#include "gateway/operator_token.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ids.h"

namespace toolgate {
namespace {

constexpr std::size_t kShortestToken = 32;

std::unexpected<Error> file_failure(const std::filesystem::path& file, const char* what) {
  return fail_at(file.string(), Errc::Io, "cannot {} {}: {}", what, file.string(),
                 std::strerror(errno));
}

Result<std::string> read_token(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return file_failure(file, "open");
  struct stat facts{};
  std::array<char, 512> text{};
  const bool known = fstat(descriptor, &facts) == 0;
  const ssize_t size = read(descriptor, text.data(), text.size());
  close(descriptor);
  if (!known || size < 0) return file_failure(file, "read");
  if ((facts.st_mode & 077) != 0)
    return fail_at(file.string(), Errc::Io,
                   "{} can be read by others; run 'chmod 600' on it, or delete it to get a new one",
                   file.string());
  std::string token(text.data(), static_cast<std::size_t>(size));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (token.size() < kShortestToken)
    return fail_at(file.string(), Errc::Io, "{} holds no token; delete it to get a new one",
                   file.string());
  return token;
}

Result<std::string> make_token(const std::filesystem::path& file) {
  // Written aside and linked into place, so that nobody ever reads half a token.
  const std::filesystem::path draft = file.string() + "." + make_id("new-");
  const int descriptor = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return file_failure(draft, "create");
  const std::string text = make_secret() + "\n";
  const bool written =
      write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      fsync(descriptor) == 0;
  close(descriptor);
  const bool linked = written && (link(draft.c_str(), file.c_str()) == 0 || errno == EEXIST);
  const int reason = errno;
  unlink(draft.c_str());
  errno = reason;
  if (!linked) return file_failure(file, "write");
  return read_token(file);
}

}  // namespace

Result<std::string> open_operator_token(const std::filesystem::path& data_folder) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(data_folder, error);
  if (error)
    return fail_at(data_folder.string(), Errc::Io, "cannot make the data folder {}: {}",
                   data_folder.string(), error.message());
  if (made) chmod(data_folder.c_str(), 0700);
  const std::filesystem::path file = data_folder / "operator-token";
  if (std::filesystem::exists(file, error)) return read_token(file);
  return make_token(file);
}

}  // namespace toolgate
