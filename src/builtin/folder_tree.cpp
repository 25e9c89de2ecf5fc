#include "builtin/folder_tree.h"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "invoke/visible_text.h"

namespace toolgate {
namespace {

std::string count_of_files(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "file" : "files");
}

}  // namespace

void FolderTree::add(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? "" : path.substr(0, slash);
  if (!last_ || folder != last_path_) {
    last_path_ = folder;
    last_ = &find(folder);
  }
  last_->names.emplace_back(path.substr(slash + 1));  // npos + 1 is 0
  ++files_;
}

FolderTree::Folder& FolderTree::find(std::string_view path) {
  Folder* folder = &root_;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    auto found = folder->folders.find(name);
    if (found == folder->folders.end())
      found = folder->folders.emplace(std::string(name), Folder()).first;
    folder = &found->second;
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
  return *folder;
}

// Breadth first: what is near the root is seen before what is deep.
FolderTree::Shares FolderTree::share_out(const TreeLimits& limits) const {
  Shares shares;
  std::size_t left = limits.entries;
  std::deque<const Folder*> waiting{&root_};
  while (!waiting.empty() && left > 0) {
    const Folder& folder = *waiting.front();
    waiting.pop_front();
    std::size_t room = std::min(left, limits.of_one_folder);
    Share share;
    share.folders = std::min(room, folder.folders.size());
    room -= share.folders;
    share.names = std::min(room, folder.names.size());
    left -= share.folders + share.names;
    std::size_t taken = 0;
    for (const auto& [name, below] : folder.folders)
      if (taken++ < share.folders) waiting.push_back(&below);
    shares.emplace(&folder, share);
  }
  return shares;
}

std::size_t FolderTree::count_files(const Folder& folder) {
  std::size_t count = folder.names.size();
  for (const auto& [name, below] : folder.folders) count += count_files(below);
  return count;
}

void FolderTree::write(const Folder& folder, const std::string& path, std::size_t depth,
                       Writing& writing) {
  std::string& out = writing.out;
  const auto is_shown = [&](std::string_view name) {
    return !writing.is_shown || writing.is_shown(path + std::string(name));
  };
  const Share& share = writing.shares.at(&folder);
  const std::string indent(2 * depth, ' ');
  std::size_t written = 0;
  for (const auto& [name, below] : folder.folders) {
    if (written++ == share.folders) break;
    if (!is_shown(name)) continue;
    const bool is_open = writing.shares.contains(&below);
    out += fmt::format("{}{}/{}\n", indent, visible_text(name, false),
                       is_open ? "" : fmt::format(" … {}", count_of_files(count_files(below))));
    if (is_open) write(below, path + name + '/', depth + 1, writing);
  }
  std::vector<std::string_view> names(folder.names.begin(), folder.names.end());
  std::ranges::partial_sort(names, names.begin() + static_cast<std::ptrdiff_t>(share.names));
  for (const std::string_view name : std::span(names).first(share.names))
    if (is_shown(name)) out += indent + visible_text(name, false) + '\n';
  const std::size_t folders_left = folder.folders.size() - share.folders;
  const std::size_t names_left = names.size() - share.names;
  if (folders_left > 0) out += fmt::format("{}… {} more folders\n", indent, folders_left);
  if (names_left > 0) out += fmt::format("{}… {} more files\n", indent, names_left);
}

std::string FolderTree::describe(const TreeLimits& limits, const IsShown& is_shown) const {
  Writing writing{share_out(limits), is_shown, {}};
  write(root_, "", 0, writing);
  return std::move(writing.out);
}

}  // namespace toolgate
