#include "builtin/insert_edit_into_file.h"

#include "builtin/edit_tool.h"
#include "builtin/marker_merge.h"
#include "builtin/text_form.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "explanation": {"type": "string", "description": "What the edit is for, in a sentence."},
    "filePath": {"type": "string", "description": "The file: absolute, or relative to the workspace."},
    "code": {"type": "string", "description": "The code, with a comment line ...existing code... for each part that stays."}
  },
  "required": ["explanation", "filePath", "code"]
})";

Result<void> create(EditDraft& draft, const std::string& path, const std::string& code) {
  if (merge_by_markers("", code, "") == code) return draft.create(path, code);
  return fail(Errc::NotFound, "there is no {}, so there is no existing code to keep",
              draft.name_of(path));
}

class InsertEdit final : public EditTool {
 public:
  explicit InsertEdit(Workbench& workbench) : EditTool("insert_edit_into_file", workbench) {}

 protected:
  Result<void> draft(const ToolInput& input, EditDraft& draft) const override {
    const std::string path = input.text("filePath");
    const auto is_there = draft.has(path);
    if (!is_there) return std::unexpected(is_there.error());
    const std::string code = input.text("code");
    if (!*is_there) return create(draft, path, code);
    const auto text = draft.read(path);
    if (!text) return std::unexpected(text.error());
    const auto merged = merge_by_markers(*text, plain_text(code), draft.name_of(path));
    if (!merged) return std::unexpected(merged.error());
    return draft.write(path, *merged);
  }
};

}  // namespace

ToolData insert_edit_into_file_data() {
  return {.id = "insert_edit_into_file",
          .reference_name = "insertEdit",
          .display_name = "Insert Edit",
          .user_description = "Put code into a file",
          .model_description =
              "Puts code into a file. A comment line \"...existing code...\" stands for lines that "
              "stay as they are. "
              "Between two such lines, begin and end with lines that are in the file, exactly as "
              "they are: what is "
              "between those is replaced. What fits several places is refused. Without such a line "
              "the code is the "
              "whole new file. replace_string_in_file is more exact.",
          .input_schema = std::string(kSchema)};
}

std::shared_ptr<Tool> make_insert_edit_into_file(const BuiltinSurroundings& around) {
  return std::make_shared<InsertEdit>(around.workbench);
}

}  // namespace toolgate
