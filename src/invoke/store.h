// Where calls, approvals, the audit trail and registered tools are kept: the interface. store/ has
// SQLite; MemoryStore (memory_store.h) forgets. Used by one thread, the ledger's, only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "invoke/approvals.h"
#include "invoke/audit.h"
#include "invoke/states.h"
#include "toolgate/error.h"

namespace toolgate {

// A call as it is kept. Texts are as large as the limits of book.h allow.
struct InvocationRow {
  std::string id = {};
  std::string call_id = {};  // the model's name for it
  std::string tool_id = {};
  std::string source = {};  // ToolSource::key()
  std::string request_id = {};
  std::string session_id = {};
  std::string caller = {};
  std::string workspace = {};
  InvocationState state = InvocationState::WaitingForConfirmation;
  std::string arguments = {};  // JSON, as it runs
  std::string definition_hash = {};
  std::string binding_hash = {};   // what a person confirms: canonical.h
  std::string confirmation = {};   // JSON: what was shown; empty: nothing was asked
  std::string decision = {};       // JSON of the Decision; empty: none yet
  std::string post_decision = {};  // JSON
  std::string result = {};         // JSON: content, error; empty: none or not kept
  std::string error = {};
  bool unknown_outcome = false;  // it was running when the process died
  std::int64_t created_at = 0;
  std::int64_t decided_at = 0;
  std::int64_t started_at = 0;
  std::int64_t ended_at = 0;
  std::int64_t expires_at = 0;  // 0: never; of one that waits
};

// Whether `caller` may read what came of it: nobody else, and not what is still looked at.
inline bool is_result_for(const InvocationRow& row, std::string_view caller) {
  return row.caller == caller && row.state == InvocationState::Completed;
}

struct InvocationQuery {
  std::optional<InvocationState> state = {};
  std::string session_id = {};  // empty: any
  std::string tool_id = {};
  std::string before = {};  // an id; older ones than it
  std::size_t limit = 100;
};

struct AuditQuery {
  std::int64_t after = 0;   // sequence number
  std::int64_t before = 0;  // 0: no end; with it the newest ones below it
  std::string tool_id = {};
  std::int64_t since = 0;  // milliseconds since 1970
  std::size_t limit = 100;
  bool newest_first = false;
};

// A tool behind an HTTP URL, as it was registered: JSON of docs/api.md.
struct HttpToolRow {
  std::string name = {};
  std::string definition = {};
  std::int64_t created_at = 0;
};

// A turn in which the model called tools of the client beside ours: what the client does not know
// of it. agent/turn_history writes it.
struct TurnRow {
  std::string caller = {};
  std::string id = {};
  std::string record = {};  // JSON
  std::int64_t expires_at = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  // Everything between is written together or not at all. commit() returns when it is durable.
  virtual Result<void> begin() = 0;
  virtual Result<void> commit() = 0;
  virtual void roll_back() = 0;

  virtual Result<void> insert_invocation(const InvocationRow& row) = 0;
  virtual Result<void> update_invocation(const InvocationRow& row) = 0;
  virtual Result<std::optional<InvocationRow>> find_invocation(std::string_view id) = 0;
  // Newest first.
  virtual Result<std::vector<InvocationRow>> list_invocations(const InvocationQuery& query) = 0;
  // Those that have not ended, oldest first.
  virtual Result<std::vector<InvocationRow>> open_invocations() = 0;
  // Ended ones beyond the newest `keep`; gives how many went.
  virtual Result<std::size_t> prune_invocations(std::size_t keep) = 0;

  virtual Result<void> append_audit(const AuditEntry& entry) = 0;
  virtual Result<std::optional<AuditEntry>> last_audit() = 0;
  virtual Result<std::vector<AuditEntry>> read_audit(const AuditQuery& query) = 0;

  virtual Result<void> put_approval(const Approval& approval) = 0;
  virtual Result<void> remove_approval(std::string_view id) = 0;
  // Least recently used first.
  virtual Result<std::vector<Approval>> load_approvals() = 0;

  virtual Result<void> put_http_tool(const HttpToolRow& tool) = 0;
  virtual Result<bool> remove_http_tool(std::string_view name) = 0;
  virtual Result<std::vector<HttpToolRow>> load_http_tools() = 0;

  virtual Result<void> put_turn(const TurnRow& turn) = 0;
  virtual Result<std::optional<TurnRow>> find_turn(std::string_view caller,
                                                   std::string_view id) = 0;
  virtual Result<void> prune_turns(std::int64_t now) = 0;
};

}  // namespace toolgate
