// What a file on disk adds to a store: it stays, it can be damaged, full, open elsewhere.
#include "store/sqlite_store.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <vector>

#include <gtest/gtest.h>

#include "invoke/memory_store.h"
#include "store/database.h"
#include "store/open.h"
#include "store_rows.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

using Ids = std::vector<std::string>;

unsigned mode_of(const std::filesystem::path& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
}

// No file of this process becomes larger while it lives; a disk that is full looks much the same.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int);
};

class SqliteStoreTest : public testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    auto store = SqliteStore::open(file_);
    EXPECT_TRUE(store) << store.error().message;
    return store ? std::move(*store) : nullptr;
  }
  std::string error() {
    const auto store = SqliteStore::open(file_);
    if (store) return "no error";
    EXPECT_EQ(store.error().code, Errc::Io);
    EXPECT_EQ(store.error().where, file_.string());
    return store.error().message;
  }
  void run(const char* sql) {
    const auto done = Database::open(file_, false).value()->run(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::string file_with(const char* suffix) { return file_.string() + suffix; }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "data" / "toolgate.db";
};

TEST_F(SqliteStoreTest, KeepsWhatWasCommittedAndNothingElse) {
  {
    const auto store = open();
    ASSERT_TRUE(store->begin());
    ASSERT_TRUE(store->insert_invocation(sample_call("a")));
    ASSERT_TRUE(store->append_audit(sample_entry(1)));
    ASSERT_TRUE(store->commit());
    ASSERT_TRUE(store->begin());
    ASSERT_TRUE(store->insert_invocation(sample_call("b")));
  }
  const auto store = open();
  EXPECT_EQ(ids_of(store->list_invocations({}).value()), Ids{"a"});
  EXPECT_TRUE(same(store->find_invocation("a").value().value(), sample_call("a")));
  EXPECT_TRUE(same(store->last_audit().value().value(), sample_entry(1)));
}

// As after a crash: the files are taken as they are while the store is still open.
TEST_F(SqliteStoreTest, HasWhatWasCommittedInItsFilesAtOnce) {
  const auto store = open();
  ASSERT_TRUE(store->begin());
  ASSERT_TRUE(store->insert_invocation(sample_call("a")));
  ASSERT_TRUE(store->commit());
  ASSERT_TRUE(store->begin());
  ASSERT_TRUE(store->insert_invocation(sample_call("b")));
  const auto copy = folder_.path() / "copy.db";
  std::filesystem::copy_file(file_, copy);
  std::filesystem::copy_file(file_with("-wal"), copy.string() + "-wal");
  EXPECT_EQ(ids_of(SqliteStore::open(copy).value()->list_invocations({}).value()), Ids{"a"});
}

TEST_F(SqliteStoreTest, WaitsForTheDisk) {
  const auto durable = Database::open(file_, true).value();
  EXPECT_EQ(durable->ask("PRAGMA synchronous").value(), "2");
  EXPECT_EQ(durable->ask("PRAGMA journal_mode").value(), "wal");
  EXPECT_EQ(Database::open(file_, false).value()->ask("PRAGMA synchronous").value(), "0");
}

TEST_F(SqliteStoreTest, IsForItsOwnerOnly) {
  const auto store = open();
  ASSERT_TRUE(store->insert_invocation(sample_call("a")));
  EXPECT_EQ(mode_of(file_.parent_path()), 0700u);
  EXPECT_EQ(mode_of(file_), 0600u);
  EXPECT_EQ(mode_of(file_with("-wal")), 0600u);
  EXPECT_EQ(mode_of(file_with("-shm")), 0600u);
}

TEST_F(SqliteStoreTest, TakesFromOthersWhatTheyCouldRead) {
  const auto store = open();
  ASSERT_TRUE(store->insert_invocation(sample_call("a")));
  for (const char* suffix : {"", "-wal", "-shm"})
    ASSERT_EQ(::chmod(file_with(suffix).c_str(), 0644), 0);
  open().reset();
  for (const char* suffix : {"", "-wal", "-shm"})
    EXPECT_EQ(mode_of(file_with(suffix)), 0600u) << suffix;
}

TEST_F(SqliteStoreTest, LeavesOneFileWhenClosed) {
  {
    const auto store = open();
    ASSERT_TRUE(store->insert_invocation(sample_call("a")));
    EXPECT_TRUE(std::filesystem::exists(file_with("-wal")));
  }
  EXPECT_FALSE(std::filesystem::exists(file_with("-wal")));
  EXPECT_TRUE(open()->find_invocation("a").value());
}

TEST_F(SqliteStoreTest, BoundsItsLog) {
  const auto store = SqliteStore::open(file_, {.durable = false}).value();
  InvocationRow row = sample_call("");
  row.arguments.assign(100'000, 'x');
  for (int i = 0; i < 400; ++i) {
    row.id = std::to_string(i);
    ASSERT_TRUE(store->insert_invocation(row));
  }
  EXPECT_GT(std::filesystem::file_size(file_), 20'000'000u);
  EXPECT_LT(std::filesystem::file_size(file_with("-wal")), 10'000'000u);
}

TEST_F(SqliteStoreTest, SeesWhatAnotherHandleCommitted) {
  const auto first = open();
  const auto second = open();
  ASSERT_TRUE(first->begin());
  ASSERT_TRUE(first->insert_invocation(sample_call("a")));
  EXPECT_FALSE(second->find_invocation("a").value());
  ASSERT_TRUE(first->commit());
  EXPECT_TRUE(second->find_invocation("a").value());
  ASSERT_TRUE(second->begin());
  ASSERT_TRUE(second->insert_invocation(sample_call("b")));
  ASSERT_TRUE(second->commit());
  EXPECT_EQ(ids_of(first->list_invocations({}).value()), (Ids{"b", "a"}));
}

TEST_F(SqliteStoreTest, ReadsWhileAnotherHandleWrites) {
  const auto writer = open();
  ASSERT_TRUE(writer->insert_invocation(sample_call("a")));
  ASSERT_TRUE(writer->begin());
  ASSERT_TRUE(writer->update_invocation(sample_call("a", InvocationState::Completed)));
  EXPECT_TRUE(same(open()->find_invocation("a").value().value(), sample_call("a")));
  ASSERT_TRUE(writer->commit());
}

TEST_F(SqliteStoreTest, HasTheRightToWriteFromTheBeginningOfATransaction) {
  const auto store = open();
  const auto other = Database::open(file_, false).value();
  ASSERT_TRUE(other->run("PRAGMA busy_timeout = 0"));
  ASSERT_TRUE(store->begin());
  const auto begun = other->run("BEGIN IMMEDIATE");
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().message,
            "the database " + file_.string() + ": database is locked; another program uses it");
  ASSERT_TRUE(store->commit());
  EXPECT_TRUE(other->run("BEGIN IMMEDIATE"));
}

TEST_F(SqliteStoreTest, StaysAsItWasWhenTheDiskRefuses) {
  const auto store = open();
  ASSERT_TRUE(store->insert_invocation(sample_call("a")));
  InvocationRow large = sample_call("b");
  large.result.assign(3'000'000, 'x');
  {
    const FileSizeLimit limit(1'000'000);
    ASSERT_TRUE(store->begin());
    EXPECT_TRUE(store->update_invocation(sample_call("a", InvocationState::Executing)));
    store->insert_invocation(large);  // fails here or when it is committed
    const auto committed = store->commit();
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().code, Errc::Io);
    EXPECT_NE(committed.error().message.find(file_.string()), std::string::npos)
        << committed.error().message;
    EXPECT_NE(committed.error().message.find("File too large"), std::string::npos)
        << committed.error().message;
  }
  EXPECT_EQ(ids_of(store->list_invocations({}).value()), Ids{"a"});
  EXPECT_TRUE(same(store->find_invocation("a").value().value(), sample_call("a")));
  ASSERT_TRUE(store->begin());
  ASSERT_TRUE(store->insert_invocation(large));
  ASSERT_TRUE(store->commit());
  EXPECT_TRUE(same(open()->find_invocation("b").value().value(), large));
}

