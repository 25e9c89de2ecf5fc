// A store that forgets when the process ends: `toolgate.store` "memory:", and tests, which can make
// it fail. Transactions roll back as SQLite's do.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "invoke/store.h"

namespace toolgate {

class MemoryStore final : public Store {
 public:
  // Counted from 1 since they were set; 0: never. Each fails once, without effect.
  struct Faults {
    std::size_t operation = 0;  // anything but commit() and roll_back()
    std::size_t commit = 0;
  };

  // Of more audit entries than `keep_audit` the oldest go.
  MemoryStore() : MemoryStore(Faults{}) {}
  explicit MemoryStore(Faults faults, std::size_t keep_audit = 100'000);

  void set_faults(Faults faults);
  std::size_t operations() const { return operations_; }  // since faults were set
  std::size_t commits() const { return commits_; }

  Result<void> begin() override;
  Result<void> commit() override;
  void roll_back() override;

  Result<void> insert_invocation(const InvocationRow& row) override;
  Result<void> update_invocation(const InvocationRow& row) override;
  Result<std::optional<InvocationRow>> find_invocation(std::string_view id) override;
  Result<std::vector<InvocationRow>> list_invocations(const InvocationQuery& query) override;
  Result<std::vector<InvocationRow>> open_invocations() override;
  Result<std::size_t> prune_invocations(std::size_t keep) override;

  Result<void> append_audit(const AuditEntry& entry) override;
  Result<std::optional<AuditEntry>> last_audit() override;
  Result<std::vector<AuditEntry>> read_audit(const AuditQuery& query) override;

  Result<void> put_approval(const Approval& approval) override;
  Result<void> remove_approval(std::string_view id) override;
  Result<std::vector<Approval>> load_approvals() override;

  Result<void> put_http_tool(const HttpToolRow& tool) override;
  Result<bool> remove_http_tool(std::string_view name) override;
  Result<std::vector<HttpToolRow>> load_http_tools() override;

  Result<void> put_turn(const TurnRow& turn) override;
  Result<std::optional<TurnRow>> find_turn(std::string_view caller, std::string_view id) override;
  Result<void> prune_turns(std::int64_t now) override;

 private:
  using Rows = std::map<std::int64_t, InvocationRow>;  // by the order they came in

  Result<void> count_operation();
  // Before each change: a transaction with a failed change in it takes no more.
  Result<void> begin_change();
  std::unexpected<Error> spoil(Error error);
  void on_roll_back(std::move_only_function<void()> undo);
  template <class Value>
  void put(std::map<std::string, Value, std::less<>>& values, const std::string& key, Value value);
  template <class Value>
  bool remove(std::map<std::string, Value, std::less<>>& values, std::string_view key);

  Faults faults_;
  std::size_t operations_ = 0;
  std::size_t commits_ = 0;

  bool in_transaction_ = false;
  std::optional<Error> spoiled_;
  std::vector<std::move_only_function<void()>> undo_;

  Rows rows_;
  std::int64_t next_row_ = 1;
  std::unordered_map<std::string, std::int64_t> row_numbers_;  // by id
  std::size_t keep_audit_;
  std::deque<AuditEntry> audit_;
  std::map<std::string, Approval, std::less<>> approvals_;
  std::map<std::string, HttpToolRow, std::less<>> http_tools_;
  std::map<std::string, TurnRow, std::less<>> turns_;  // by caller and id
};

}  // namespace toolgate
