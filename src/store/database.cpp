#include "store/database.h"

#include <cstring>

#include "store/private_files.h"

namespace toolgate {
namespace {

constexpr int kBusyMilliseconds = 5000;

// A log that grew under load is cut to this when it is empty again.
constexpr const char* kPragmas =
    "PRAGMA foreign_keys = OFF;"
    "PRAGMA secure_delete = FAST;"
    "PRAGMA journal_size_limit = 16777216;";

std::string advice(int code, const std::string& file) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return fmt::format(
          "; it is damaged: move it away together with {0}-wal to begin with an empty one, or "
          "rescue what it holds with 'sqlite3 {0} .recover'",
          file);
    case SQLITE_FULL:
      return "; make room on its disk";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return "; the file and its folder must be writable";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "; another program uses it";
    default:
      return "";
  }
}

bool has_system_cause(int code) {
  return (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file, bool durable) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  // SQLite gives its -wal and -shm files the mode of the main one.
  for (const char* suffix : {"-wal", "-shm"})
    if (std::error_code error; std::filesystem::exists(path.string() + suffix, error))
      if (auto made = make_private_file(path.string() + suffix); !made)
        return std::unexpected(made.error());
  if (auto made = make_private_file(path); !made) return std::unexpected(made.error());

  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<Database> database(new Database(handle, path.string()));
  if (opened != SQLITE_OK) return database->failure(opened);
  if (auto configured = database->configure(durable); !configured)
    return std::unexpected(configured.error());
  return database;
}

Result<void> Database::configure(bool durable) {
  sqlite3_extended_result_codes(handle_.get(), 1);
  sqlite3_busy_timeout(handle_.get(), kBusyMilliseconds);
  if (sqlite3_db_readonly(handle_.get(), "main") == 1) return failure(SQLITE_READONLY);
  // Of a new file, and before there is anything in it: half as many writes as with 4096.
  if (auto set = run("PRAGMA page_size = 8192"); !set) return set;
  const auto mode = ask("PRAGMA journal_mode = WAL");
  if (!mode) return std::unexpected(mode.error());
  if (*mode != "wal")
    return fail_at(file_, Errc::Io,
                   "{} is on a file system where SQLite cannot keep a write-ahead log; choose "
                   "another one with toolgate.store",
                   file_);
  if (auto set = run(kPragmas); !set) return set;
  return run(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF");
}

Result<Statement*> Database::statement(std::string_view sql) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return &found->second;
  sqlite3_stmt* handle = nullptr;
  const int prepared = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (prepared != SQLITE_OK) return failure(prepared);
  return &statements_.emplace(sql, Statement(handle)).first->second;
}

Result<void> Database::run(const char* sql) {
  const int done = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (done != SQLITE_OK) return failure(done);
  return {};
}

// Its failure would say that SQLite has rolled back already.
void Database::roll_back() {
  if (is_in_transaction()) sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<std::string> Database::ask(std::string_view sql) {
  const auto prepared = statement(sql);
  if (!prepared) return std::unexpected(prepared.error());
  const StatementUse use(**prepared);
  if (const int stepped = (*prepared)->step(); stepped != SQLITE_ROW) return failure(stepped);
  return std::string((*prepared)->text(0));
}

std::unexpected<Error> Database::failure(int code) const {
  std::string cause = sqlite3_errstr(code);
  if (handle_ && sqlite3_extended_errcode(handle_.get()) == code)
    cause = sqlite3_errmsg(handle_.get());
  if (handle_ && has_system_cause(code))
    if (const int reason = sqlite3_system_errno(handle_.get()); reason != 0)
      cause += fmt::format(", {}", std::strerror(reason));
  return fail_at(file_, Errc::Io, "the database {}: {}{}", file_, cause, advice(code, file_));
}

}  // namespace toolgate
