#include "store/sqlite_store.h"

#include <algorithm>
#include <limits>

#include "store/database.h"
#include "store/migrations.h"
#include "store/rows.h"

namespace toolgate {
namespace {

template <class Row>
std::string select_from() {
  return fmt::format("SELECT {} FROM {}", fmt::join(Columns<Row>::kNames, ", "),
                     Columns<Row>::kTable);
}

template <class Row>
std::string write_into(std::string_view verb) {
  std::string values;
  for (std::size_t i = 1; i <= Columns<Row>::kNames.size(); ++i)
    values += fmt::format("{}?{}", i == 1 ? "" : ", ", i);
  return fmt::format("{} INTO {} ({}) VALUES ({})", verb, Columns<Row>::kTable,
                     fmt::join(Columns<Row>::kNames, ", "), values);
}

// What would move a row in an index for nothing is left out.
bool stays(std::string_view column) {
  return column == "id" || column == "session_id" || column == "created_at";
}

std::string update_invocations() {
  const auto& names = Columns<InvocationRow>::kNames;
  std::string values;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!stays(names[i]))
      values += fmt::format("{}{} = ?{}", values.empty() ? "" : ", ", names[i], i + 1);
  return fmt::format("UPDATE invocations SET {} WHERE id = ?1", values);
}

constexpr std::string_view kPrune =
    "DELETE FROM invocations WHERE state IN (4, 5) AND number <= (SELECT number FROM ("
    "SELECT number FROM invocations WHERE state = 4 UNION ALL "
    "SELECT number FROM invocations WHERE state = 5) ORDER BY number DESC LIMIT 1 OFFSET ?1)";

// The conditions that a query has, of parameters with fixed numbers.
std::string list_statement(const InvocationQuery& query) {
  std::string sql = select_from<InvocationRow>() + " WHERE true";
  if (query.state) sql += " AND state = ?1";
  if (!query.session_id.empty()) sql += " AND session_id = ?2 AND session_id <> ''";
  if (!query.tool_id.empty()) sql += " AND tool_id = ?3";
  if (!query.before.empty()) sql += " AND number < ?4";
  return sql + " ORDER BY number DESC LIMIT ?5";
}

std::string read_statement(const AuditQuery& query, bool newest) {
  std::string sql = select_from<AuditEntry>() + " WHERE sequence > ?1";
  if (query.before != 0) sql += " AND sequence < ?2";
  if (!query.tool_id.empty()) sql += " AND tool_id = ?3";
  if (query.since != 0) sql += " AND at >= ?4";
  return sql + (newest ? " ORDER BY sequence DESC LIMIT ?5" : " ORDER BY sequence LIMIT ?5");
}

std::int64_t as_limit(std::size_t limit) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min<std::size_t>(limit, kMost));
}

template <class Row>
auto all_of(const Row& row) {
  return [&row](Statement& statement) { bind_row(statement, row); };
}

template <class Value>
auto only(Value value) {
  return [value](Statement& statement) { statement.bind(1, value); };
}

constexpr auto kNothing = [](Statement&) {};

template <class Row>
std::optional<Row> first_of(std::vector<Row> rows) {
  return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

Errc code_of(int sqlite_code) {
  const bool taken = sqlite_code == SQLITE_CONSTRAINT_UNIQUE ||
                     sqlite_code == SQLITE_CONSTRAINT_PRIMARYKEY ||
                     sqlite_code == SQLITE_CONSTRAINT_ROWID;
  return taken ? Errc::AlreadyExists : Errc::Io;
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::filesystem::path& file,
                                                       Options options) {
  auto database = Database::open(file, options.durable);
  if (!database) return std::unexpected(database.error());
  if (auto migrated = migrate(**database); !migrated) return std::unexpected(migrated.error());
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(*database)));
}

SqliteStore::SqliteStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}

SqliteStore::~SqliteStore() {
  roll_back();
}

std::unexpected<Error> SqliteStore::spoil(Error error) {
  if (in_transaction_ && !spoiled_) spoiled_ = error;
  return std::unexpected(std::move(error));
}

