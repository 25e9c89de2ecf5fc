#include "cli/input.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/json_tree.h"
#include "cli/terminal.h"

namespace toolgate {
namespace {

Result<std::string> read_all(std::FILE* file, std::string_view name) {
  std::string text;
  std::string block(std::size_t{64} << 10, '\0');
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file)) {
    text.append(block, 0, count);
    if (text.size() > kMostInputBytes)
      return fail(Errc::TooLarge, "{}: has more than {} bytes", name, kMostInputBytes);
  }
  if (std::ferror(file)) return fail(Errc::Io, "{}: {}", name, std::strerror(errno));
  return text;
}

}  // namespace

std::optional<std::string> read_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

Result<std::string> read_input(const std::string& path) {
  if (path.empty() || path == "-") return read_all(stdin, "standard input");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) return fail(Errc::Io, "{}: {}", path, std::strerror(errno));
  return read_all(file.get(), path);
}

Result<std::string> read_json_argument(const std::string& given, std::string_view option) {
  const bool is_file = given.starts_with('@');
  auto text = is_file        ? read_input(given.substr(1))
              : given == "-" ? read_input(given)
                             : Result<std::string>(given);
  if (!text) return text;
  if (auto parsed = JsonTree().parse(*text); !parsed) {
    std::error_code ignored;
    const bool names_file = !is_file && std::filesystem::is_regular_file(given, ignored);
    return fail(parsed.error().code, "{}: {}{}", is_file ? given.substr(1) : option,
                parsed.error().message,
                names_file ? fmt::format("; '@{}' is what the file has in it", given) : "");
  }
  return text;
}

Result<Settings> read_command_settings(const SettingsFiles& files) {
  SettingsFiles all = files;
  all.profile = profile_folder(read_environment) / "settings.json";
  return load_settings(all, read_environment);
}

int report_failure(const Error& error) {
  fmt::print(stderr, "toolgate: {}\n", visible(error.message));
  return 1;
}

}  // namespace toolgate
