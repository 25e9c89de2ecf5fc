#include "builtin/create_directory.h"

#include "async/offload.h"
#include "builtin/edit_tool.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

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
  explicit CreateDirectory(Workbench& workbench)
      : EditTool("create_directory", workbench), workbench_(workbench) {}

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call,
                                                    const Cancel& cancel) override {
    if (const auto there = co_await find_folder(call, cancel)) {
      const std::string words = *there + " is there already";
      co_return PreparedCall{.invocation_message = words, .past_tense_message = words};
    }
    co_return co_await EditTool::prepare(call, cancel);
  }

  // A folder that is gone since nobody was asked for its sake is not made: EditTool knows of no
  // question then.
  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    if (const auto there = co_await find_folder(call, cancel))
      co_return text_result(fmt::format("The folder {} is there already.\n", *there));
    co_return co_await EditTool::invoke(call, cancel);
  }

 protected:
  Result<void> draft(const ToolInput& input, EditDraft& draft) const override {
    return draft.make_folder(input.text("dirPath"));
  }

 private:
  // What it is called, if it is there: then there is nothing to ask and nothing to undo.
  Task<std::optional<std::string>> find_folder(const ToolCall& call, const Cancel& cancel) {
    const auto settings = workbench_.settings();
    const auto look = [&]() -> Result<std::string> {
      const auto folder = settings->workspace->open_folder(ToolInput(call.input).text("dirPath"));
      if (!folder) return std::unexpected(folder.error());
      return visible_text(settings->workspace->shown(folder->path), false);
    };
    auto found = co_await offload(look, cancel);
    if (!found) co_return std::nullopt;
    co_return std::move(*found);
  }

  Workbench& workbench_;
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
