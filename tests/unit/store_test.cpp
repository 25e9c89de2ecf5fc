// What every store must do; run on each of them.
#include "invoke/store.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "invoke/memory_store.h"
#include "store/sqlite_store.h"
#include "store_rows.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

using enum InvocationState;
using Ids = std::vector<std::string>;

struct Kind {
  const char* name;
  std::function<std::unique_ptr<Store>(const TemporaryFolder&)> open;
};

class StoreTest : public testing::TestWithParam<Kind> {
 protected:
  void insert(const std::string& id, InvocationState state = WaitingForConfirmation) {
    const auto inserted = store_->insert_invocation(sample_call(id, state));
    ASSERT_TRUE(inserted) << inserted.error().message;
  }
  Ids listed(const InvocationQuery& query = {}) {
    const auto rows = store_->list_invocations(query);
    EXPECT_TRUE(rows) << rows.error().message;
    return rows ? ids_of(*rows) : Ids{"failed"};
  }
  void append(std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i <= last; ++i) ASSERT_TRUE(store_->append_audit(sample_entry(i)));
  }
  std::vector<std::int64_t> trail(const AuditQuery& query = {}) {
    std::vector<std::int64_t> sequences;
    for (const AuditEntry& entry : store_->read_audit(query).value())
      sequences.push_back(entry.sequence);
    return sequences;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Store> store_ = GetParam().open(folder_);
};

using Sequences = std::vector<std::int64_t>;

TEST_P(StoreTest, GivesBackEveryFieldOfACall) {
  const InvocationRow row = sample_call("a");
  ASSERT_TRUE(store_->insert_invocation(row));
  const auto found = store_->find_invocation("a").value();
  ASSERT_TRUE(found);
  EXPECT_TRUE(same(*found, row));
}

TEST_P(StoreTest, KeepsEmptyFieldsEmpty) {
  const InvocationRow row{.id = "a"};
  ASSERT_TRUE(store_->insert_invocation(row));
  EXPECT_TRUE(same(store_->find_invocation("a").value().value(), row));
}

TEST_P(StoreTest, FindsNothingUnderAnUnknownId) {
  insert("a");
  EXPECT_FALSE(store_->find_invocation("b").value());
  EXPECT_FALSE(store_->find_invocation("").value());
}

TEST_P(StoreTest, UpdatesEveryFieldThatMayChange) {
  insert("a");
  insert("b");
  InvocationRow row = sample_call("a", Completed);
  for (std::string* text :
       {&row.call_id, &row.tool_id, &row.source, &row.request_id, &row.caller, &row.workspace,
        &row.arguments, &row.definition_hash, &row.binding_hash, &row.confirmation, &row.decision,
        &row.post_decision, &row.result, &row.error})
    *text += " changed";
  for (std::int64_t* time : {&row.decided_at, &row.started_at, &row.ended_at, &row.expires_at})
    *time += 1000;
  row.unknown_outcome = false;
  ASSERT_TRUE(store_->update_invocation(row));
  EXPECT_TRUE(same(store_->find_invocation("a").value().value(), row));
  EXPECT_TRUE(same(store_->find_invocation("b").value().value(), sample_call("b")));
}

TEST_P(StoreTest, KeepsSessionAndTimeOfCreationOfACall) {
  insert("a");
  InvocationRow row = sample_call("a");
  row.session_id = "another";
  row.created_at = 5;
  ASSERT_TRUE(store_->update_invocation(row));
  EXPECT_TRUE(same(store_->find_invocation("a").value().value(), sample_call("a")));
}

TEST_P(StoreTest, RefusesASecondCallOfTheSameId) {
  insert("a");
  InvocationRow second = sample_call("a");
  second.error = "second";
  const auto inserted = store_->insert_invocation(second);
  ASSERT_FALSE(inserted);
  EXPECT_EQ(inserted.error().code, Errc::AlreadyExists);
  EXPECT_TRUE(same(store_->find_invocation("a").value().value(), sample_call("a")));
}

