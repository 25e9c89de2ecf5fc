// A prepared statement of SQLite: parameters in, columns out. database.h makes and keeps them.
#pragma once

#include <cstdint>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace toolgate {

class Statement {
 public:
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}

  // Texts are referred to and must live until reset(). What cannot be bound makes step() fail.
  void bind(int parameter, std::string_view text) {
    // Without a pointer SQLite would bind null.
    const char* data = text.data() ? text.data() : "";
    note(sqlite3_bind_text64(handle_.get(), parameter, data, text.size(), SQLITE_STATIC,
                             SQLITE_UTF8));
  }
  void bind(int parameter, std::int64_t number) {
    note(sqlite3_bind_int64(handle_.get(), parameter, number));
  }

  // SQLITE_ROW, SQLITE_DONE or what went wrong.
  int step() { return fault_ == SQLITE_OK ? sqlite3_step(handle_.get()) : fault_; }
  // Ends a reader's view of the database, which would keep the log from being emptied.
  void reset() {
    sqlite3_reset(handle_.get());
    sqlite3_clear_bindings(handle_.get());
    fault_ = SQLITE_OK;
  }

  std::string_view text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
    return data ? std::string_view(data, size) : std::string_view();
  }
  std::int64_t number(int column) const { return sqlite3_column_int64(handle_.get(), column); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };

  void note(int code) {
    if (fault_ == SQLITE_OK) fault_ = code;
  }

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int fault_ = SQLITE_OK;
};

// Resets at the end of a block.
class StatementUse {
 public:
  explicit StatementUse(Statement& statement) : statement_(statement) {}
  StatementUse(const StatementUse&) = delete;
  StatementUse& operator=(const StatementUse&) = delete;
  ~StatementUse() { statement_.reset(); }

 private:
  Statement& statement_;
};

}  // namespace toolgate
