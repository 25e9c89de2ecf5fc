// The files that tools may touch: what lies below the workspace's folder and the extra roots, but
// for what is hidden from them. A path becomes a descriptor first and is judged by where that
// really is, so that a link that is swapped meanwhile leads nowhere else. The tools in builtin/ go
// through it and never open a path by themselves.
#pragma once

#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"

namespace toolgate {

// Something that is there, opened.
struct OpenedFile {
  Descriptor descriptor;
  std::string path;  // where it really is
  struct stat facts = {};
};

// Where something is or may be put: a folder that is there, and a name in it, which is no link.
struct FilePlace {
  Descriptor folder;
  std::string name;
  std::string path;  // where that really is, whether it is there or not
};

// Immutable; any thread may use it. What it opens blocks as files do: call it through offload().
class Workspace {
 public:
  // All absolute. The first root is the workspace: relative paths begin there. `hidden` are folders
  // and files that no tool sees, such as ours with the operator's token.
  explicit Workspace(std::vector<std::string> roots, std::vector<std::string> hidden = {});

  const std::vector<std::string>& roots() const { return roots_; }
  const std::string& folder() const { return roots_.front(); }
  // The same without links, as it was when this was made.
  const std::string& real_folder() const { return places_.front(); }
  const std::vector<std::string>& real_roots() const { return places_; }
  const std::vector<std::string>& hidden() const { return hidden_; }

  // What a model wrote as a path, made absolute and without "." and "..": an absolute path, one
  // relative to the workspace, or a file: URI. Nothing is looked up but names with marks, as
  // answers show those that cannot be shown: see docs/builtin.md.
  Result<std::string> resolve(std::string_view given) const;
  // As people and models read it: relative to its root if it is below one ("." for the workspace
  // itself).
  std::string shown(std::string_view absolute) const;
  // What a model wrote as a path, as answers show it: on one line, with marks.
  std::string name_of(std::string_view given) const;

  // Whether a place, already free of links, is one that tools may see. The error names `given`.
  Result<void> check(std::string_view real_path, std::string_view given) const;

  // What is there, after links, wherever below the roots they lead. `flags` are open()'s: O_RDONLY,
  // O_PATH, O_DIRECTORY … Never creates, and never waits for the other end of a pipe.
  Result<OpenedFile> open(std::string_view given, int flags = O_RDONLY) const;
  // The same for a file with content: folders, pipes, sockets and devices are refused.
  Result<OpenedFile> open_file(std::string_view given) const;
  Result<OpenedFile> open_folder(std::string_view given) const;

  // Where to create, replace or remove `given`. Its folder must be there. A link that is the last
  // part of the path is followed, so that a name in the folder is what is changed.
  Result<FilePlace> find_place(std::string_view given) const;

 private:
  Result<OpenedFile> open_absolute(const std::string& path, std::string_view given,
                                   int flags) const;
  std::unexpected<Error> failure_to_open(int error_number, const std::string& path,
                                         std::string_view given) const;
  bool is_hidden(std::string_view real_path) const;

  std::vector<std::string> roots_;   // as given, for what people read
  std::vector<std::string> places_;  // of the roots, free of links
  std::vector<std::string> hidden_;  // free of links
};

// Text with marks for characters that cannot be shown, ⟨U+202E⟩ or ⟨0xFF⟩, with those characters.
std::string read_marks(std::string_view text);

// What went wrong with a file, in words: "there is no file a/b.txt".
std::unexpected<Error> file_failure(int error_number, std::string_view doing,
                                    std::string_view shown_path);

}  // namespace toolgate
