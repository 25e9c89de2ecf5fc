#include "builtin/shown_commands.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>

#include "base/json.h"
#include "base/utf8.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"
#include "store/private_files.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kKept{24 * 30};
constexpr std::size_t kMostKept = 10'000;
constexpr unsigned kNotesBetweenLooks = 1'000;

json::array write_paths(const std::vector<std::string>& paths) {
  json::array list;
  for (const std::string& path : paths) list.emplace_back(mend_utf8(path));
  return list;
}

std::string write_shown(const ShownCommand& shown) {
  return write_json(json::object{{"input", sha256_hex(shown.input)},
                                 {"script", sha256_hex(shown.script)},
                                 {"sandboxed", shown.is_sandboxed},
                                 {"network", shown.has_network},
                                 {"writable", write_paths(shown.writable)},
                                 {"hidden", write_paths(shown.hidden)}});
}

std::vector<std::string> read_paths(const json::value& value, std::string_view name) {
  std::vector<std::string> paths;
  if (const json::value* list = find(value, name); list && list->is_array())
    for (const json::value& path : list->get_array())
      if (path.is_string()) paths.emplace_back(path.get_string());
  return paths;
}

bool read_flag(const json::value& value, std::string_view name) {
  const json::value* flag = find(value, name);
  return flag && flag->is_bool() && flag->get_bool();
}

std::string read_text(const json::value& value, std::string_view name) {
  const json::value* text = find(value, name);
  return text && text->is_string() ? std::string(text->get_string()) : std::string();
}

// With hashes in the place of input and script.
Result<ShownCommand> read_shown(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const auto value = parse_json(text);
  if (!value || read_text(*value, "input").empty())
    return fail(Errc::Conflict, "what this call would run is not known any more: make it again");
  return ShownCommand{.input = read_text(*value, "input"),
                      .script = read_text(*value, "script"),
                      .is_sandboxed = read_flag(*value, "sandboxed"),
                      .has_network = read_flag(*value, "network"),
                      .writable = read_paths(*value, "writable"),
                      .hidden = read_paths(*value, "hidden")};
}

// One of `paths` that `others` does not have.
const std::string* find_missing(const std::vector<std::string>& paths,
                                const std::vector<std::string>& others) {
  const auto missing = std::ranges::find_if(paths, [&](const std::string& path) {
    return std::ranges::find(others, path) == others.end();
  });
  return missing == paths.end() ? nullptr : &*missing;
}

}  // namespace

Result<void> check_as_shown(const ShownCommand& shown, const ShownCommand& now) {
  if (shown.input == now.input && shown.script != now.script)
    return fail(Errc::Conflict,
                "this call would run something else than what was shown, because "
                ".vscode/tasks.json or a folder has changed since: make it again");
  if (!shown.is_sandboxed) return {};
  if (!now.is_sandboxed)
    return fail(Errc::Conflict,
                "this command was shown as one in the sandbox, which is off by now: make the call "
                "again");
  if (now.has_network && !shown.has_network)
    return fail(Errc::Conflict,
                "this command was shown as one without the network, which it would have by now: "
                "make the call again");
  if (const auto* path = find_missing(now.writable, shown.writable))
    return fail(Errc::Conflict,
                "commands may write to {} since this one was shown: make the call again",
                visible_text(*path, false));
  if (const auto* path = find_missing(shown.hidden, now.hidden))
    return fail(Errc::Conflict, "commands may see {} since this one was shown: make the call again",
                visible_text(*path, false));
  return {};
}

ShownCommands::ShownCommands(const fs::path& data)
    : folder_(data.empty() ? fs::path() : data / "commands") {}

fs::path ShownCommands::file_of(std::string_view tool, const ToolCall& call) const {
  std::string key;
  for (const std::string_view part :
       {tool, std::string_view(call.caller), std::string_view(call.session_id),
        std::string_view(call.request_id), std::string_view(call.id)})
    key += fmt::format("{}:{} ", part.size(), part);
  return folder_ / sha256_hex(key);
}

void ShownCommands::note(std::string_view tool, const ToolCall& call, const ShownCommand& shown) {
  // A call without an id is never made: somebody asks what would be decided about it.
  if (folder_.empty() || call.id.empty()) return;
  static std::atomic<unsigned> noted = 0;
  if (++noted % kNotesBetweenLooks == 0) forget_old_ones();
  // Not synced: after a loss of power the call is refused and made again.
  (void)make_private_folder(folder_);
  std::ofstream(file_of(tool, call), std::ios::binary | std::ios::trunc) << write_shown(shown);
}

Result<void> ShownCommands::take(std::string_view tool, const ToolCall& call,
                                 const ShownCommand& now) {
  if (folder_.empty()) return {};
  const fs::path file = file_of(tool, call);
  const auto shown = read_shown(file);
  if (!shown) return std::unexpected(shown.error());
  std::error_code ignored;
  fs::remove(file, ignored);
  ShownCommand hashed = now;
  hashed.input = sha256_hex(now.input);
  hashed.script = sha256_hex(now.script);
  for (auto* paths : {&hashed.writable, &hashed.hidden})
    for (std::string& path : *paths) path = mend_utf8(path);
  return check_as_shown(*shown, hashed);
}

// Those of calls that were denied or never decided about.
void ShownCommands::forget_old_ones() const {
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - kKept;
  std::vector<std::pair<fs::file_time_type, fs::path>> notes;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    std::error_code ignored;
    notes.emplace_back(entry.last_write_time(ignored), entry.path());
  }
  std::ranges::sort(notes);
  for (std::size_t i = 0; i < notes.size(); ++i)
    if (notes[i].first < oldest || notes.size() - i > kMostKept) fs::remove(notes[i].second, error);
}

}  // namespace toolgate
