// A tree of folders made from the paths of the files in it, and written so that it stays short:
// level by level as long as there is room, then as counts. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate {

struct TreeLimits {
  std::size_t entries = 600;       // names that are written
  std::size_t of_one_folder = 60;  // of them in one folder
};

class FolderTree {
 public:
  // `path` is relative, with '/' between its parts; it is kept as it is given.
  void add(std::string_view path);
  std::size_t files() const { return files_; }
  // Folders first, each in order of names, two spaces deeper per level. "… 12 more" stands for what
  // has no room. Files and folders that `is_shown` denies are left out; it is asked about what
  // would be written only.
  using IsShown = std::function<bool(const std::string& path)>;
  std::string describe(const TreeLimits& limits = {}, const IsShown& is_shown = {}) const;

 private:
  struct Folder {
    std::map<std::string, Folder, std::less<>> folders;
    std::vector<std::string> names;  // of files
  };
  // How much of a folder is written; one without a share is only named.
  struct Share {
    std::size_t folders = 0;
    std::size_t names = 0;
  };
  using Shares = std::map<const Folder*, Share>;
  struct Writing {
    Shares shares;
    const IsShown& is_shown;
    std::string out;
  };

  Folder& find(std::string_view path);
  static std::size_t count_files(const Folder& folder);
  Shares share_out(const TreeLimits& limits) const;
  // `path` is empty or ends with '/'.
  static void write(const Folder& folder, const std::string& path, std::size_t depth,
                    Writing& writing);

  Folder root_;
  std::size_t files_ = 0;
  std::string last_path_;
  Folder* last_ = nullptr;
};

}  // namespace toolgate