TEST_F(SqliteStoreTest, RefusesWhatIsNoDatabase) {
  folder_.write("data/toolgate.db", std::string(5000, 'x'));
  EXPECT_EQ(error(), "the database " + file_.string() +
                         ": file is not a database; it is damaged: move it away together with " +
                         file_with("-wal") +
                         " to begin with an empty one, or rescue what it holds with " +
                         "'sqlite3 " + file_.string() + " .recover'");
}

TEST_F(SqliteStoreTest, SaysWhenItsPagesAreDamaged) {
  {
    const auto store = open();
    for (std::int64_t i = 1; i <= 200; ++i) ASSERT_TRUE(store->append_audit(sample_entry(i)));
  }
  const auto size = std::filesystem::file_size(file_);
  std::fstream stream(file_, std::ios::in | std::ios::out | std::ios::binary);
  constexpr std::size_t kFirstPage = 8192;
  stream.seekp(kFirstPage);
  stream << std::string(size - kFirstPage, '\xff');
  stream.close();
  const auto store = open();
  const auto entries = store->read_audit({.limit = 1000});
  ASSERT_FALSE(entries);
  EXPECT_EQ(entries.error().code, Errc::Io);
  EXPECT_NE(entries.error().message.find(file_.string()), std::string::npos);
  EXPECT_NE(entries.error().message.find("it is damaged"), std::string::npos)
      << entries.error().message;
}

