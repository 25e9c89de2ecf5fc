// How rows stand in the tables: the columns of each, in one order for writing and reading.
// sqlite_store.cpp makes its statements of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "invoke/store.h"
#include "store/statement.h"

namespace toolgate {

// Columns<Row> has the table's name, its columns, and the fields that belong to them.
template <class Row>
struct Columns;

template <>
struct Columns<InvocationRow> {
  static constexpr std::string_view kTable = "invocations";
  static constexpr std::array<std::string_view, 23> kNames{
      "id",           "call_id",         "tool_id",       "source",
      "request_id",   "session_id",      "caller",        "workspace",
      "state",        "unknown_outcome", "created_at",    "decided_at",
      "started_at",   "ended_at",        "expires_at",    "definition_hash",
      "binding_hash", "decision",        "post_decision", "error",
      "confirmation", "arguments",       "result"};
  static auto fields(auto& row) {
    return std::tie(row.id, row.call_id, row.tool_id, row.source, row.request_id, row.session_id,
                    row.caller, row.workspace, row.state, row.unknown_outcome, row.created_at,
                    row.decided_at, row.started_at, row.ended_at, row.expires_at,
                    row.definition_hash, row.binding_hash, row.decision, row.post_decision,
                    row.error, row.confirmation, row.arguments, row.result);
  }
};

template <>
struct Columns<AuditEntry> {
  static constexpr std::string_view kTable = "audit";
  static constexpr std::array<std::string_view, 10> kNames{
      "sequence",   "at",    "kind", "invocation_id", "tool_id",
      "session_id", "actor", "data", "previous",      "hash"};
  static auto fields(auto& row) {
    return std::tie(row.sequence, row.at, row.kind, row.invocation_id, row.tool_id, row.session_id,
                    row.actor, row.data, row.previous, row.hash);
  }
};

template <>
struct Columns<Approval> {
  static constexpr std::string_view kTable = "approvals";
  static constexpr std::array<std::string_view, 15> kNames{
      "id",         "side",     "target",     "scope",        "scope_id",
      "key",        "tool_id",  "label",      "caller",       "definition_hash",
      "definition", "given_by", "created_at", "last_used_at", "expires_at"};
  static auto fields(auto& row) {
    return std::tie(row.id, row.side, row.target, row.scope, row.scope_id, row.key, row.tool_id,
                    row.label, row.caller, row.definition_hash, row.definition, row.by,
                    row.created_at, row.last_used_at, row.expires_at);
  }
};

template <>
struct Columns<HttpToolRow> {
  static constexpr std::string_view kTable = "http_tools";
  static constexpr std::array<std::string_view, 3> kNames{"name", "definition", "created_at"};
  static auto fields(auto& row) { return std::tie(row.name, row.definition, row.created_at); }
};

template <>
struct Columns<TurnRow> {
  static constexpr std::string_view kTable = "turns";
  static constexpr std::array<std::string_view, 4> kNames{"caller", "id", "record", "expires_at"};
  static auto fields(auto& row) { return std::tie(row.caller, row.id, row.record, row.expires_at); }
};

void bind_value(Statement& statement, int parameter, std::string_view text);
void bind_value(Statement& statement, int parameter, std::int64_t number);
void bind_value(Statement& statement, int parameter, bool truth);
void bind_value(Statement& statement, int parameter, InvocationState state);
void bind_value(Statement& statement, int parameter, AuditKind kind);
void bind_value(Statement& statement, int parameter, ApprovalSide side);
void bind_value(Statement& statement, int parameter, ApprovalTarget target);
void bind_value(Statement& statement, int parameter, ApprovalScope scope);

// False where the column has a value that this program does not know.
bool read_value(const Statement& statement, int column, std::string& text);
bool read_value(const Statement& statement, int column, std::int64_t& number);
bool read_value(const Statement& statement, int column, bool& truth);
bool read_value(const Statement& statement, int column, InvocationState& state);
bool read_value(const Statement& statement, int column, AuditKind& kind);
bool read_value(const Statement& statement, int column, ApprovalSide& side);
bool read_value(const Statement& statement, int column, ApprovalTarget& target);
bool read_value(const Statement& statement, int column, ApprovalScope& scope);

// Field n is parameter n + 1.
template <class Row>
void bind_row(Statement& statement, const Row& row) {
  const auto bind = [&](const auto&... field) {
    int parameter = 0;
    (bind_value(statement, ++parameter, field), ...);
  };
  std::apply(bind, Columns<Row>::fields(row));
}

template <class Row>
std::optional<Row> read_row(const Statement& statement) {
  Row row;
  const auto read = [&](auto&... field) {
    static_assert(sizeof...(field) == Columns<Row>::kNames.size());
    int column = 0;
    return (read_value(statement, column++, field) && ...);
  };
  return std::apply(read, Columns<Row>::fields(row)) ? std::optional(std::move(row)) : std::nullopt;
}

}  // namespace toolgate
