// Bringing a database file to the current format.
#include "store/migrations.h"

#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "store/database.h"
#include "store/sqlite_store.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

class Migrations : public testing::Test {
 protected:
  std::string version() { return database_->ask("PRAGMA user_version").value(); }
  std::string tables() {
    return database_
        ->ask(
            "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE type = 'table'"
            " ORDER BY name)")
        .value();
  }
  std::string error(std::span<const char* const> steps = migrations()) {
    const auto migrated = migrate(*database_, steps);
    if (migrated) return "no error";
    EXPECT_EQ(migrated.error().code, Errc::Io);
    EXPECT_EQ(migrated.error().where, file_.string());
    return migrated.error().message;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "toolgate.db";
  std::unique_ptr<Database> database_ = Database::open(file_, false).value();
};

TEST_F(Migrations, MakeAllTablesFromNothing) {
  EXPECT_EQ(version(), "0");
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(version(), std::to_string(migrations().size()));
  EXPECT_EQ(tables(), "approvals,audit,http_tools,invocations,turns");
}

TEST_F(Migrations, ChangeNothingTheSecondTime) {
  ASSERT_EQ(error(), "no error");
  ASSERT_TRUE(database_->run("INSERT INTO http_tools VALUES ('kept', '{}', 1)"));
  EXPECT_EQ(error(), "no error");
  EXPECT_EQ(database_->ask("SELECT name FROM http_tools").value(), "kept");
}

TEST_F(Migrations, RunOnlyTheStepsThatAreMissing) {
  const std::array steps{"CREATE TABLE one (a)", "CREATE TABLE two (a)", "CREATE TABLE three (a)"};
  EXPECT_EQ(error(std::span(steps).first(1)), "no error");
  EXPECT_EQ(tables(), "one");
  EXPECT_EQ(error(steps), "no error");
  EXPECT_EQ(tables(), "one,three,two");
  EXPECT_EQ(version(), "3");
}

TEST_F(Migrations, TakeBackAStepThatFails) {
  const std::array steps{"CREATE TABLE one (a)", "CREATE TABLE two (a); CREATE TABLE one (a)"};
  EXPECT_EQ(error(steps), "the database " + file_.string() + ": table one already exists");
  EXPECT_EQ(tables(), "one");
  EXPECT_EQ(version(), "1");
  EXPECT_FALSE(database_->is_in_transaction());
}

TEST_F(Migrations, RefuseAFileOfANewerProgram) {
  ASSERT_EQ(error(), "no error");
  ASSERT_TRUE(database_->run("PRAGMA user_version = 99"));
  EXPECT_EQ(error(), file_.string() +
                         " was written by a newer toolgate: it has format 99 and this one knows 2; "
                         "use the newer one, or another data folder with --data");
  EXPECT_EQ(version(), "99");
  EXPECT_FALSE(SqliteStore::open(file_));
}

TEST_F(Migrations, RefuseAFileOfAnotherProgram) {
  ASSERT_TRUE(database_->run("CREATE TABLE songs (name)"));
  const std::string expected =
      file_.string() + " is a database of another program; choose another file with toolgate.store";
  EXPECT_EQ(error(), expected);
  ASSERT_TRUE(database_->run("DROP TABLE songs; PRAGMA application_id = 5"));
  EXPECT_EQ(error(), expected);
  EXPECT_EQ(version(), "0");
}

TEST_F(Migrations, MayBeRunByTwoAtOnce) {
  const auto other = Database::open(file_, false).value();
  // The second one looked before the first one was done.
  ASSERT_EQ(other->ask("PRAGMA user_version").value(), "0");
  EXPECT_EQ(error(), "no error");
  EXPECT_TRUE(migrate(*other));
}

}  // namespace
}  // namespace toolgate
