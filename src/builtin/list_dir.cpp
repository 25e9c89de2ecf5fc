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

// Of a link that leads out of the workspace nothing is said.
bool is_folder(const Workspace& workspace, const std::string& path, unsigned char type) {
  if (type == DT_DIR) return true;
  if (type != DT_LNK && type != DT_UNKNOWN) return false;
  const auto opened = workspace.open(path, O_PATH);
  return opened && S_ISDIR(opened->facts.st_mode);
}

struct Listing {
  std::vector<std::string> names;  // the first ones; folders with a '/' behind them
  std::size_t total = 0;

  // Of a folder with a million names few are held.
  void add(std::string name) {
    names.push_back(std::move(name));
    ++total;
    if (names.size() == 2 * kMostNames) keep_first();
  }
  void keep_first() {
    std::ranges::sort(names);
    if (names.size() > kMostNames) names.resize(kMostNames);
  }
};

Result<Listing> list_folder(const Workspace& workspace, std::string_view path) {
  auto folder = workspace.open_folder(path);
  if (!folder) return std::unexpected(folder.error());
  DIR* stream = ::fdopendir(folder->descriptor.get());
  if (!stream)
    return file_failure(errno, "read", visible_text(workspace.shown(folder->path), false));
  folder->descriptor.release();  // the stream's now
  Listing listing;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string at = fmt::format("{}/{}", folder->path == "/" ? "" : folder->path, name);
    if (!workspace.check(at, name)) continue;  // one of ours
    listing.add(visible_text(name, false) + (is_folder(workspace, at, entry->d_type) ? "/" : ""));
  }
  ::closedir(stream);
  listing.keep_first();
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
    if (listing.total > listing.names.size())
      text += fmt::format("[{} more are not shown; file_search finds files by a glob]\n",
                          listing.total - listing.names.size());
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
