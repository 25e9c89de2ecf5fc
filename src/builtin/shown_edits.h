// What an edit was when people were shown it, or rules judged it, until it is made: it is made only
// as it was shown. edit_tool notes and compares; the workbench has one.
#pragma once

#include <filesystem>
#include <string_view>

#include "builtin/call_notes.h"
#include "builtin/edit_record.h"
#include "toolgate/tool.h"

namespace toolgate {

// Any thread may use it; everything blocks as files do: call it through offload().
class ShownEdits {
 public:
  // Empty `data`: nothing is kept or compared.
  explicit ShownEdits(const std::filesystem::path& data);

  Result<void> note(std::string_view tool, const ToolCall& call, const EditPlan& plan);
  // Conflict when a file is another one since, or the plan is. What a person made of the input is
  // not compared with what was shown.
  Result<void> check_files(std::string_view tool, const ToolCall& call) const;
  Result<void> check_plan(std::string_view tool, const ToolCall& call, const EditPlan& plan) const;
  void forget(std::string_view tool, const ToolCall& call) { notes_.remove(tool, call); }

 private:
  Result<EditRecord> read(std::string_view tool, const ToolCall& call) const;

  CallNotes notes_;
};

}  // namespace toolgate
