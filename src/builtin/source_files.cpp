#include "builtin/source_files.h"

#include <algorithm>
#include <array>
#include <deque>
#include <dirent.h>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "base/ascii.h"
#include "builtin/file_bytes.h"
#include "builtin/text_edits.h"

namespace toolgate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

constexpr std::array<std::string_view, 8> kSkipped{
    "node_modules", "__pycache__", "build", "dist", "out", "target", "venv", "vendor"};

bool is_skipped(std::string_view folder) {
  return folder.starts_with('.') || std::ranges::find(kSkipped, folder) != kSkipped.end();
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  return !std::ranges::search(text, part, {}, ascii_lower, ascii_lower).empty() || part.empty();
}

class SourceWalk {
 public:
  SourceWalk(const Workspace& workspace, const SourceSearch& search, const std::atomic<bool>& stop)
      : workspace_(workspace),
        search_(search),
        stop_(stop),
        latest_(Clock::now() + search.most_time) {}

  SourceFiles walk() {
    for (const std::string& root : workspace_.roots()) folders_.push_back(root);
    while (!folders_.empty() && !is_over()) {
      const std::string folder = std::move(folders_.front());
      folders_.pop_front();
      look_into(folder);
    }
    return std::move(result_);
  }

 private:
  bool is_over() {
    const bool over = stop_ || result_.paths.size() >= search_.most_found ||
                      files_ >= search_.most_files || Clock::now() > latest_;
    if (over) result_.is_complete = false;
    return over;
  }

  void look_into(const std::string& folder) {
    auto opened = workspace_.open_folder(folder);
    if (!opened) return;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(opened->descriptor.get()),
                                                     ::closedir);
    if (!stream) return;
    opened->descriptor.release();
    std::vector<std::string> files;
    std::vector<std::string> below;
    while (const dirent* entry = ::readdir(stream.get())) {
      const std::string name = entry->d_name;
      if (entry->d_type == DT_DIR && !is_skipped(name)) below.push_back(opened->path + "/" + name);
      if (entry->d_type == DT_REG && is_wanted(name)) files.push_back(opened->path + "/" + name);
    }
    std::ranges::sort(below);
    std::ranges::move(below, std::back_inserter(folders_));
    std::ranges::sort(files);
    for (const std::string& file : files) {
      if (is_over()) return;
      ++files_;
      look_at(file);
    }
  }

  bool is_wanted(const std::string& name) const {
    return std::ranges::find(search_.extensions,
                             std::filesystem::path(name).extension().string()) !=
           search_.extensions.end();
  }

  void look_at(const std::string& path) {
    const auto file = workspace_.open_file(path);
    if (!file || std::cmp_greater(file->facts.st_size, search_.most_source_bytes)) return;
    const auto text = read_whole_file(file->descriptor.get(), search_.most_file_bytes, path);
    if (text && has_text(*text)) result_.paths.push_back(path);
    if (!text && text.error().code == Errc::TooLarge && is_in_pieces_of(*file))
      result_.too_long.push_back(path);
  }

  // Each piece begins with the end of the one before it, so that nothing falls between them. A
  // longer name that is cut there may look like the one wanted: then a file too many is named.
  bool is_in_pieces_of(const OpenedFile& file) {
    const std::size_t step = kPieceBytes - search_.text.size() - 1;
    for (std::uint64_t at = 0; !is_over(); at += step) {
      const auto piece = read_bytes(file.descriptor.get(), at, kPieceBytes, file.path);
      if (piece && has_text(*piece)) return true;
      if (!piece || piece->size() < kPieceBytes) return false;
    }
    return false;
  }

  bool has_text(std::string_view text) const {
    return search_.whole_word ? !find_word(text, search_.text, 1).empty()
                              : contains_ignoring_case(text, search_.text);
  }

  const Workspace& workspace_;
  const SourceSearch& search_;
  const std::atomic<bool>& stop_;
  const Clock::time_point latest_;
  std::deque<std::string> folders_;
  std::size_t files_ = 0;
  SourceFiles result_;
};

}  // namespace

SourceFiles find_source_files(const Workspace& workspace, const SourceSearch& search,
                              const std::atomic<bool>& stop) {
  return SourceWalk(workspace, search, stop).walk();
}

}  // namespace toolgate
