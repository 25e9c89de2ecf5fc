// Notes about calls from the question until they are made, one small file for each, so that they
// survive a restart. shown_edits.h and shown_commands.h say what is noted.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "toolgate/tool.h"

namespace toolgate {

// Any thread may use it; everything blocks as files do. Notes of calls that were denied, or that
// nobody decided about, go after 30 days, and the oldest when there are 10,000.
class CallNotes {
 public:
  // Empty: nothing is kept.
  explicit CallNotes(std::filesystem::path folder);

  bool are_kept() const { return !folder_.empty(); }

  // A call without an id is never made: somebody asks what would be decided about it.
  // What cannot be noted cannot be done.
  Result<void> write(std::string_view tool, const ToolCall& call, std::string_view note);
  Result<std::string> read(std::string_view tool, const ToolCall& call) const;
  void remove(std::string_view tool, const ToolCall& call);

 private:
  std::filesystem::path file_of(std::string_view tool, const ToolCall& call) const;
  void remove_old_ones() const;

  const std::filesystem::path folder_;
  std::atomic<unsigned> written_ = 0;
};

}  // namespace toolgate
