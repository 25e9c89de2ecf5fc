#include "builtin/shown_commands.h"

#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

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
Result<ShownCommand> read_shown(std::string_view text) {
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

ShownCommands::ShownCommands(const std::filesystem::path& data)
    : notes_(data.empty() ? data : data / "commands") {}

Result<void> ShownCommands::note(std::string_view tool, const ToolCall& call,
                                 const ShownCommand& shown) {
  return notes_.write(tool, call, write_shown(shown));
}

Result<void> ShownCommands::take(std::string_view tool, const ToolCall& call,
                                 const ShownCommand& now) {
  if (!notes_.are_kept()) return {};
  const auto note = notes_.read(tool, call);
  const auto shown = read_shown(note ? *note : "");
  if (!shown) return std::unexpected(shown.error());
  notes_.remove(tool, call);
  ShownCommand hashed = now;
  hashed.input = sha256_hex(now.input);
  hashed.script = sha256_hex(now.script);
  for (auto* paths : {&hashed.writable, &hashed.hidden})
    for (std::string& path : *paths) path = mend_utf8(path);
  return check_as_shown(*shown, hashed);
}

}  // namespace toolgate
