#include "builtin/view_image.h"

#include "async/offload.h"
#include "builtin/image_file.h"
#include "builtin/name_line.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "filePath": {"type": "string", "description": "The picture: absolute, or relative to the workspace."}
  },
  "required": ["filePath"]
})";

Result<ToolResult> view(const Workspace& workspace, std::string_view path) {
  auto file = workspace.open_file(path);
  if (!file) return std::unexpected(file.error());
  return read_image(*file, visible_text(workspace.shown(file->path), false));
}

class ViewImage final : public Tool {
 public:
  explicit ViewImage(const Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const std::string path = ToolInput(call.input).text("filePath");
    const auto settings = workbench_.settings();
    const auto work = [&] { return view(*settings->workspace, path); };
    co_return co_await offload(work, cancel);
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string path = name_on_one_line(ToolInput(call.input).text("filePath"));
    co_return PreparedCall{.invocation_message = "Looking at " + path,
                           .past_tense_message = "Looked at " + path};
  }

 private:
  const Workbench& workbench_;
};

}  // namespace

ToolData view_image_data() {
  return {.id = "view_image",
          .reference_name = "viewImage",
          .display_name = "View Image",
          .user_description = "Look at a picture in the workspace",
          .model_description =
              "Shows you a picture of the workspace: PNG, JPEG, GIF or WebP, at most 5 MB. Use it "
              "to look at screenshots, diagrams and assets; for text use read_file.",
          .input_schema = std::string(kSchema),
          .is_read_only = true};
}

std::shared_ptr<Tool> make_view_image(const BuiltinSurroundings& around) {
  return std::make_shared<ViewImage>(around.workbench);
}

}  // namespace toolgate