TEST_F(SqliteStoreTest, RefusesValuesItDoesNotKnow) {
  open()->insert_invocation(sample_call("a")).value();
  run("UPDATE invocations SET state = 7");
  EXPECT_NE(open()->find_invocation("a").error().message.find("it is damaged"), std::string::npos);
  open()->append_audit(sample_entry(1)).value();
  run("UPDATE audit SET kind = 'undone'");
  EXPECT_FALSE(open()->last_audit());
}

TEST_F(SqliteStoreTest, RefusesAFolderInItsPlace) {
  std::filesystem::create_directories(file_);
  EXPECT_EQ(error(), file_.string() + " is not a file");
}

TEST_F(SqliteStoreTest, SaysWhichFolderCannotBeMade) {
  folder_.write("data", "a file");
  const auto store = SqliteStore::open(file_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().message,
            "cannot make the folder " + file_.parent_path().string() + ": File exists");
}

class OpenStore : public testing::Test {
 protected:
  Result<std::unique_ptr<Store>> opened(std::string_view setting) {
    return open_store(setting, folder_.path() / "data");
  }
  bool has(const char* name) { return std::filesystem::exists(folder_.path() / name); }

  TemporaryFolder folder_;
};

TEST_F(OpenStore, MeansADatabaseInTheDataFolder) {
  ASSERT_TRUE(opened(""));
  EXPECT_TRUE(has("data/toolgate.db"));
}

TEST_F(OpenStore, TakesAPathFromTheDataFolderOn) {
  ASSERT_TRUE(opened("sqlite:other/own.db"));
  EXPECT_TRUE(has("data/other/own.db"));
  ASSERT_TRUE(opened("sqlite:" + (folder_.path() / "absolute.db").string()));
  EXPECT_TRUE(has("absolute.db"));
  ASSERT_TRUE(opened("sqlite:"));
  EXPECT_TRUE(has("data/toolgate.db"));
}

TEST_F(OpenStore, KeepsNothingOnDiskWhenAskedTo) {
  const auto store = opened("memory:");
  ASSERT_TRUE(store);
  EXPECT_TRUE(dynamic_cast<MemoryStore*>(store->get()));
  EXPECT_FALSE(has("data"));
}

TEST_F(OpenStore, SaysThatPostgresDoesNotExistYet) {
  const auto store = opened("postgres://localhost/toolgate");
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, Errc::InvalidSettings);
  EXPECT_EQ(store.error().where, "toolgate.store");
  EXPECT_EQ(store.error().message,
            "toolgate.store cannot be PostgreSQL yet; use \"sqlite:PATH\" or leave it out");
}

TEST_F(OpenStore, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(opened("redis:x").error().message,
            "toolgate.store is \"sqlite:PATH\" or \"memory:\", not \"redis:x\"");
}

}  // namespace
}  // namespace toolgate