TEST_P(StoreTest, RefusesToUpdateAnUnknownCall) {
  const auto updated = store_->update_invocation(sample_call("a"));
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, Errc::NotFound);
  EXPECT_FALSE(store_->find_invocation("a").value());
}

TEST_P(StoreTest, ListsCallsNewestFirst) {
  EXPECT_EQ(listed(), Ids{});
  for (const char* id : {"b", "a", "c"}) insert(id);
  ASSERT_TRUE(store_->update_invocation(sample_call("b", Executing)));
  EXPECT_EQ(listed(), (Ids{"c", "a", "b"}));
}

TEST_P(StoreTest, ListsCallsPageByPage) {
  for (const char* id : {"a", "b", "c", "d", "e"}) insert(id);
  EXPECT_EQ(listed({.limit = 2}), (Ids{"e", "d"}));
  EXPECT_EQ(listed({.before = "d", .limit = 2}), (Ids{"c", "b"}));
  EXPECT_EQ(listed({.before = "b", .limit = 2}), (Ids{"a"}));
  EXPECT_EQ(listed({.before = "a", .limit = 2}), (Ids{}));
  EXPECT_EQ(listed({.limit = 0}), (Ids{}));
}

TEST_P(StoreTest, SaysWhenThePageToGoOnFromIsGone) {
  insert("a");
  const auto rows = store_->list_invocations({.before = "gone"});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Errc::NotFound);
  EXPECT_EQ(rows.error().where, "before");
}

TEST_P(StoreTest, ListsCallsByStateSessionAndTool) {
  insert("a");
  insert("b", Executing);
  InvocationRow other = sample_call("c");
  other.session_id = "other";
  other.tool_id = "write_file";
  ASSERT_TRUE(store_->insert_invocation(other));
  other.id = "d";
  other.session_id = "";
  ASSERT_TRUE(store_->insert_invocation(other));

  EXPECT_EQ(listed({.state = WaitingForConfirmation}), (Ids{"d", "c", "a"}));
  EXPECT_EQ(listed({.state = Executing}), (Ids{"b"}));
  EXPECT_EQ(listed({.state = Completed}), (Ids{}));
  EXPECT_EQ(listed({.session_id = "session"}), (Ids{"b", "a"}));
  EXPECT_EQ(listed({.session_id = "other"}), (Ids{"c"}));
  EXPECT_EQ(listed({.tool_id = "write_file"}), (Ids{"d", "c"}));
  EXPECT_EQ(listed({.state = WaitingForConfirmation, .session_id = "session"}), (Ids{"a"}));
  EXPECT_EQ(listed({.state = WaitingForConfirmation, .tool_id = "write_file", .before = "d"}),
            (Ids{"c"}));
}

TEST_P(StoreTest, KnowsWhatIsOpenOldestFirst) {
  insert("streaming", Streaming);
  insert("completed", Completed);
  insert("asked", WaitingForConfirmation);
  insert("cancelled", Cancelled);
  insert("running", Executing);
  insert("post", WaitingForPostApproval);
  insert("login", WaitingForAuthentication);
  const Ids expected{"streaming", "asked", "running", "post", "login"};
  EXPECT_EQ(ids_of(store_->open_invocations().value()), expected);
}

TEST_P(StoreTest, PrunesOldEndedCallsOnly) {
  insert("open");
  for (const char* id : {"a", "b", "c"}) insert(id, Completed);
  insert("d", Cancelled);
  EXPECT_EQ(store_->prune_invocations(4).value(), 0u);
  EXPECT_EQ(store_->prune_invocations(2).value(), 2u);
  EXPECT_EQ(listed(), (Ids{"d", "c", "open"}));
  EXPECT_EQ(store_->prune_invocations(0).value(), 2u);
  EXPECT_EQ(listed(), (Ids{"open"}));
  insert("e");
  EXPECT_EQ(listed(), (Ids{"e", "open"}));
}

