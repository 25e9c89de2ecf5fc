#include "builtin/replace_string_in_file.h"

#include "builtin/draft_changes.h"
#include "builtin/edit_tool.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "filePath": {"type": "string", "description": "The file: absolute, or relative to the workspace."},
    "oldString": {"type": "string", "description": "The text to replace, exactly as it stands in the file, once."},
    "newString": {"type": "string", "description": "The text that takes its place."}
  },
  "required": ["filePath", "oldString", "newString"]
})";

class ReplaceString final : public EditTool {
 public:
  explicit ReplaceString(Workbench& workbench) : EditTool("replace_string_in_file", workbench) {}

 protected:
  Result<void> draft(const ToolInput& input, EditDraft& draft) const override {
    return replace_in_draft(draft, input.text("filePath"), input.text("oldString"),
                            input.text("newString"));
  }
};

}  // namespace

ToolData replace_string_in_file_data() {
  return {.id = "replace_string_in_file",
          .reference_name = "replaceString",
          .display_name = "Replace String in File",
          .user_description = "Replace a piece of text in a file",
          .model_description =
              "Replaces one piece of text in a file. oldString must stand in the file exactly "
              "once, with the "
              "same blanks and indentation: give a few lines around the change. Read the file "
              "first. For "
              "several changes use multi_replace_string_in_file.",
          .input_schema = std::string(kSchema)};
}

std::shared_ptr<Tool> make_replace_string_in_file(const BuiltinSurroundings& around) {
  return std::make_shared<ReplaceString>(around.workbench);
}

}  // namespace toolgate
