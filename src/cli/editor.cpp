#include "cli/editor.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/input.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has it in no header

namespace toolgate {
namespace {

std::unexpected<Error> failure(std::string_view what) {
  return fail(Errc::Io, "cannot {}: {}", what, std::strerror(errno));
}

class TemporaryFile {
 public:
  static Result<TemporaryFile> make(const std::string& text, const std::string& suffix) {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    if (error)
      return fail(Errc::Io, "there is no folder for a temporary file: {}", error.message());
    std::string path = (folder / "toolgate-XXXXXX").string() + suffix;
    const int descriptor = mkstemps(path.data(), static_cast<int>(suffix.size()));
    if (descriptor < 0) return failure("make a temporary file");
    TemporaryFile file(std::move(path));
    const bool written =
        ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (const bool closed = close(descriptor) == 0; !written || !closed)
      return failure("write a temporary file");
    return file;
  }
  ~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  TemporaryFile(TemporaryFile&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFile& operator=(TemporaryFile&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

std::string editor_command() {
  for (const char* name : {"VISUAL", "EDITOR"})
    if (auto value = read_environment(name); value && !value->empty()) return *value;
  return "vi";
}

// Through the shell, as everyone does: the variable may hold options.
Result<void> run_editor(const std::string& command, const std::string& file) {
  std::string script = command + " \"$1\"";
  std::string name = "sh";
  std::string flag = "-c";
  std::string path = file;
  char* arguments[] = {name.data(), flag.data(), script.data(), name.data(), path.data(), nullptr};
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, "sh", nullptr, nullptr, arguments, environ);
      error != 0)
    return fail(Errc::Io, "cannot start {}: {}", command, std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return failure("wait for the editor");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return fail(Errc::Io, "{} ended with a failure, so nothing is changed", command);
}

}  // namespace

Result<std::string> edit_text(const std::string& text, const std::string& suffix) {
  const auto file = TemporaryFile::make(text, suffix);
  if (!file) return std::unexpected(file.error());
  if (auto run = run_editor(editor_command(), file->path()); !run)
    return std::unexpected(run.error());
  return read_input(file->path());
}

}  // namespace toolgate
