#include "gateway/gateway_file.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/utf8.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostBytes = 32 << 10;  // a path may be long

std::unexpected<Error> failure(const std::filesystem::path& file, std::string_view what) {
  return fail_at(file.string(), Errc::Io, "cannot {} {}: {}", what, file.string(),
                 std::strerror(errno));
}

// When a process began, in the system's own ticks: tells it from a later one of the same number. 0
// where the system does not say.
std::int64_t start_of(long pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  // The name in brackets may hold anything; after it stand fields 3 to 22.
  std::size_t at = line.rfind(')');
  for (int field = 2; field < 22 && at != line.npos; ++field) at = line.find(' ', at + 1);
  std::int64_t ticks = 0;
  if (at != line.npos) std::from_chars(line.data() + at + 1, line.data() + line.size(), ticks);
  return ticks;
}

bool lives(long pid, std::int64_t started) {
  if (pid <= 0 || (kill(static_cast<pid_t>(pid), 0) != 0 && errno != EPERM)) return false;
  return started == 0 || start_of(pid) == started;
}

// Empty: there is no file.
Result<std::string> read_private_file(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0 && errno == ENOENT) return std::string();
  if (descriptor < 0) return failure(file, "open");
  struct stat facts{};
  std::string text(kMostBytes, '\0');
  const bool known = fstat(descriptor, &facts) == 0;
  const ssize_t size = known ? read(descriptor, text.data(), text.size()) : -1;
  const int reason = errno;
  close(descriptor);
  errno = reason;
  if (size < 0) return failure(file, "read");
  if (!S_ISREG(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & 022) != 0)
    return fail_at(file.string(), Errc::Io,
                   "{} could have been written by others, so the gateway it names is not trusted",
                   file.string());
  text.resize(static_cast<std::size_t>(size));
  return text;
}

struct Content {
  RunningGateway gateway;
  std::int64_t started = 0;
};

std::optional<Content> parse(std::string_view text) {
  const auto value = parse_json(text);
  if (!value) return std::nullopt;
  const json::value* address = find(*value, "address");
  const json::value* pid = find(*value, "pid");
  const json::value* started = find(*value, "started");
  if (!address || !address->is_string() || !pid || !pid->is_int64()) return std::nullopt;
  const json::value* workspace = find(*value, "workspace");
  return Content{
      {.address = std::string(address->get_string()),
       .pid = pid->get_int64(),
       .workspace = workspace && workspace->is_string() ? std::string(workspace->get_string())
                                                        : std::string()},
      started && started->is_int64() ? started->get_int64() : 0};
}

}  // namespace

std::string local_address(std::string_view host, std::uint16_t port) {
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  const bool v6 = host.contains(':');
  return fmt::format("http://{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

Result<GatewayFile> GatewayFile::write(const std::filesystem::path& data_folder,
                                       std::string_view address, std::string_view workspace) {
  const std::filesystem::path file = data_folder / "gateway.json";
  const std::filesystem::path draft = fmt::format("{}.{}", file.string(), getpid());
  unlink(draft.c_str());
  const int descriptor =
      open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return failure(draft, "create");
  json::object content{{"address", address}, {"pid", getpid()}, {"started", start_of(getpid())}};
  if (is_valid_utf8(workspace) && !workspace.empty()) content["workspace"] = workspace;
  const std::string text = write_json(json::value(content)) + "\n";
  const bool written =
      ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool closed = close(descriptor) == 0;
  if (written && closed && rename(draft.c_str(), file.c_str()) == 0) return GatewayFile(file);
  auto failed = failure(file, "write");
  unlink(draft.c_str());
  return failed;
}

GatewayFile::~GatewayFile() {
  if (file_.empty()) return;
  const auto text = read_private_file(file_);
  const auto content = text ? parse(*text) : std::nullopt;
  if (content && content->gateway.pid == getpid()) unlink(file_.c_str());
}

Result<std::optional<RunningGateway>> find_running_gateway(
    const std::filesystem::path& data_folder) {
  if (data_folder.empty()) return std::nullopt;
  const auto text = read_private_file(data_folder / "gateway.json");
  if (!text) return std::unexpected(text.error());
  const auto content = parse(*text);
  if (!content || !lives(content->gateway.pid, content->started)) return std::nullopt;
  return content->gateway;
}

}  // namespace toolgate
