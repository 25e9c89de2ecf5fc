// What only the store in memory can: fail on request, and forget the oldest of its audit trail.
#include "invoke/memory_store.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "store_rows.h"

namespace toolgate {
namespace {

// Every operation once, in a transaction.
Result<void> use(Store& store) {
  if (auto begun = store.begin(); !begun) return begun;
  if (auto done = store.insert_invocation(sample_call("new")); !done) return done;
  if (auto done = store.update_invocation(sample_call("new")); !done) return done;
  if (auto found = store.find_invocation("new"); !found) return std::unexpected(found.error());
  if (auto list = store.list_invocations({}); !list) return std::unexpected(list.error());
  if (auto list = store.open_invocations(); !list) return std::unexpected(list.error());
  if (auto done = store.prune_invocations(0); !done) return std::unexpected(done.error());
  if (auto done = store.append_audit(sample_entry(1)); !done) return done;
  if (auto last = store.last_audit(); !last) return std::unexpected(last.error());
  if (auto list = store.read_audit({}); !list) return std::unexpected(list.error());
  if (auto done = store.put_approval(sample_approval("new")); !done) return done;
  if (auto done = store.remove_approval("other"); !done) return done;
  if (auto list = store.load_approvals(); !list) return std::unexpected(list.error());
  if (auto done = store.put_http_tool({"new", "{}", 1}); !done) return done;
  if (auto done = store.remove_http_tool("other"); !done) return std::unexpected(done.error());
  if (auto list = store.load_http_tools(); !list) return std::unexpected(list.error());
  return store.commit();
}

bool is_empty(Store& store) {
  return store.list_invocations({}).value().empty() && !store.last_audit().value() &&
         store.load_approvals().value().empty() && store.load_http_tools().value().empty();
}

TEST(MemoryStore, FailsAtEachOperationAndThenHoldsNothing) {
  MemoryStore counted;
  ASSERT_TRUE(use(counted));
  ASSERT_EQ(counted.operations(), 16u);
  for (std::size_t n = 1; n <= counted.operations(); ++n) {
    MemoryStore store({.operation = n});
    const auto used = use(store);
    ASSERT_FALSE(used) << n;
    EXPECT_EQ(used.error().code, Errc::Io);
    store.roll_back();
    EXPECT_TRUE(is_empty(store)) << n;
    EXPECT_TRUE(use(store)) << n;
  }
}

TEST(MemoryStore, CannotCommitAfterAFailureThatNobodyHeeded) {
  MemoryStore store({.operation = 3});
  ASSERT_TRUE(store.begin());
  EXPECT_TRUE(store.insert_invocation(sample_call("a")));
  EXPECT_FALSE(store.append_audit(sample_entry(1)));
  EXPECT_FALSE(store.put_approval(sample_approval("a")));
  EXPECT_EQ(store.commit().error().message, "operation 3 on the store was made to fail");
  EXPECT_TRUE(is_empty(store));
}

TEST(MemoryStore, FailsAtTheGivenCommitAndThenHoldsNothingOfIt) {
  MemoryStore store({.commit = 2});
  ASSERT_TRUE(store.begin());
  ASSERT_TRUE(store.insert_invocation(sample_call("first")));
  ASSERT_TRUE(store.commit());
  EXPECT_FALSE(use(store));
  EXPECT_EQ(ids_of(store.list_invocations({}).value()), std::vector<std::string>{"first"});
  EXPECT_TRUE(use(store));
  EXPECT_EQ(store.commits(), 3u);
}

TEST(MemoryStore, CountsAnewWhenFaultsAreSet) {
  MemoryStore store;
  ASSERT_TRUE(use(store));
  store.set_faults({.operation = 1});
  EXPECT_FALSE(store.begin());
  EXPECT_TRUE(store.begin());
}

TEST(MemoryStore, ForgetsTheOldestOfALongAuditTrail) {
  MemoryStore store({}, 3);
  ASSERT_TRUE(store.begin());
  for (std::int64_t i = 1; i <= 5; ++i) ASSERT_TRUE(store.append_audit(sample_entry(i)));
  ASSERT_TRUE(store.commit());
  const auto entries = store.read_audit({}).value();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries.front().sequence, 3);
}

}  // namespace
}  // namespace toolgate
