#include "builtin/workspace.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unistd.h>

#include <climits>

#include "base/percent.h"
#include "builtin/below.h"
#include "invoke/code_points.h"
#include "invoke/real_path.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostPathBytes = PATH_MAX;
constexpr int kMostLinks = 40;   // as the kernel has it
constexpr int kMostTries = 100;  // with a file that others replace at that moment

std::string normal(const std::filesystem::path& path) {
  std::string text = path.lexically_normal().string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::vector<std::string> real_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> result;
  for (const std::string& path : paths) result.push_back(find_real_path(path).path);
  return result;
}

// The kernel says so of what has been removed, but a name may end like that, too.
bool is_removed(const std::string& place, const struct stat& facts) {
  struct stat there = {};
  return place.ends_with(" (deleted)") &&
         (::lstat(place.c_str(), &there) != 0 || there.st_dev != facts.st_dev ||
          there.st_ino != facts.st_ino);
}

// Where a descriptor is, as the kernel knows it; nothing when it has been removed.
std::optional<std::string> place_of(int descriptor, const struct stat& facts) {
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t size = ::readlink(link.c_str(), path, sizeof path);
  if (size <= 0 || size == sizeof path || path[0] != '/') return std::nullopt;
  std::string place(path, static_cast<std::size_t>(size));
  if (is_removed(place, facts)) return std::nullopt;
  return place;
}

// The target of `name` if it is a link.
std::optional<std::string> link_target(int folder, const std::string& name) {
  char target[PATH_MAX];
  const ssize_t size = ::readlinkat(folder, name.c_str(), target, sizeof target);
  if (size <= 0 || size == sizeof target) return std::nullopt;
  return std::string(target, static_cast<std::size_t>(size));
}

// What visible_text() wrote for one character, at the beginning of the text; empty: nothing.
std::string read_mark(std::string_view text, std::size_t& size) {
  constexpr std::string_view kCharacter = "⟨U+";
  constexpr std::string_view kByte = "⟨0x";
  constexpr std::string_view kEnd = "⟩";
  const bool is_character = text.starts_with(kCharacter);
  const std::size_t end = text.find(kEnd);
  if ((!is_character && !text.starts_with(kByte)) || end == text.npos) return {};
  const std::string_view digits = text.substr(kByte.size(), end - kByte.size());
  std::uint32_t code = 0;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  // Dots, slashes and the like are never shown so: a path cannot lead elsewhere by them.
  const bool is_plain = code >= 0x20 && code < (is_character ? 0x7FU : 0x80U);
  if (error != std::errc() || stop != digits.data() + digits.size() || code == 0 || is_plain ||
      code > (is_character ? 0x10FFFFU : 0xFFU))
    return {};
  size = end + kEnd.size();
  std::string result;
  if (is_character)
    append_utf8(result, code);
  else
    result = static_cast<char>(code);
  return result;
}

// Names that cannot be shown as they are stand in answers with marks: new⟨U+000A⟩line.txt. Written
// like that they mean what was shown, unless there is one of just this name.
std::string without_marks(std::string path) {
  struct stat facts = {};
  if (!path.contains("⟨") || ::lstat(path.c_str(), &facts) == 0) return path;
  std::string plain = read_marks(path);
  return ::lstat(plain.c_str(), &facts) == 0 ? plain : path;
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

std::string read_marks(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = 1;
    const std::string meant = read_mark(text.substr(at), size);
    plain += meant.empty() ? std::string(1, text[at]) : meant;
    at += size;
  }
  return plain;
}

std::unexpected<Error> file_failure(int error_number, std::string_view doing,
                                    std::string_view shown_path) {
  switch (error_number) {
    case ENOENT:
      return fail(Errc::NotFound, "there is no {}", shown_path);
    case ENOTDIR:
      return fail(Errc::NotFound, "a part of {} is not a folder", shown_path);
    case EEXIST:
      return fail(Errc::AlreadyExists, "{} is there already", shown_path);
    case ELOOP:
      return fail(Errc::InvalidRequest, "the links in {} lead in a circle", shown_path);
    case ENAMETOOLONG:
      return fail(Errc::InvalidRequest, "the path is too long: {}", shown_path);
    default:
      return fail(Errc::Io, "cannot {} {}: {}", doing, shown_path,
                  std::generic_category().message(error_number));
  }
}

Workspace::Workspace(std::vector<std::string> roots, std::vector<std::string> hidden)
    : roots_(std::move(roots)), hidden_(real_paths(hidden)) {
  for (std::string& root : roots_) root = normal(root);
  places_ = real_paths(roots_);
}

Result<std::string> Workspace::resolve(std::string_view given) const {
  constexpr std::string_view kFile = "file://";
  std::string text(given);
  if (given.starts_with(kFile)) {
    text = decode_percent(given.substr(kFile.size()));
    if (!text.starts_with('/'))
      return fail(Errc::InvalidRequest, "the URI names another machine: {}",
                  visible_text(given, false));
  }
  if (text.empty()) return fail(Errc::InvalidRequest, "the path is empty");
  if (text.contains('\0')) return fail(Errc::InvalidRequest, "the path has a NUL character");
  if (text.size() >= kMostPathBytes)
    return fail(Errc::InvalidRequest, "the path is too long: {} bytes, where {} are the most",
                text.size(), kMostPathBytes - 1);
  std::string path = normal(std::filesystem::path(folder()) / text);  // absolute ones replace it
  return is_below_any(path, roots_) ? without_marks(std::move(path)) : path;
}

