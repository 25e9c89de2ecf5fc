// What a call would do to files, seen from its arguments: a diff for those that replace text in a
// file or write one. call_view.h shows it in place of the arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"

namespace toolgate {

struct EditPreview {
  std::string file;    // as the arguments name it; may be empty
  std::string before;  // the whole file where it could be read, else the replaced text
  std::string after;
  std::string note;  // what should be known of it, if anything
};

struct EditPreviews {
  std::vector<EditPreview> edits;
  std::vector<std::string_view> shown;  // names of arguments that the diffs show
};

// Of filePath with oldString and newString or with content, also by other usual names, and of lists
// of them called `replacements` or `edits`. Files are looked up from `workspace`; only plain files
// of moderate size are read.
EditPreviews preview_edits(const JsonNode& arguments, const std::string& workspace);

}  // namespace toolgate