TEST_P(StoreTest, GivesBackEveryFieldOfAnAuditEntry) {
  EXPECT_FALSE(store_->last_audit().value());
  append(1, 2);
  EXPECT_TRUE(same(store_->last_audit().value().value(), sample_entry(2)));
  EXPECT_TRUE(same(store_->read_audit({}).value().at(0), sample_entry(1)));
}

TEST_P(StoreTest, KeepsEveryKindOfAuditEntry) {
  for (int kind = 0; kind <= static_cast<int>(AuditKind::Removed); ++kind) {
    AuditEntry entry = sample_entry(kind + 1);
    entry.kind = static_cast<AuditKind>(kind);
    ASSERT_TRUE(store_->append_audit(entry));
    EXPECT_TRUE(same(store_->last_audit().value().value(), entry)) << name_of(entry.kind);
  }
}

TEST_P(StoreTest, RefusesASecondAuditEntryOfTheSameNumber) {
  append(1, 1);
  const auto appended = store_->append_audit(sample_entry(1));
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, Errc::AlreadyExists);
}

TEST_P(StoreTest, ReadsTheAuditTrailInPartsFromEitherEnd) {
  append(1, 6);
  EXPECT_EQ(trail({.limit = 2}), (Sequences{1, 2}));
  EXPECT_EQ(trail({.after = 2, .limit = 2}), (Sequences{3, 4}));
  EXPECT_EQ(trail({.after = 6}), (Sequences{}));
  EXPECT_EQ(trail({.limit = 2, .newest_first = true}), (Sequences{6, 5}));
  EXPECT_EQ(trail({.before = 5, .limit = 2, .newest_first = true}), (Sequences{4, 3}));
  EXPECT_EQ(trail({.before = 5, .limit = 2}), (Sequences{3, 4}));
  EXPECT_EQ(trail({.after = 2, .before = 4}), (Sequences{3}));
}

TEST_P(StoreTest, ReadsTheAuditTrailByToolAndTime) {
  append(1, 3);
  AuditEntry other = sample_entry(4);
  other.tool_id = "write_file";
  ASSERT_TRUE(store_->append_audit(other));
  EXPECT_EQ(trail({.tool_id = "write_file"}), (Sequences{4}));
  EXPECT_EQ(trail({.tool_id = "read_file", .limit = 1, .newest_first = true}), (Sequences{3}));
  EXPECT_EQ(trail({.since = 2001}), (Sequences{3, 4}));
  EXPECT_EQ(trail({.since = 2000}), (Sequences{2, 3, 4}));
}

TEST_P(StoreTest, GivesBackEveryFieldOfAnApproval) {
  const Approval approval = sample_approval("a");
  ASSERT_TRUE(store_->put_approval(approval));
  const auto loaded = store_->load_approvals().value();
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_TRUE(same(loaded[0], approval));
}

TEST_P(StoreTest, KeepsEverySideTargetAndScope) {
  const auto keeps = [&](const Approval& approval) {
    EXPECT_TRUE(store_->put_approval(approval));
    EXPECT_TRUE(same(store_->load_approvals().value().at(0), approval));
  };
  Approval approval = sample_approval("a");
  for (const auto side : {ApprovalSide::Before, ApprovalSide::Results}) {
    approval.side = side;
    keeps(approval);
  }
  for (const auto target :
       {ApprovalTarget::Tool, ApprovalTarget::Server, ApprovalTarget::Arguments}) {
    approval.target = target;
    keeps(approval);
  }
  for (const auto scope : {ApprovalScope::Once, ApprovalScope::Session, ApprovalScope::Workspace,
                           ApprovalScope::Profile}) {
    approval.scope = scope;
    keeps(approval);
  }
}

