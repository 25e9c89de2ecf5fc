// A connection to a SQLite file, its prepared statements, and its failures in words. SqliteStore
// and the migrations use it, on one thread at a time.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "store/statement.h"
#include "toolgate/error.h"

namespace toolgate {

class Database {
 public:
  // Makes the file and its folder, private to their owner, where there are none.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& file, bool durable);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& file() const { return file_; }

  // Prepared at its first use, then kept.
  Result<Statement*> statement(std::string_view sql);
  // Runs statements that give nothing.
  Result<void> run(const char* sql);
  // The first column of the only row.
  Result<std::string> ask(std::string_view sql);

  // Harmless where there is no transaction.
  void roll_back();
  // SQLite ends a transaction by itself after some failures.
  bool is_in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  std::size_t changed_rows() const {
    return static_cast<std::size_t>(sqlite3_changes64(handle_.get()));
  }

  // What the last call that failed with `code` ran into.
  std::unexpected<Error> failure(int code) const;

 private:
  struct Close {
    // The last connection that closes empties the write-ahead log into the file.
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };

  Database(sqlite3* handle, std::string file) : handle_(handle), file_(std::move(file)) {}
  Result<void> configure(bool durable);

  std::unique_ptr<sqlite3, Close> handle_;
  std::string file_;
  std::map<std::string, Statement, std::less<>> statements_;  // must go before the connection
};

}  // namespace toolgate