template <class Bind>
Result<std::size_t> SqliteStore::change(std::string_view sql, Bind bind) {
  if (spoiled_) return std::unexpected(*spoiled_);
  // Else this change would be written alone, without the ones before it.
  if (in_transaction_ && !database_->is_in_transaction())
    return spoil({Errc::Io, "SQLite has ended the transaction", database_->file()});
  const auto statement = database_->statement(sql);
  if (!statement) return spoil(statement.error());
  const StatementUse use(**statement);
  bind(**statement);
  if (const int stepped = (*statement)->step(); stepped != SQLITE_DONE) {
    Error error = database_->failure(stepped).error();
    error.code = code_of(stepped);
    return spoil(std::move(error));
  }
  return database_->changed_rows();
}

template <class Row, class Bind>
Result<std::vector<Row>> SqliteStore::select(std::string_view sql, Bind bind) {
  const auto statement = database_->statement(sql);
  if (!statement) return std::unexpected(statement.error());
  const StatementUse use(**statement);
  bind(**statement);
  std::vector<Row> rows;
  int stepped = (*statement)->step();
  for (; stepped == SQLITE_ROW; stepped = (*statement)->step()) {
    auto row = read_row<Row>(**statement);
    if (!row) return database_->failure(SQLITE_CORRUPT);
    rows.push_back(std::move(*row));
  }
  if (stepped != SQLITE_DONE) return database_->failure(stepped);
  return rows;
}

Result<void> SqliteStore::begin() {
  if (in_transaction_) return fail(Errc::Internal, "a transaction has begun already");
  // Takes the right to write at once, so that nothing fails for want of it later.
  if (auto begun = change("BEGIN IMMEDIATE", kNothing); !begun)
    return std::unexpected(begun.error());
  in_transaction_ = true;
  return {};
}

Result<void> SqliteStore::commit() {
  if (!in_transaction_) return fail(Errc::Internal, "no transaction has begun");
  const auto committed = change("COMMIT", kNothing);
  if (!committed) {
    roll_back();
    return std::unexpected(committed.error());
  }
  in_transaction_ = false;
  return {};
}

void SqliteStore::roll_back() {
  database_->roll_back();
  in_transaction_ = false;
  spoiled_.reset();
}

Result<void> SqliteStore::insert_invocation(const InvocationRow& row) {
  static const std::string sql = write_into<InvocationRow>("INSERT");
  const auto changed = change(sql, all_of(row));
  if (!changed) return std::unexpected(changed.error());
  return {};
}

Result<void> SqliteStore::update_invocation(const InvocationRow& row) {
  static const std::string sql = update_invocations();
  const auto changed = change(sql, all_of(row));
  if (!changed) return std::unexpected(changed.error());
  if (*changed == 0)
    return spoil({Errc::NotFound, fmt::format("there is no call '{}'", row.id), {}});
  return {};
}

Result<std::optional<InvocationRow>> SqliteStore::find_invocation(std::string_view id) {
  static const std::string sql = select_from<InvocationRow>() + " WHERE id = ?1";
  auto rows = select<InvocationRow>(sql, only(id));
  if (!rows) return std::unexpected(rows.error());
  return first_of(std::move(*rows));
}

Result<std::int64_t> SqliteStore::number_of(const std::string& id) {
  const auto statement = database_->statement("SELECT number FROM invocations WHERE id = ?1");
  if (!statement) return std::unexpected(statement.error());
  const StatementUse use(**statement);
  (*statement)->bind(1, id);
  const int stepped = (*statement)->step();
  if (stepped == SQLITE_DONE) return fail_at("before", Errc::NotFound, "there is no call '{}'", id);
  if (stepped != SQLITE_ROW) return database_->failure(stepped);
  return (*statement)->number(0);
}

Result<std::vector<InvocationRow>> SqliteStore::list_invocations(const InvocationQuery& query) {
  std::int64_t before = 0;
  if (!query.before.empty()) {
    const auto number = number_of(query.before);
    if (!number) return std::unexpected(number.error());
    before = *number;
  }
  return select<InvocationRow>(list_statement(query), [&](Statement& statement) {
    if (query.state) bind_value(statement, 1, *query.state);
    statement.bind(2, query.session_id);
    statement.bind(3, query.tool_id);
    statement.bind(4, before);
    statement.bind(5, as_limit(query.limit));
  });
}

