#include "gateway/edits_reply.h"

#include "builtin/edit_diff.h"

namespace toolgate {
namespace {

constexpr std::size_t kMostDiffBytes = 256 << 10;

json::object with_undo(Edits& edits, const EditRecord& record) {
  json::object out = edit_record_json(record);
  if (const std::string undo = edits.undone_by(record.id); !undo.empty()) out["undone_by"] = undo;
  return out;
}

}  // namespace

std::string write_edit_list(Edits& edits, std::size_t limit, std::string_view workspace) {
  auto records = edits.list(limit + 1, workspace);
  const bool has_more = records.size() > limit;
  if (has_more) records.pop_back();
  json::array data;
  for (const EditRecord& record : records) data.push_back(with_undo(edits, record));
  return write_json(
      json::object{{"object", "list"}, {"data", std::move(data)}, {"has_more", has_more}});
}

Result<std::string> write_edit(Edits& edits, std::string_view id, bool force) {
  const auto record = edits.find(id);
  if (!record) return std::unexpected(record.error());
  json::object out = with_undo(edits, *record);
  const auto plan = edits.plan_undo(id, force);
  json::object undo{{"possible", plan.has_value()}};
  if (plan)
    undo["diff"] = write_unified_diff(*plan, kMostDiffBytes);
  else
    undo["problem"] = plan.error().message;
  out["undo"] = std::move(undo);
  return write_json(out);
}

Result<std::string> write_undo(Edits& edits, std::string_view id, const EditUndo& how) {
  const auto record = edits.undo(id, how);
  if (!record) return std::unexpected(record.error());
  return write_edit_record(*record);
}

}  // namespace toolgate
