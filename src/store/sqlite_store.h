// The store in a SQLite file: what was committed survives a crash of the program and of the
// machine. open.cpp makes it, the ledger's thread uses it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "invoke/store.h"

namespace toolgate {

class Database;

class SqliteStore final : public Store {
 public:
  struct Options {
    bool durable = true;  // false, for measuring only: the disk is not waited for
  };

  // Makes the file where there is none. The errors name the file and say what to do.
  static Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& file,
                                                   Options options);
  static Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& file) {
    return open(file, Options{});
  }
  ~SqliteStore() override;

  // A write that fails spoils its transaction: commit() then gives its error and writes nothing.
  Result<void> begin() override;
  Result<void> commit() override;
  void roll_back() override;

  Result<void> insert_invocation(const InvocationRow& row) override;
  // A call's session and time of creation stay as they are.
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
  explicit SqliteStore(std::unique_ptr<Database> database);

  // Runs a statement that changes rows and gives how many it changed.
  template <class Bind>
  Result<std::size_t> change(std::string_view sql, Bind bind);
  template <class Row, class Bind>
  Result<std::vector<Row>> select(std::string_view sql, Bind bind);
  // The place of a call in the order they came.
  Result<std::int64_t> number_of(const std::string& id);
  std::unexpected<Error> spoil(Error error);

  std::unique_ptr<Database> database_;
  bool in_transaction_ = false;
  std::optional<Error> spoiled_;
};

}  // namespace toolgate
