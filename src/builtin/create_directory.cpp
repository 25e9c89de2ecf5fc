#include "builtin/create_directory.h"

#include "builtin/edit_tool.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "dirPath": {"type": "string", "description": "The new folder: absolute, or relative to the workspace."}
  },
  "required": ["dirPath"]
})";

class CreateDirectory final : public EditTool {
 public:
  explicit CreateDirectory(Workbench& workbench) : EditTool("create_directory", workbench) {}

 protected:
  Result<void> draft(const ToolInput& input, EditDraft& draft) const override {
    return draft.make_folder(input.text("dirPath"));
  }
};

}  // namespace

ToolData create_directory_data() {
  return {.id = "create_directory",
          .reference_name = "createDirectory",
          .legacy_full_names = {"createDirectory"},
          .display_name = "Create Directory",
          .user_description = "Create a folder",
          .model_description =
              "Creates a folder, and the missing ones above it. create_file makes its folders by "
              "itself.",
          .input_schema = std::string(kSchema)};
}

std::shared_ptr<Tool> make_create_directory(const BuiltinSurroundings& around) {
  return std::make_shared<CreateDirectory>(around.workbench);
}

}  // namespace toolgate
