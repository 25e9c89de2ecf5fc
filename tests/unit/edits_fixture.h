// For tests of builtin/edits.h: a workspace, a data folder, and edits in short.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "builtin/edit_draft.h"
#include "builtin/edits.h"
#include "temporary_folder.h"

namespace toolgate {

namespace fs = std::filesystem;

inline std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

// Everything below a folder: path, mode, and bytes of files or where links lead.
inline std::map<std::string, std::string> tree_of(const fs::path& folder) {
  std::map<std::string, std::string> tree;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    struct stat facts = {};
    ::lstat(entry.path().c_str(), &facts);
    const std::string content = entry.is_symlink()        ? fs::read_symlink(entry).string()
                                : entry.is_regular_file() ? read(entry.path())
                                                          : "";
    tree[entry.path().lexically_relative(folder).string()] =
        fmt::format("{:o} {}", facts.st_mode, content);
  }
  return tree;
}

// Runs `work` in a process of its own; its answer, or 128 and the signal that ended it.
inline int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

class EditsTest : public testing::Test {
 protected:
  TemporaryFolder root_;
  fs::path data_ = root_.path() / "data";
  fs::path folder_ = root_.path() / "work";
  Edits edits_{data_};
  Workspace workspace_{(fs::create_directories(folder_), std::vector{folder_.string()})};

  void write(const std::string& name, std::string_view text, mode_t mode = 0644) {
    ::chmod(root_.write("work/" + name, text).c_str(), mode);
  }

  Result<EditPlan> plan(const std::function<void(EditDraft&)>& change) {
    EditDraft draft(workspace_);
    change(draft);
    return std::move(draft).finish();
  }

  Result<EditRecord> apply(const std::function<void(EditDraft&)>& change) {
    const auto made = plan(change);
    if (!made) return std::unexpected(made.error());
    return edits_.apply(*made, {.tool = "test", .workspace = folder_.string()});
  }

  Result<EditRecord> put(const std::string& name, const std::string& text) {
    return apply([&](EditDraft& draft) {
      if (*draft.has(name))
        EXPECT_TRUE(draft.write(name, text));
      else
        EXPECT_TRUE(draft.create(name, text));
    });
  }
};

}  // namespace toolgate
