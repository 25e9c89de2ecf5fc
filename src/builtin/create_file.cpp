#include "builtin/create_file.h"

#include "builtin/edit_tool.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "filePath": {"type": "string", "description": "The new file: absolute, or relative to the workspace."},
    "content": {"type": "string", "description": "All that it holds."}
  },
  "required": ["filePath", "content"]
})";

class CreateFile final : public EditTool {
 public:
  explicit CreateFile(Workbench& workbench) : EditTool("create_file", workbench) {}

 protected:
  Result<void> draft(const ToolInput& input, EditDraft& draft) const override {
    return draft.create(input.text("filePath"), input.text("content"));
  }
};

}  // namespace

ToolData create_file_data() {
  return {.id = "create_file",
          .reference_name = "createFile",
          .legacy_full_names = {"createFile"},
          .display_name = "Create File",
          .user_description = "Create a file",
          .model_description =
              "Creates a new file with this content, and the folders that it needs. A file that is "
              "there is "
              "not replaced: use the other edit tools for it.",
          .input_schema = std::string(kSchema)};
}

std::shared_ptr<Tool> make_create_file(const BuiltinSurroundings& around) {
  return std::make_shared<CreateFile>(around.workbench);
}

}  // namespace toolgate
