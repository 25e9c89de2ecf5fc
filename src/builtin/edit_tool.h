// What the tools that edit files have in common: they work out an edit, show it in the question,
// and make it only when it is still the one that was shown.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "builtin/edit_draft.h"
#include "builtin/tool_input.h"
#include "builtin/workbench.h"
#include "toolgate/tool.h"

namespace toolgate {

class EditTool : public Tool {
 public:
  EditTool(std::string_view id, Workbench& workbench) : id_(id), workbench_(workbench) {}

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call,
                                                    const Cancel& cancel) override;
  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override;

 protected:
  // Makes the changes that a call asks for in the draft. Beside the loop; may read files.
  using Drafting = std::function<Result<void>(EditDraft& draft)>;
  // For tools that must ask someone first; the others need only draft().
  virtual Task<Result<Drafting>> work_out(const ToolCall& call, const Cancel& cancel);
  virtual Result<void> draft(const ToolInput& input, EditDraft& draft) const;

 private:
  const std::string id_;
  Workbench& workbench_;
};

}  // namespace toolgate
