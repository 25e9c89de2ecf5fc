// Rows with something in every field, and their comparison, for tests of stores.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "invoke/store.h"

namespace toolgate {

inline InvocationRow sample_call(const std::string& id) {
  return {.id = id,
          .call_id = "call_" + id,
          .tool_id = "read_file",
          .source = "mcp:files",
          .request_id = "req_1",
          .session_id = "session",
          .caller = "key",
          .workspace = "/project",
          .state = InvocationState::WaitingForConfirmation,
          .arguments = R"({"path":"ä"})",
          .definition_hash = "d1",
          .binding_hash = "b1",
          .confirmation = R"({"title":"Read?"})",
          .decision = R"({"kind":4})",
          .post_decision = R"({"kind":1})",
          .result = std::string("nul \0 inside", 12),
          .error = "none",
          .unknown_outcome = true,
          .created_at = 1'700'000'000'001,
          .decided_at = 1'700'000'000'002,
          .started_at = 1'700'000'000'003,
          .ended_at = 1'700'000'000'004,
          .expires_at = 1'700'000'000'005};
}

inline InvocationRow sample_call(const std::string& id, InvocationState state) {
  InvocationRow row = sample_call(id);
  row.state = state;
  return row;
}

inline AuditEntry sample_entry(std::int64_t sequence) {
  return {.sequence = sequence,
          .at = 1000 * sequence,
          .kind = AuditKind::Decided,
          .invocation_id = "inv_1",
          .tool_id = "read_file",
          .session_id = "session",
          .actor = "operator",
          .data = R"({"rule":"asked"})",
          .previous = "p" + std::to_string(sequence - 1),
          .hash = "p" + std::to_string(sequence)};
}

inline Approval sample_approval(const std::string& id) {
  return {.id = id,
          .side = ApprovalSide::Results,
          .target = ApprovalTarget::Arguments,
          .scope = ApprovalScope::Workspace,
          .scope_id = "/project",
          .key = "k1",
          .tool_id = "read_file",
          .label = "Read a file",
          .caller = "key",
          .definition_hash = "d1",
          .definition = R"({"id":"read_file"})",
          .by = "operator",
          .created_at = 1,
          .last_used_at = 2,
          .expires_at = 3};
}

// By binding every member: a field that is added must be added here, too.
inline auto fields_of(const InvocationRow& row) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = row;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
}
inline auto fields_of(const AuditEntry& entry) {
  const auto& [a, b, c, d, e, f, g, h, i, j] = entry;
  return std::tie(a, b, c, d, e, f, g, h, i, j);
}
inline auto fields_of(const Approval& approval) {
  const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = approval;
  return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
}
inline auto fields_of(const HttpToolRow& tool) {
  const auto& [a, b, c] = tool;
  return std::tie(a, b, c);
}

template <class Row>
bool same(const Row& a, const Row& b) {
  return fields_of(a) == fields_of(b);
}

inline std::vector<std::string> ids_of(const auto& rows) {
  std::vector<std::string> ids;
  for (const auto& row : rows) ids.push_back(row.id);
  return ids;
}

}  // namespace toolgate
