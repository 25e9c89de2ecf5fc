#include "builtin/apply_patch.h"

#include "builtin/edit_tool.h"
#include "builtin/patch.h"
#include "builtin/text_form.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "input": {"type": "string", "description": "The patch."},
    "explanation": {"type": "string", "description": "What the patch is for, in a sentence."}
  },
  "required": ["input", "explanation"]
})";

Result<void> apply(const PatchFile& file, EditDraft& draft, PatchSearch& search) {
  if (file.kind == PatchFile::Kind::Add) return draft.create(file.path, file.content);
  if (file.kind == PatchFile::Kind::Delete) return draft.remove(file.path);
  if (!file.hunks.empty()) {
    const auto text = draft.read(file.path);
    if (!text) return std::unexpected(text.error());
    const auto changed = apply_hunks(*text, file.hunks, draft.name_of(file.path), search);
    if (!changed) return std::unexpected(changed.error());
    if (auto written = draft.write(file.path, *changed); !written) return written;
  }
  if (file.move_to.empty()) return {};
  return draft.move(file.path, file.move_to);
}

class ApplyPatch final : public EditTool {
 public:
  explicit ApplyPatch(Workbench& workbench) : EditTool("apply_patch", workbench) {}

 protected:
  Result<void> draft(const ToolInput& input, EditDraft& draft) const override {
    const auto files = parse_patch(plain_text(input.text("input")));
    if (!files) return std::unexpected(files.error());
    PatchSearch search{.stop = draft.stop()};
    for (const PatchFile& file : *files)
      if (auto applied = apply(file, draft, search); !applied) return applied;
    return {};
  }
};

}  // namespace

ToolData apply_patch_data() {
  return {.id = "apply_patch",
          .reference_name = "applyPatch",
          .display_name = "Apply Patch",
          .user_description = "Apply a patch to files",
          .model_description =
              "Applies a patch to files, all of it or nothing. The patch begins with the line "
              "\"*** Begin Patch\" and "
              "ends with \"*** End Patch\". Between them stand files: \"*** Add File: PATH\" with "
              "lines that begin "
              "with '+'; \"*** Delete File: PATH\"; \"*** Update File: PATH\", perhaps with \"*** "
              "Move to: PATH\", "
              "and changes: an optional line \"@@ a line above the change\", then lines that begin "
              "with ' ' (stays), "
              "'-' (goes) or '+' (new). There are no line numbers: give three lines before and "
              "after a change, "
              "exactly as they are in the file.",
          .input_schema = std::string(kSchema)};
}

std::shared_ptr<Tool> make_apply_patch(const BuiltinSurroundings& around) {
  return std::make_shared<ApplyPatch>(around.workbench);
}

}  // namespace toolgate
