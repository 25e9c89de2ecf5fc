#include "builtin/edit_tool.h"

#include <atomic>

#include "async/offload.h"
#include "base/json.h"
#include "builtin/edit_diff.h"
#include "builtin/edits.h"
#include "invoke/canonical.h"
#include "invoke/visible_text.h"
#include "toolgate/function_tool.h"

namespace toolgate {
namespace {

using Kind = FileState::Kind;

constexpr std::size_t kMostDiffBytes = 32 << 10;  // of a question
constexpr std::size_t kMostFilesTold = 50;        // to a model

std::string past_tense(std::string summary) {
  for (const auto& [now, then] : {std::pair{"Create ", "Created "},
                                  {"Delete ", "Deleted "},
                                  {"Edit ", "Edited "},
                                  {"Move ", "Moved "}})
    if (summary.starts_with(now)) return then + summary.substr(std::string_view(now).size());
  return summary;
}

std::string present_participle(std::string summary) {
  for (const auto& [now, going] : {std::pair{"Create ", "Creating "},
                                   {"Delete ", "Deleting "},
                                   {"Edit ", "Editing "},
                                   {"Move ", "Moving "}})
    if (summary.starts_with(now)) return going + summary.substr(std::string_view(now).size());
  return summary;
}

// For the model: "Edited src/a.cpp (+3 -1)", a line for each file.
std::string tell_changes(const EditPlan& plan) {
  std::string out;
  std::size_t told = 0;
  for (const FileChange& change : plan.changes) {
    if (told++ == kMostFilesTold) break;
    const std::string name = visible_text(change.shown, false);
    if (change.after.kind == Kind::Folder)
      out += fmt::format("Created the folder {}\n", name);
    else if (change.after.kind == Kind::Absent)
      out += fmt::format("Deleted {}\n", name);
    else {
      const ChangedLines lines = count_changed_lines(plan, change);
      out += fmt::format("{} {} (+{} -{} lines)\n",
                         change.before.kind == Kind::Absent ? "Created" : "Edited", name,
                         lines.added, lines.removed);
    }
  }
  if (plan.changes.size() > kMostFilesTold)
    out += fmt::format("… and {} more\n", plan.changes.size() - kMostFilesTold);
  return out;
}

Result<EditPlan> make_plan(const auto& drafting, const Workspace& workspace,
                           const std::atomic<bool>& stop) {
  EditDraft made(workspace, &stop);
  if (auto drafted = drafting(made); !drafted) return std::unexpected(drafted.error());
  return std::move(made).finish();
}

}  // namespace

Task<Result<EditTool::Drafting>> EditTool::work_out(const ToolCall& call, const Cancel&) {
  co_return [this, &call](EditDraft& made) { return draft(ToolInput(call.input), made); };
}

Result<void> EditTool::draft(const ToolInput&, EditDraft&) const {
  return {};
}

Task<Result<std::optional<PreparedCall>>> EditTool::prepare(const ToolCall& call,
                                                            const Cancel& cancel) {
  const auto settings = workbench_.settings();
  const auto drafting = co_await work_out(call, cancel);
  if (!drafting) co_return std::unexpected(drafting.error());
  std::atomic<bool> stop = false;
  const CancelHook hook(cancel, [&stop](CancelReason) { stop = true; });
  const auto work = [&]() -> Result<std::optional<PreparedCall>> {
    const auto plan = make_plan(*drafting, *settings->workspace, stop);
    if (!plan) return std::unexpected(plan.error());
    if (auto same = workbench_.seen_files().check(call, *plan); !same)
      return std::unexpected(same.error());
    if (auto noted = workbench_.shown_edits().note(id_, call, *plan); !noted)
      return std::unexpected(noted.error());
    const std::string summary = describe_changes(plan->changes);
    PreparedCall prepared{.invocation_message = present_participle(summary),
                          .past_tense_message = past_tense(summary),
                          .confirmation_title = summary + "?",
                          .confirmation_message = write_diff_block(*plan, kMostDiffBytes),
                          .message_is_markdown = true};
    prepared.approval_key = sha256_hex(write_edit_record({.changes = plan->changes}));
    for (const FileChange& change : plan->changes) prepared.edited_files.push_back(change.path);
    return prepared;
  };
  co_return co_await offload(work, cancel);
}

Task<Result<ToolResult>> EditTool::invoke(const ToolCall& call, const Cancel& cancel) {
  const auto settings = workbench_.settings();
  ShownEdits& shown = workbench_.shown_edits();
  const auto check = [&] { return shown.check_files(id_, call); };
  if (auto same = co_await offload(check, cancel); !same) co_return std::unexpected(same.error());
  const auto drafting = co_await work_out(call, cancel);
  if (!drafting) co_return std::unexpected(drafting.error());
  std::atomic<bool> stop = false;
  const CancelHook hook(cancel, [&stop](CancelReason) { stop = true; });
  const auto work = [&]() -> Result<ToolResult> {
    const auto plan = make_plan(*drafting, *settings->workspace, stop);
    if (!plan) return std::unexpected(plan.error());
    if (auto same = shown.check_plan(id_, call, *plan); !same) return std::unexpected(same.error());
    if (auto same = workbench_.seen_files().check(call, *plan); !same)
      return std::unexpected(same.error());
    workbench_.seen_files().note_making(call, *plan);
    auto record = workbench_.edits().apply(*plan, {.tool = id_,
                                                   .caller = call.caller,
                                                   .session_id = call.session_id,
                                                   .workspace = settings->workspace->folder()});
    if (!record) return std::unexpected(record.error());
    shown.forget(id_, call);
    workbench_.seen_files().note_made(call, *plan);
    ToolResult result = text_result(tell_changes(*plan));
    result.message =
        fmt::format("{}; 'toolgate undo {}' takes it back",
                    visible_text(past_tense(describe_changes(plan->changes)), false), record->id);
    result.metadata = write_json(json::object{{"edit", edit_record_json(*record)}});
    return result;
  };
  co_return co_await offload(work, cancel);
}

}  // namespace toolgate