std::string Workspace::shown(std::string_view absolute) const {
  for (const auto* list : {&roots_, &places_})
    if (is_below(absolute, list->front())) {
      if (absolute == list->front()) return ".";
      return std::string(absolute.substr(list->front() == "/" ? 1 : list->front().size() + 1));
    }
  return std::string(absolute);
}

std::string Workspace::name_of(std::string_view given) const {
  const auto path = resolve(given);
  return visible_text(path ? shown(*path) : std::string(given), false);
}

bool Workspace::is_hidden(std::string_view real_path) const {
  return is_below_any(real_path, hidden_);
}

Result<void> Workspace::check(std::string_view real_path, std::string_view given) const {
  if (is_hidden(real_path))
    return fail(Errc::Forbidden, "{} belongs to the gateway itself: no tool may touch it", given);
  if (is_below_any(real_path, places_)) return {};
  return fail(Errc::Forbidden,
              "{} is outside the workspace {}; toolgate.workspace.extraFolders lets tools into "
              "other folders",
              given, visible_text(folder(), false));
}

// Whether there is something outside is nobody's business, also where a link leads there.
std::unexpected<Error> Workspace::failure_to_open(int error_number, const std::string& path,
                                                  std::string_view given) const {
  if (!is_below_any(path, roots_))
    if (auto checked = check(path, given); !checked) return std::unexpected(checked.error());
  if (error_number == ENOENT && is_below(path, folder()) && ::access(folder().c_str(), F_OK) != 0)
    return fail(Errc::NotFound, "the workspace's folder {} is gone", visible_text(folder(), false));
  if (const RealPath real = find_real_path(path); real.error == 0)
    if (auto checked = check(real.path, given); !checked) return std::unexpected(checked.error());
  return file_failure(error_number, "open", given);
}

// O_NONBLOCK: a pipe is looked at, not waited for. O_NOCTTY: no terminal becomes ours.
Result<OpenedFile> Workspace::open_absolute(const std::string& path, std::string_view given,
                                            int flags) const {
  OpenedFile opened;
  std::optional<std::string> place;
  for (int tries = 0; !place && tries < kMostTries; ++tries) {
    opened.descriptor = Descriptor(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!opened.descriptor) return failure_to_open(errno, path, given);
    if (::fstat(opened.descriptor.get(), &opened.facts) != 0)
      return file_failure(errno, "look at", given);
    place = place_of(opened.descriptor.get(), opened.facts);
  }
  if (!place) return fail(Errc::NotFound, "there is no {}", given);
  opened.path = std::move(*place);
  if (auto checked = check(opened.path, given); !checked) return std::unexpected(checked.error());
  if (flags & O_PATH) return opened;
  if (!S_ISDIR(opened.facts.st_mode) && !S_ISREG(opened.facts.st_mode))
    return fail(Errc::InvalidRequest, "{} is {}, not a file", given, kind_of(opened.facts.st_mode));
  const std::string same = "/proc/self/fd/" + std::to_string(opened.descriptor.get());
  Descriptor usable(::open(same.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!usable) return file_failure(errno, "open", given);
  opened.descriptor = std::move(usable);
  return opened;
}

Result<OpenedFile> Workspace::open(std::string_view given, int flags) const {
  auto path = resolve(given);
  if (!path) return std::unexpected(path.error());
  return open_absolute(*path, visible_text(shown(*path), false), flags);
}

Result<OpenedFile> Workspace::open_file(std::string_view given) const {
  auto opened = open(given);
  if (opened && S_ISDIR(opened->facts.st_mode))
    return fail(Errc::InvalidRequest, "{} is a folder, not a file",
                visible_text(shown(opened->path), false));
  return opened;
}

Result<OpenedFile> Workspace::open_folder(std::string_view given) const {
  auto path = resolve(given);
  if (!path) return std::unexpected(path.error());
  const std::string words = visible_text(shown(*path), false);
  auto opened = open_absolute(*path, words, O_PATH);
  if (!opened) return opened;
  if (!S_ISDIR(opened->facts.st_mode))
    return fail(Errc::InvalidRequest, "{} is a file, not a folder", words);
  return open_absolute(*path, words, O_RDONLY | O_DIRECTORY);
}

Result<FilePlace> Workspace::find_place(std::string_view given) const {
  auto resolved = resolve(given);
  if (!resolved) return std::unexpected(resolved.error());
  const std::string words = visible_text(shown(*resolved), false);
  std::filesystem::path path = *resolved;
  for (int links = 0; links <= kMostLinks; ++links) {
    const std::string name = path.filename().string();
    if (name.empty() || name == "." || name == "..")
      return fail(Errc::InvalidRequest, "{} names no file", words);
    auto parent = open_absolute(path.parent_path().string(), words, O_RDONLY | O_DIRECTORY);
    if (!parent) return std::unexpected(parent.error());
    const auto target = link_target(parent->descriptor.get(), name);
    if (!target) {
      std::string real = parent->path == "/" ? "/" + name : parent->path + "/" + name;
      if (auto checked = check(real, words); !checked) return std::unexpected(checked.error());
      return FilePlace{std::move(parent->descriptor), name, std::move(real)};
    }
    path = std::filesystem::path(parent->path) / *target;
    while (path.has_parent_path() && !path.has_filename()) path = path.parent_path();
  }
  return file_failure(ELOOP, "open", words);
}

}  // namespace toolgate