TEST_P(StoreTest, LoadsApprovalsLeastRecentlyUsedFirst) {
  for (const auto& [id, used] : {std::pair{"a", 30}, {"b", 10}, {"c", 20}}) {
    Approval approval = sample_approval(id);
    approval.last_used_at = used;
    ASSERT_TRUE(store_->put_approval(approval));
  }
  EXPECT_EQ(ids_of(store_->load_approvals().value()), (Ids{"b", "c", "a"}));
  Approval used = sample_approval("b");
  used.last_used_at = 40;
  ASSERT_TRUE(store_->put_approval(used));
  EXPECT_EQ(ids_of(store_->load_approvals().value()), (Ids{"c", "a", "b"}));
  ASSERT_TRUE(store_->remove_approval("a"));
  ASSERT_TRUE(store_->remove_approval("never there"));
  EXPECT_EQ(ids_of(store_->load_approvals().value()), (Ids{"c", "b"}));
}

TEST_P(StoreTest, KeepsHttpToolsUntilTheyAreRemoved) {
  const HttpToolRow first{"z", R"({"url":"http://a"})", 1};
  HttpToolRow second{"y", "{}", 2};
  ASSERT_TRUE(store_->put_http_tool(second));
  ASSERT_TRUE(store_->put_http_tool(first));
  second.definition = R"({"url":"http://b"})";
  ASSERT_TRUE(store_->put_http_tool(second));
  const auto tools = store_->load_http_tools().value();
  ASSERT_EQ(tools.size(), 2u);
  EXPECT_TRUE(same(tools[0], first));
  EXPECT_TRUE(same(tools[1], second));
  EXPECT_TRUE(store_->remove_http_tool("z").value());
  EXPECT_FALSE(store_->remove_http_tool("z").value());
  EXPECT_EQ(store_->load_http_tools().value().size(), 1u);
}

TEST_P(StoreTest, SeesItsOwnChangesWithinATransaction) {
  ASSERT_TRUE(store_->begin());
  insert("a");
  EXPECT_TRUE(store_->find_invocation("a").value());
  EXPECT_EQ(listed(), (Ids{"a"}));
  ASSERT_TRUE(store_->commit());
  EXPECT_EQ(listed(), (Ids{"a"}));
}

// One of every change there is, over something that was there before.
class StoreRollBack : public StoreTest {
 protected:
  StoreRollBack() {
    insert("kept");
    insert("old", Completed);
    append(1, 2);
    EXPECT_TRUE(store_->put_approval(sample_approval("kept")));
    EXPECT_TRUE(store_->put_approval(sample_approval("removed")));
    EXPECT_TRUE(store_->put_http_tool({"kept", "{}", 1}));
    EXPECT_TRUE(store_->put_http_tool({"removed", "{}", 2}));
  }

  void change_everything() {
    insert("new");
    ASSERT_TRUE(store_->update_invocation(sample_call("kept", Executing)));
    ASSERT_TRUE(store_->update_invocation(sample_call("kept", Cancelled)));
    ASSERT_EQ(store_->prune_invocations(0).value(), 2u);
    append(3, 4);
    Approval used = sample_approval("kept");
    used.last_used_at = 99;
    ASSERT_TRUE(store_->put_approval(used));
    ASSERT_TRUE(store_->put_approval(sample_approval("new")));
    ASSERT_TRUE(store_->remove_approval("removed"));
    ASSERT_TRUE(store_->put_http_tool({"kept", R"({"new":true})", 3}));
    ASSERT_TRUE(store_->put_http_tool({"new", "{}", 4}));
    ASSERT_TRUE(store_->remove_http_tool("removed").value());
  }

  void expect_as_before() {
    EXPECT_EQ(listed(), (Ids{"old", "kept"}));
    EXPECT_TRUE(same(store_->find_invocation("kept").value().value(), sample_call("kept")));
    EXPECT_EQ(ids_of(store_->open_invocations().value()), (Ids{"kept"}));
    EXPECT_EQ(trail(), (Sequences{1, 2}));
    EXPECT_EQ(store_->last_audit().value()->sequence, 2);
    const auto approvals = store_->load_approvals().value();
    EXPECT_EQ(ids_of(approvals), (Ids{"kept", "removed"}));
    EXPECT_TRUE(same(approvals.at(0), sample_approval("kept")));
    const auto tools = store_->load_http_tools().value();
    ASSERT_EQ(tools.size(), 2u);
    EXPECT_TRUE(same(tools[0], HttpToolRow{"kept", "{}", 1}));
    EXPECT_TRUE(same(tools[1], HttpToolRow{"removed", "{}", 2}));
  }
};

TEST_P(StoreRollBack, TakesBackEveryKindOfChange) {
  ASSERT_TRUE(store_->begin());
  change_everything();
  store_->roll_back();
  expect_as_before();
}

TEST_P(StoreRollBack, LeavesRoomForTheNextTransaction) {
  ASSERT_TRUE(store_->begin());
  change_everything();
  store_->roll_back();
  ASSERT_TRUE(store_->begin());
  change_everything();
  ASSERT_TRUE(store_->commit());
  EXPECT_EQ(listed(), (Ids{"new"}));
  EXPECT_EQ(trail(), (Sequences{1, 2, 3, 4}));
  EXPECT_EQ(ids_of(store_->load_approvals().value()), (Ids{"new", "kept"}));
  EXPECT_EQ(store_->load_http_tools().value().size(), 2u);
}

TEST_P(StoreRollBack, IsHarmlessWhereNothingHasBegun) {
  store_->roll_back();
  expect_as_before();
}

TEST_P(StoreRollBack, FollowsAWriteThatFailed) {
  ASSERT_TRUE(store_->begin());
  change_everything();
  EXPECT_EQ(store_->insert_invocation(sample_call("new")).error().code, Errc::AlreadyExists);
  // Not even what would work by itself.
  EXPECT_FALSE(store_->insert_invocation(sample_call("newer")));
  const auto committed = store_->commit();
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().code, Errc::AlreadyExists);
  expect_as_before();
  ASSERT_TRUE(store_->begin());
  insert("newer");
  ASSERT_TRUE(store_->commit());
  EXPECT_EQ(listed(), (Ids{"newer", "old", "kept"}));
}

