#include "builtin/list_dir.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <vector>

#include "async/offload.h"
#include "builtin/name_line.h"
#include "builtin/tool_input.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostNames = 2'000;

constexpr std::string_view kSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The folder: absolute, or relative to the workspace."}
  },
  "required": ["path"]
})";

bool is_folder(int folder, const dirent& entry) {
  if (entry.d_type == DT_DIR) return true;
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return false;
  struct stat facts = {};
  return ::fstatat(folder, entry.d_name, &facts, 0) == 0 && S_ISDIR(facts.st_mode);
}

struct Listing {
  std::vector<std::string> names;  // folders with a '/' behind them
  std::size_t left_out = 0;
};

Result<Listing> list_folder(const Workspace& workspace, std::string_view path) {
  auto folder = workspace.open_folder(path);
  if (!folder) return std::unexpected(folder.error());
  DIR* stream = ::fdopendir(folder->descriptor.get());
  if (!stream) return file_failure(errno, "read", workspace.shown(folder->path));
  const int descriptor = folder->descriptor.release();  // the stream's now
  Listing listing;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (!workspace.check(fmt::format("{}/{}", folder->path == "/" ? "" : folder->path, name), name))
      continue;  // one of ours
    if (listing.names.size() == kMostNames)
      ++listing.left_out;
    else
      listing.names.push_back(visible_text(name, false) +
                              (is_folder(descriptor, *entry) ? "/" : ""));
  }
  ::closedir(stream);
  std::ranges::sort(listing.names);
  return listing;
}

class ListDir final : public Tool {
 public:
  explicit ListDir(const Workbench& workbench) : workbench_(workbench) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    const std::string path = ToolInput(call.input).text("path");
    const auto settings = workbench_.settings();
    const auto work = [&] { return list_folder(*settings->workspace, path); };
    auto listing = co_await offload(work, cancel);
    if (!listing) co_return std::unexpected(listing.error());
    co_return text_result(describe(*listing));
  }

  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall& call, const Cancel&) override {
    const std::string path = name_on_one_line(ToolInput(call.input).text("path"));
    co_return PreparedCall{.invocation_message = "Reading " + path,
                           .past_tense_message = "Read " + path};
  }

 private:
  static std::string describe(const Listing& listing) {
    if (listing.names.empty()) return "The folder is empty.";
    std::string text = fmt::format("{}\n", fmt::join(listing.names, "\n"));
    if (listing.left_out > 0) text += fmt::format("[{} more are not shown]\n", listing.left_out);
    return text;
  }

  const Workbench& workbench_;
};

}  // namespace

ToolData list_dir_data() {
  return {
      .id = "list_dir",
      .reference_name = "listDirectory",
      .display_name = "List Directory",
      .user_description = "List what is in a folder",
      .model_description =
          "Lists the names in one folder of the workspace. A name that ends with / is a folder.",
      .input_schema = std::string(kSchema),
      .tags = {"vscode_codesearch"},
      .is_read_only = true};
}

std::shared_ptr<Tool> make_list_dir(const BuiltinSurroundings& around) {
  return std::make_shared<ListDir>(around.workbench);
}

}  // namespace toolgate
