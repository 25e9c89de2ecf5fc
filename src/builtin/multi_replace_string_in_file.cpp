#include "builtin/multi_replace_string_in_file.h"

#include "builtin/draft_changes.h"
#include "builtin/edit_tool.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "explanation": {"type": "string", "description": "What the edit is for, in a sentence."},
    "replacements": {
      "type": "array",
      "description": "What to replace, one after the other; each sees what those before it did.",
      "minItems": 1,
      "maxItems": 1000,
      "items": {
        "type": "object",
        "properties": {
          "filePath": {"type": "string", "description": "The file: absolute, or relative to the workspace."},
          "oldString": {"type": "string", "description": "The text to replace, exactly as it stands in the file, once."},
          "newString": {"type": "string", "description": "The text that takes its place."}
        },
        "required": ["filePath", "oldString", "newString"]
      }
    }
  },
  "required": ["explanation", "replacements"]
})";

std::string member(const json::value& value, std::string_view name) {
  const json::value* found = find(value, name);
  return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

class MultiReplaceString final : public EditTool {
 public:
  explicit MultiReplaceString(Workbench& workbench)
      : EditTool("multi_replace_string_in_file", workbench) {}

 protected:
  Result<void> draft(const ToolInput& input, EditDraft& draft) const override {
    const json::value* list = input.find("replacements");
    if (!list || !list->is_array()) return {};
    std::size_t number = 0;
    for (const json::value& each : list->get_array()) {
      ++number;
      const auto replaced = replace_in_draft(draft, member(each, "filePath"),
                                             member(each, "oldString"), member(each, "newString"));
      if (!replaced)
        return fail(replaced.error().code, "replacement {}: {}; nothing was changed", number,
                    replaced.error().message);
    }
    return {};
  }
};

}  // namespace

ToolData multi_replace_string_in_file_data() {
  return {.id = "multi_replace_string_in_file",
          .reference_name = "multiReplaceString",
          .display_name = "Replace Strings in Files",
          .user_description = "Replace several pieces of text in files",
          .model_description =
              "Makes several replacements, in one file or many, as one edit: all of them or, when "
              "one does not "
              "fit, none. Each is as in replace_string_in_file and sees what those before it did.",
          .input_schema = std::string(kSchema)};
}

std::shared_ptr<Tool> make_multi_replace_string_in_file(const BuiltinSurroundings& around) {
  return std::make_shared<MultiReplaceString>(around.workbench);
}

}  // namespace toolgate