TEST_P(StoreRollBack, FollowsAnUpdateOfNothing) {
  ASSERT_TRUE(store_->begin());
  change_everything();
  EXPECT_FALSE(store_->update_invocation(sample_call("unknown")));
  EXPECT_EQ(store_->commit().error().code, Errc::NotFound);
  expect_as_before();
}

TEST_P(StoreTest, HasOneTransactionAtATime) {
  EXPECT_EQ(store_->commit().error().code, Errc::Internal);
  ASSERT_TRUE(store_->begin());
  EXPECT_EQ(store_->begin().error().code, Errc::Internal);
  insert("a");
  ASSERT_TRUE(store_->commit());
  EXPECT_EQ(store_->commit().error().code, Errc::Internal);
  EXPECT_EQ(listed(), (Ids{"a"}));
}

const auto kStores = testing::Values(
    Kind{"Memory", [](const TemporaryFolder&) { return std::make_unique<MemoryStore>(); }},
    Kind{"Sqlite", [](const TemporaryFolder& folder) {
           // Nothing here needs the disk to be waited for.
           const auto file = folder.path() / "toolgate.db";
           return std::unique_ptr<Store>(SqliteStore::open(file, {.durable = false}).value());
         }});
const auto kName = [](const testing::TestParamInfo<Kind>& kind) { return kind.param.name; };
INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, kStores, kName);
INSTANTIATE_TEST_SUITE_P(Stores, StoreRollBack, kStores, kName);

}  // namespace
}  // namespace toolgate
