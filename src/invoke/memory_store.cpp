#include "invoke/memory_store.h"

#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

namespace toolgate {
namespace {

bool matches(const InvocationRow& row, const InvocationQuery& query) {
  return (!query.state || row.state == *query.state) &&
         (query.session_id.empty() || row.session_id == query.session_id) &&
         (query.tool_id.empty() || row.tool_id == query.tool_id);
}

bool matches(const AuditEntry& entry, const AuditQuery& query) {
  return entry.sequence > query.after && (query.before == 0 || entry.sequence < query.before) &&
         (query.tool_id.empty() || entry.tool_id == query.tool_id) && entry.at >= query.since;
}

template <class Values>
auto copy_values(const Values& values) {
  std::vector<typename Values::mapped_type> copies;
  copies.reserve(values.size());
  for (const auto& value : values | std::views::values) copies.push_back(value);
  return copies;
}

std::string turn_key(std::string_view caller, std::string_view id) {
  return fmt::format("{}:{}:{}", caller.size(), caller, id);
}

}  // namespace

MemoryStore::MemoryStore(Faults faults, std::size_t keep_audit)
    : faults_(faults), keep_audit_(keep_audit) {}

void MemoryStore::set_faults(Faults faults) {
  faults_ = faults;
  operations_ = commits_ = 0;
}

Result<void> MemoryStore::count_operation() {
  if (++operations_ != faults_.operation) return {};
  return fail(Errc::Io, "operation {} on the store was made to fail", operations_);
}

Result<void> MemoryStore::begin_change() {
  if (spoiled_) return std::unexpected(*spoiled_);
  if (auto counted = count_operation(); !counted) return spoil(std::move(counted.error()));
  return {};
}

std::unexpected<Error> MemoryStore::spoil(Error error) {
  if (in_transaction_) spoiled_ = error;
  return std::unexpected(std::move(error));
}

void MemoryStore::on_roll_back(std::move_only_function<void()> undo) {
  if (in_transaction_) undo_.push_back(std::move(undo));
}

Result<void> MemoryStore::begin() {
  if (in_transaction_) return fail(Errc::Internal, "a transaction has begun already");
  if (auto counted = count_operation(); !counted) return counted;
  in_transaction_ = true;
  return {};
}

Result<void> MemoryStore::commit() {
  if (!in_transaction_) return fail(Errc::Internal, "no transaction has begun");
  if (++commits_ == faults_.commit)
    spoil({Errc::Io, fmt::format("commit {} was made to fail", commits_), {}});
  if (spoiled_) {
    Error error = std::move(*spoiled_);
    roll_back();
    return std::unexpected(std::move(error));
  }
  undo_.clear();
  in_transaction_ = false;
  while (audit_.size() > keep_audit_) audit_.pop_front();
  return {};
}

void MemoryStore::roll_back() {
  for (auto& undo : undo_ | std::views::reverse) undo();
  undo_.clear();
  spoiled_.reset();
  in_transaction_ = false;
}

Result<void> MemoryStore::insert_invocation(const InvocationRow& row) {
  if (auto ready = begin_change(); !ready) return ready;
  if (row_numbers_.contains(row.id))
    return spoil({Errc::AlreadyExists, fmt::format("there is a call '{}' already", row.id), {}});
  const std::int64_t number = next_row_++;
  rows_.emplace(number, row);
  row_numbers_.emplace(row.id, number);
  on_roll_back([this, number] {
    row_numbers_.erase(rows_.at(number).id);
    rows_.erase(number);
  });
  return {};
}

Result<void> MemoryStore::update_invocation(const InvocationRow& row) {
  if (auto ready = begin_change(); !ready) return ready;
  const auto found = row_numbers_.find(row.id);
  if (found == row_numbers_.end())
    return spoil({Errc::NotFound, fmt::format("there is no call '{}'", row.id), {}});
  InvocationRow& kept = rows_.at(found->second);
  InvocationRow before = std::exchange(kept, row);
  kept.session_id = before.session_id;
  kept.created_at = before.created_at;
  on_roll_back([&kept, before = std::move(before)]() mutable { kept = std::move(before); });
  return {};
}

Result<std::optional<InvocationRow>> MemoryStore::find_invocation(std::string_view id) {
  if (auto counted = count_operation(); !counted) return std::unexpected(counted.error());
  const auto found = row_numbers_.find(std::string(id));
  if (found == row_numbers_.end()) return std::nullopt;
  return rows_.at(found->second);
}

Result<std::vector<InvocationRow>> MemoryStore::list_invocations(const InvocationQuery& query) {
  if (auto counted = count_operation(); !counted) return std::unexpected(counted.error());
  auto end = rows_.end();
  if (!query.before.empty()) {
    const auto found = row_numbers_.find(query.before);
    if (found == row_numbers_.end())
      return fail_at("before", Errc::NotFound, "there is no call '{}'", query.before);
    end = rows_.find(found->second);
  }
  std::vector<InvocationRow> list;
  while (end != rows_.begin() && list.size() < query.limit)
    if (const InvocationRow& row = (--end)->second; matches(row, query)) list.push_back(row);
  return list;
}

Result<std::vector<InvocationRow>> MemoryStore::open_invocations() {
  if (auto counted = count_operation(); !counted) return std::unexpected(counted.error());
  std::vector<InvocationRow> open;
  for (const InvocationRow& row : rows_ | std::views::values)
    if (!is_terminal(row.state)) open.push_back(row);
  return open;
}

Result<std::size_t> MemoryStore::prune_invocations(std::size_t keep) {
  if (auto ready = begin_change(); !ready) return std::unexpected(ready.error());
  std::size_t ended = 0;
  std::vector<Rows::iterator> old;
  for (auto row = rows_.end(); row != rows_.begin();)
    if (is_terminal((--row)->second.state) && ++ended > keep) old.push_back(row);
  for (const auto& row : old) {
    row_numbers_.erase(row->second.id);
    on_roll_back([this, node = rows_.extract(row)]() mutable {
      row_numbers_.emplace(node.mapped().id, node.key());
      rows_.insert(std::move(node));
    });
  }
  return old.size();
}

Result<void> MemoryStore::append_audit(const AuditEntry& entry) {
  if (auto ready = begin_change(); !ready) return ready;
  if (!audit_.empty() && entry.sequence <= audit_.back().sequence)
    return spoil({Errc::AlreadyExists,
                  fmt::format("the audit trail has an entry {} already", entry.sequence),
                  {}});
  audit_.push_back(entry);
  on_roll_back([this] { audit_.pop_back(); });
  return {};
}

Result<std::optional<AuditEntry>> MemoryStore::last_audit() {
  if (auto counted = count_operation(); !counted) return std::unexpected(counted.error());
  return audit_.empty() ? std::nullopt : std::optional(audit_.back());
}

Result<std::vector<AuditEntry>> MemoryStore::read_audit(const AuditQuery& query) {
  if (auto counted = count_operation(); !counted) return std::unexpected(counted.error());
  const auto take = [&](const auto& entries) {
    std::vector<AuditEntry> taken;
    for (const AuditEntry& entry : entries) {
      if (taken.size() >= query.limit) break;
      if (matches(entry, query)) taken.push_back(entry);
    }
    return taken;
  };
  const bool newest = query.newest_first || query.before != 0;
  std::vector<AuditEntry> list = newest ? take(audit_ | std::views::reverse) : take(audit_);
  if (newest && !query.newest_first) std::ranges::reverse(list);
  return list;
}

template <class Value>
void MemoryStore::put(std::map<std::string, Value, std::less<>>& values, const std::string& key,
                      Value value) {
  auto before = values.extract(key);
  values.emplace(key, std::move(value));
  on_roll_back([&values, key, before = std::move(before)]() mutable {
    values.erase(key);
    if (before) values.insert(std::move(before));
  });
}

template <class Value>
bool MemoryStore::remove(std::map<std::string, Value, std::less<>>& values, std::string_view key) {
  const auto found = values.find(key);
  if (found == values.end()) return false;
  on_roll_back(
      [&values, node = values.extract(found)]() mutable { values.insert(std::move(node)); });
  return true;
}

Result<void> MemoryStore::put_approval(const Approval& approval) {
  if (auto ready = begin_change(); !ready) return ready;
  put(approvals_, approval.id, approval);
  return {};
}

Result<void> MemoryStore::remove_approval(std::string_view id) {
  if (auto ready = begin_change(); !ready) return ready;
  remove(approvals_, id);
  return {};
}

Result<std::vector<Approval>> MemoryStore::load_approvals() {
  if (auto counted = count_operation(); !counted) return std::unexpected(counted.error());
  auto list = copy_values(approvals_);
  std::ranges::sort(list, {}, [](const Approval& one) {
    return std::tie(one.last_used_at, one.created_at, one.id);
  });
  return list;
}

Result<void> MemoryStore::put_http_tool(const HttpToolRow& tool) {
  if (auto ready = begin_change(); !ready) return ready;
  put(http_tools_, tool.name, tool);
  return {};
}

Result<bool> MemoryStore::remove_http_tool(std::string_view name) {
  if (auto ready = begin_change(); !ready) return std::unexpected(ready.error());
  return remove(http_tools_, name);
}

Result<std::vector<HttpToolRow>> MemoryStore::load_http_tools() {
  if (auto counted = count_operation(); !counted) return std::unexpected(counted.error());
  auto list = copy_values(http_tools_);
  std::ranges::sort(list, {},
                    [](const HttpToolRow& tool) { return std::tie(tool.created_at, tool.name); });
  return list;
}

Result<void> MemoryStore::put_turn(const TurnRow& turn) {
  if (auto ready = begin_change(); !ready) return ready;
  put(turns_, turn_key(turn.caller, turn.id), turn);
  return {};
}

Result<std::optional<TurnRow>> MemoryStore::find_turn(std::string_view caller,
                                                      std::string_view id) {
  if (auto counted = count_operation(); !counted) return std::unexpected(counted.error());
  const auto found = turns_.find(turn_key(caller, id));
  if (found == turns_.end()) return std::nullopt;
  return found->second;
}

Result<void> MemoryStore::prune_turns(std::int64_t now) {
  if (auto ready = begin_change(); !ready) return ready;
  std::vector<std::string> over;
  for (const auto& [key, turn] : turns_)
    if (turn.expires_at <= now) over.push_back(key);
  for (const std::string& key : over) remove(turns_, key);
  return {};
}

}  // namespace toolgate
