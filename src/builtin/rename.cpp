#include "builtin/rename.h"

#include "builtin/edit_tool.h"
#include "builtin/rename_symbol.h"
#include "builtin/text_form.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "symbol": {"type": "string", "minLength": 1, "description": "The name as it is now."},
    "newName": {"type": "string", "minLength": 1, "description": "The name it shall have."},
    "filePath": {"type": "string", "description": "A file in which the symbol stands: absolute, or relative to the workspace."},
    "lineContent": {"type": "string", "description": "A line of that file, or a part of one, with the symbol in it, where the file has several of the name."}
  },
  "required": ["symbol", "newName", "filePath"]
})";

// The files must still be those that the language server was asked about.
Result<void> draft_files(const std::vector<RenamedFile>& files, EditDraft& draft) {
  for (const RenamedFile& file : files) {
    const auto text = draft.read(file.path);
    if (!text) return std::unexpected(text.error());
    if (*text != plain_text(file.before))
      return fail(Errc::Conflict, "{} has changed while the symbol was looked up: try again",
                  visible_text(file.path, false));
    if (auto written = draft.write(file.path, plain_text(file.after)); !written) return written;
  }
  return {};
}

class Rename final : public EditTool {
 public:
  explicit Rename(Workbench& workbench) : EditTool("rename", workbench), workbench_(workbench) {}

 protected:
  Task<Result<Drafting>> work_out(const ToolCall& call, const Cancel& cancel) override {
    const ToolInput input(call.input);
    const auto settings = workbench_.settings();
    auto files = co_await rename_symbol(workbench_.language_servers(), *settings->code,
                                        {.symbol = input.text("symbol"),
                                         .new_name = input.text("newName"),
                                         .file = input.text("filePath"),
                                         .line_content = input.text("lineContent")},
                                        cancel);
    if (!files) co_return std::unexpected(files.error());
    co_return [files = std::move(*files)](EditDraft& draft) { return draft_files(files, draft); };
  }

 private:
  Workbench& workbench_;
};

}  // namespace

ToolData rename_data() {
  return {.id = "rename",
          .reference_name = "rename",
          .display_name = "Rename Symbol",
          .user_description = "Give a symbol another name, wherever it is used",
          .model_description =
              "Renames a function, class, method, variable or other symbol in all files that use "
              "it, as the language server of its language knows them. Use it instead of replacing "
              "text. Files outside the workspace are never changed.",
          .input_schema = std::string(kSchema)};
}

std::shared_ptr<Tool> make_rename(const BuiltinSurroundings& around) {
  return std::make_shared<Rename>(around.workbench);
}

}  // namespace toolgate
