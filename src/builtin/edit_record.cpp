#include "builtin/edit_record.h"

#include <algorithm>

#include "base/utf8.h"
#include "builtin/name_line.h"
#include "invoke/visible_text.h"

namespace toolgate {
namespace {

using Kind = FileState::Kind;

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::File:
      return "file";
    case Kind::Folder:
      return "folder";
    case Kind::Absent:
      break;
  }
  return "absent";
}

json::object state_json(const FileState& state) {
  json::object out{{"kind", name_of(state.kind)}};
  if (state.kind == Kind::Absent) return out;
  out["mode"] = fmt::format("{:04o}", state.mode);
  out["owner"] = state.owner;
  out["group"] = state.group;
  if (state.kind != Kind::File) return out;
  out["size"] = state.size;
  out["sha256"] = state.sha256;
  return out;
}

std::string text_of(const json::value& value, std::string_view name) {
  const json::value* found = find(value, name);
  return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::uint64_t number_of(const json::value& value, std::string_view name) {
  const json::value* found = find(value, name);
  return found && found->is_number() ? found->to_number<std::uint64_t>() : 0;
}

FileState parse_state(const json::value* value) {
  FileState state;
  if (!value) return state;
  const std::string kind = text_of(*value, "kind");
  state.kind = kind == "file" ? Kind::File : kind == "folder" ? Kind::Folder : Kind::Absent;
  state.mode = static_cast<mode_t>(std::strtoul(text_of(*value, "mode").c_str(), nullptr, 8));
  state.owner = static_cast<uid_t>(number_of(*value, "owner"));
  state.group = static_cast<gid_t>(number_of(*value, "group"));
  state.size = number_of(*value, "size");
  state.sha256 = text_of(*value, "sha256");
  return state;
}

bool is_about_file(const FileChange& change) {
  return change.before.kind == Kind::File || change.after.kind == Kind::File;
}

// Two changes that are one file with another name; else nothing.
std::pair<const FileChange*, const FileChange*> find_move(
    const std::vector<const FileChange*>& changes) {
  if (changes.size() != 2) return {};
  auto [from, to] = std::pair(changes[0], changes[1]);
  if (from->before.kind == Kind::Absent) std::swap(from, to);
  const bool is_move = from->before.kind == Kind::File && from->after.kind == Kind::Absent &&
                       to->before.kind == Kind::Absent && to->after.is_same(from->before);
  return is_move ? std::pair(from, to) : std::pair<const FileChange*, const FileChange*>();
}

}  // namespace

bool FileState::is_same(const FileState& other) const {
  if (kind != other.kind) return false;
  return kind != Kind::File || (mode == other.mode && sha256 == other.sha256);
}

const std::string& EditPlan::bytes_of(const FileState& state) const {
  static const std::string none;
  const auto found = contents.find(state.sha256);
  return state.kind != Kind::File || found == contents.end() ? none : found->second;
}

Result<void> check_recordable(const EditPlan& plan) {
  for (const FileChange& change : plan.changes)
    if (!is_valid_utf8(change.path))
      return fail(Errc::InvalidRequest, "the path of {} is not UTF-8: edits cannot be recorded",
                  visible_text(change.shown, false));
  return {};
}

std::string_view name_of_change(const FileChange& change) {
  if (change.before.kind == Kind::Absent) return "created";
  return change.after.kind == Kind::Absent ? "removed" : "edited";
}

std::string describe_changes(const std::vector<FileChange>& changes) {
  std::vector<const FileChange*> told;
  for (const FileChange& change : changes)
    if (is_about_file(change)) told.push_back(&change);
  if (told.empty() && !changes.empty()) told.push_back(&changes.back());
  if (told.empty()) return "Change nothing";
  if (const auto [from, to] = find_move(told); from)
    return fmt::format("Move {} to {}", name_on_one_line(from->shown), name_on_one_line(to->shown));
  const auto count = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::count(
        told, name, [](const FileChange* change) { return name_of_change(*change); }));
  };
  const std::size_t created = count("created");
  const std::size_t removed = count("removed");
  const std::string_view verb = created == told.size()   ? "Create"
                                : removed == told.size() ? "Delete"
                                                         : "Edit";
  if (told.size() == 1) return fmt::format("{} {}", verb, name_on_one_line(told.front()->shown));
  std::string more;
  if (verb == "Edit" && created > 0) more = fmt::format("{} new", created);
  if (verb == "Edit" && removed > 0)
    more += fmt::format("{}{} deleted", more.empty() ? "" : ", ", removed);
  return fmt::format("{} {} files{}", verb, told.size(),
                     more.empty() ? "" : fmt::format(" ({})", more));
}

json::object edit_record_json(const EditRecord& record) {
  json::object out{{"id", record.id},
                   {"object", "edit"},
                   {"time", record.time},
                   {"summary", describe_changes(record.changes)},
                   {"tool", record.tool},
                   {"caller", record.caller},
                   {"session_id", record.session_id},
                   {"workspace", record.workspace}};
  if (!record.undoes.empty()) out["undoes"] = record.undoes;
  json::array files;
  for (const FileChange& change : record.changes)
    files.emplace_back(json::object{{"path", change.path},
                                    {"shown", change.shown},
                                    {"change", name_of_change(change)},
                                    {"before", state_json(change.before)},
                                    {"after", state_json(change.after)}});
  out["files"] = std::move(files);
  return out;
}

std::string write_edit_record(const EditRecord& record) {
  return write_json(edit_record_json(record));
}

Result<EditRecord> parse_edit_record(std::string_view text) {
  const auto value = parse_json(text);
  if (!value) return std::unexpected(value.error());
  EditRecord record{.id = text_of(*value, "id"),
                    .time = static_cast<std::int64_t>(number_of(*value, "time")),
                    .tool = text_of(*value, "tool"),
                    .caller = text_of(*value, "caller"),
                    .session_id = text_of(*value, "session_id"),
                    .workspace = text_of(*value, "workspace"),
                    .undoes = text_of(*value, "undoes")};
  const json::value* files = find(*value, "files");
  if (record.id.empty() || !files || !files->is_array())
    return fail(Errc::InvalidJson, "this is no record of an edit");
  for (const json::value& file : files->get_array())
    record.changes.push_back({.path = text_of(file, "path"),
                              .shown = text_of(file, "shown"),
                              .before = parse_state(find(file, "before")),
                              .after = parse_state(find(file, "after"))});
  return record;
}

}  // namespace toolgate
