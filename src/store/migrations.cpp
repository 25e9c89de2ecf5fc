#include "store/migrations.h"

#include <charconv>
#include <cstdint>

#include "store/database.h"

namespace toolgate {
namespace {

constexpr std::int64_t kApplication = 0x746f6f6c;  // "tool", in the header of the file

constexpr const char* kFirstTables = R"(
CREATE TABLE invocations (
  number INTEGER PRIMARY KEY,  -- in the order they came
  id TEXT NOT NULL UNIQUE,
  call_id TEXT NOT NULL,
  tool_id TEXT NOT NULL,
  source TEXT NOT NULL,
  request_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  caller TEXT NOT NULL,
  workspace TEXT NOT NULL,
  state INTEGER NOT NULL,
  unknown_outcome INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  decided_at INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  definition_hash TEXT NOT NULL,
  binding_hash TEXT NOT NULL,
  decision TEXT NOT NULL,
  post_decision TEXT NOT NULL,
  error TEXT NOT NULL,
  confirmation TEXT NOT NULL,
  arguments TEXT NOT NULL,
  result TEXT NOT NULL
) STRICT;
CREATE INDEX invocations_by_state ON invocations (state);
CREATE INDEX invocations_by_session ON invocations (session_id) WHERE session_id <> '';

CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  invocation_id TEXT NOT NULL,
  tool_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  actor TEXT NOT NULL,
  data TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE approvals (
  id TEXT NOT NULL PRIMARY KEY,
  side TEXT NOT NULL,
  target TEXT NOT NULL,
  scope TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  key TEXT NOT NULL,
  tool_id TEXT NOT NULL,
  label TEXT NOT NULL,
  caller TEXT NOT NULL,
  definition_hash TEXT NOT NULL,
  definition TEXT NOT NULL,
  given_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE http_tools (
  name TEXT NOT NULL PRIMARY KEY,
  definition TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
)";

constexpr const char* kTurns = R"(
CREATE TABLE turns (
  caller TEXT NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (caller, id)
) STRICT;
CREATE INDEX turns_by_expiry ON turns (expires_at);
)";

constexpr const char* kMigrations[] = {kFirstTables, kTurns};

Result<std::int64_t> ask_number(Database& database, std::string_view sql) {
  const auto text = database.ask(sql);
  if (!text) return std::unexpected(text.error());
  std::int64_t number = 0;
  std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

Result<std::int64_t> read_version(Database& database) {
  return ask_number(database, "PRAGMA user_version");
}

// Gives the version of a file that is ours, or that is empty and may become so.
Result<std::int64_t> inspect(Database& database, std::int64_t newest) {
  // In this order: another process may be making the tables.
  const auto tables = ask_number(database, "SELECT count(*) FROM sqlite_schema");
  if (!tables) return std::unexpected(tables.error());
  const auto application = ask_number(database, "PRAGMA application_id");
  if (!application) return std::unexpected(application.error());
  const std::string& file = database.file();
  if (*application != kApplication && (*application != 0 || *tables != 0))
    return fail_at(file, Errc::Io,
                   "{} is a database of another program; choose another file with toolgate.store",
                   file);
  const auto version = read_version(database);
  if (version && *version > newest)
    return fail_at(file, Errc::Io,
                   "{} was written by a newer toolgate: it has format {} and this one knows {}; "
                   "use the newer one, or another data folder with --data",
                   file, *version, newest);
  return version;
}

Result<void> run_step(Database& database, const char* sql, std::int64_t version) {
  if (auto begun = database.run("BEGIN IMMEDIATE"); !begun) return begun;
  // Another process may have done it while this one waited.
  const auto found = read_version(database);
  Result<void> done = found ? Result<void>() : std::unexpected(found.error());
  if (found && *found < version) {
    const std::string marks =
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, version);
    done = database.run(sql);
    if (done) done = database.run(marks.c_str());
  }
  if (done) done = database.run("COMMIT");
  if (!done) database.roll_back();
  return done;
}

}  // namespace

std::span<const char* const> migrations() {
  return kMigrations;
}

Result<void> migrate(Database& database, std::span<const char* const> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  const auto version = inspect(database, newest);
  if (!version) return std::unexpected(version.error());
  for (std::int64_t step = *version; step < newest; ++step)
    if (auto done = run_step(database, steps[static_cast<std::size_t>(step)], step + 1); !done)
      return done;
  return {};
}

}  // namespace toolgate