Result<std::vector<InvocationRow>> SqliteStore::open_invocations() {
  static const std::string sql =
      select_from<InvocationRow>() + " WHERE state IN (0, 1, 2, 3, 6) ORDER BY number";
  return select<InvocationRow>(sql, kNothing);
}

Result<std::size_t> SqliteStore::prune_invocations(std::size_t keep) {
  return change(kPrune, only(as_limit(keep)));
}

Result<void> SqliteStore::append_audit(const AuditEntry& entry) {
  static const std::string sql = write_into<AuditEntry>("INSERT");
  const auto changed = change(sql, all_of(entry));
  if (!changed) return std::unexpected(changed.error());
  return {};
}

Result<std::optional<AuditEntry>> SqliteStore::last_audit() {
  static const std::string sql = select_from<AuditEntry>() + " ORDER BY sequence DESC LIMIT 1";
  auto rows = select<AuditEntry>(sql, kNothing);
  if (!rows) return std::unexpected(rows.error());
  return first_of(std::move(*rows));
}

Result<std::vector<AuditEntry>> SqliteStore::read_audit(const AuditQuery& query) {
  const bool newest = query.newest_first || query.before != 0;
  auto entries = select<AuditEntry>(read_statement(query, newest), [&](Statement& statement) {
    statement.bind(1, query.after);
    statement.bind(2, query.before);
    statement.bind(3, query.tool_id);
    statement.bind(4, query.since);
    statement.bind(5, as_limit(query.limit));
  });
  if (entries && newest && !query.newest_first) std::ranges::reverse(*entries);
  return entries;
}

Result<void> SqliteStore::put_approval(const Approval& approval) {
  static const std::string sql = write_into<Approval>("REPLACE");
  const auto changed = change(sql, all_of(approval));
  if (!changed) return std::unexpected(changed.error());
  return {};
}

Result<void> SqliteStore::remove_approval(std::string_view id) {
  const auto changed = change("DELETE FROM approvals WHERE id = ?1", only(id));
  if (!changed) return std::unexpected(changed.error());
  return {};
}

Result<std::vector<Approval>> SqliteStore::load_approvals() {
  static const std::string sql = select_from<Approval>() + " ORDER BY last_used_at, created_at, id";
  return select<Approval>(sql, kNothing);
}

Result<void> SqliteStore::put_http_tool(const HttpToolRow& tool) {
  static const std::string sql = write_into<HttpToolRow>("REPLACE");
  const auto changed = change(sql, all_of(tool));
  if (!changed) return std::unexpected(changed.error());
  return {};
}

Result<bool> SqliteStore::remove_http_tool(std::string_view name) {
  const auto changed = change("DELETE FROM http_tools WHERE name = ?1", only(name));
  if (!changed) return std::unexpected(changed.error());
  return *changed != 0;
}

Result<std::vector<HttpToolRow>> SqliteStore::load_http_tools() {
  static const std::string sql = select_from<HttpToolRow>() + " ORDER BY created_at, name";
  return select<HttpToolRow>(sql, kNothing);
}

Result<void> SqliteStore::put_turn(const TurnRow& turn) {
  static const std::string sql = write_into<TurnRow>("REPLACE");
  const auto changed = change(sql, all_of(turn));
  if (!changed) return std::unexpected(changed.error());
  return {};
}

Result<std::optional<TurnRow>> SqliteStore::find_turn(std::string_view caller,
                                                      std::string_view id) {
  static const std::string sql = select_from<TurnRow>() + " WHERE caller = ?1 AND id = ?2";
  auto rows = select<TurnRow>(sql, [&](Statement& statement) {
    statement.bind(1, caller);
    statement.bind(2, id);
  });
  if (!rows) return std::unexpected(rows.error());
  return first_of(std::move(*rows));
}

Result<void> SqliteStore::prune_turns(std::int64_t now) {
  const auto changed = change("DELETE FROM turns WHERE expires_at <= ?1", only(now));
  if (!changed) return std::unexpected(changed.error());
  return {};
}

}  // namespace toolgate
