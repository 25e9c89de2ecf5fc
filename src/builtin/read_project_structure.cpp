#include "builtin/read_project_structure.h"

#include "async/offload.h"
#include "builtin/folder_tree.h"
#include "builtin/ripgrep.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::string_view kSchema = R"({"type": "object", "properties": {}})";

class ReadProjectStructure final : public Tool {
 public:
  explicit ReadProjectStructure(const Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall&, const Cancel& cancel) override {
    const auto settings = workbench_.settings();
    const Workspace& workspace = *settings->workspace;
    const auto output =
        co_await run_ripgrep(workspace, {.arguments = {"--files", "--null"}}, cancel);
    if (!output) co_return std::unexpected(output.error());
    const auto work = [&]() -> Result<std::string> { return describe(workspace, *output); };
    auto text = co_await offload(work, cancel);
    if (!text) co_return std::unexpected(text.error());
    co_return text_result(std::move(*text));
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall&, const Cancel&) override {
    co_return PreparedCall{.invocation_message = "Reading the structure of the project",
                           .past_tense_message = "Read the structure of the project"};
  }

 private:
  static std::string describe(const Workspace& workspace, const RipgrepOutput& output) {
    FolderTree tree;
    for_each_path(workspace, output.text, [&](std::string_view path) { tree.add(path); });
    if (tree.files() == 0) return "The workspace has no files.";
    const auto is_shown = [&](const std::string& path) { return is_still_there(workspace, path); };
    return fmt::format("[{} file{}{}]\n{}", tree.files(), tree.files() == 1 ? "" : "s",
                       output.is_partial ? " and more, which are not counted" : "",
                       tree.describe({}, is_shown));
  }

  const Workbench& workbench_;
};

}  // namespace

ToolData read_project_structure_data() {
  return {.id = "read_project_structure",
          .display_name = "Read Project Structure",
          .user_description = "See the folders and files of the workspace",
          .model_description =
              "Shows the workspace as a tree of folders and files, without what .gitignore names. "
              "A large tree is shown down to some depth, and what has no room as counts; list_dir "
              "shows a single folder whole.",
          .input_schema = std::string(kSchema),
          .is_read_only = true};
}

std::shared_ptr<Tool> make_read_project_structure(const BuiltinSurroundings& around) {
  return std::make_shared<ReadProjectStructure>(around.workbench);
}

}  // namespace toolgate
