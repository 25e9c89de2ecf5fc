// Cancellation: who is told, when, how often.
#include "toolgate/cancel.h"

#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace toolgate {
namespace {

// A source given as such would be taken for one to copy.
const Cancel& token(const CancelSource& source) {
  return source;
}

TEST(Cancel, NothingIsRequestedAtFirst) {
  const CancelSource source;
  EXPECT_FALSE(source.requested());
  EXPECT_EQ(source.reason(), CancelReason::None);
}

TEST(Cancel, AHookIsCalledOnceWithTheReason) {
  CancelSource source;
  std::vector<CancelReason> calls;
  const CancelHook hook(source, [&](CancelReason reason) { calls.push_back(reason); });
  EXPECT_TRUE(calls.empty());
  source.request(CancelReason::ClientGone);
  source.request(CancelReason::Shutdown);
  EXPECT_EQ(calls, std::vector{CancelReason::ClientGone});
}

TEST(Cancel, TheFirstReasonStays) {
  CancelSource source;
  source.request(CancelReason::Timeout);
  source.request(CancelReason::User);
  EXPECT_TRUE(source.requested());
  EXPECT_EQ(source.reason(), CancelReason::Timeout);
}

TEST(Cancel, TheReasonIsThereWhenHooksAreCalled) {
  CancelSource source;
  CancelReason seen = CancelReason::None;
  const CancelHook hook(source, [&](CancelReason) { seen = source.reason(); });
  source.request(CancelReason::Denied);
  EXPECT_EQ(seen, CancelReason::Denied);
}

TEST(Cancel, TheLastHookIsCalledFirst) {
  CancelSource source;
  std::vector<int> calls;
  const CancelHook first(source, [&](CancelReason) { calls.push_back(1); });
  const CancelHook second(source, [&](CancelReason) { calls.push_back(2); });
  const CancelHook third(source, [&](CancelReason) { calls.push_back(3); });
  source.request(CancelReason::User);
  EXPECT_EQ(calls, (std::vector{3, 2, 1}));
}

TEST(Cancel, ADestroyedHookIsNotCalled) {
  for (int removed = 0; removed < 3; ++removed) {
    CancelSource source;
    std::vector<int> calls;
    std::vector<std::unique_ptr<CancelHook>> hooks;
    for (int i = 0; i < 3; ++i)
      hooks.push_back(
          std::make_unique<CancelHook>(source, [&calls, i](CancelReason) { calls.push_back(i); }));
    hooks[static_cast<std::size_t>(removed)].reset();
    source.request(CancelReason::User);
    std::vector<int> expected{2, 1, 0};
    std::erase(expected, removed);
    EXPECT_EQ(calls, expected);
  }
}

TEST(Cancel, AHookMayDestroyItself) {
  CancelSource source;
  int calls = 0;
  auto hook = std::make_unique<std::optional<CancelHook>>();
  hook->emplace(source, [&](CancelReason) {
    hook.reset();
    ++calls;
  });
  source.request(CancelReason::User);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(hook);
}

TEST(Cancel, AHookMayDestroyTheOthers) {
  CancelSource source;
  int calls = 0;
  std::vector<std::unique_ptr<CancelHook>> hooks;
  for (int i = 0; i < 5; ++i)
    hooks.push_back(std::make_unique<CancelHook>(source, [&](CancelReason) {
      ++calls;
      hooks.clear();
    }));
  source.request(CancelReason::User);
  EXPECT_EQ(calls, 1);
}

TEST(Cancel, AHookOnACancelledSourceRunsAtOnce) {
  CancelSource source;
  source.request(CancelReason::Shutdown);
  std::vector<CancelReason> calls;
  const CancelHook hook(source, [&](CancelReason reason) { calls.push_back(reason); });
  EXPECT_EQ(calls, std::vector{CancelReason::Shutdown});
}

TEST(Cancel, AHookMadeByAHookRunsAtOnce) {
  CancelSource source;
  std::vector<int> calls;
  std::optional<CancelHook> inner;
  const CancelHook outer(source, [&](CancelReason) {
    calls.push_back(1);
    inner.emplace(source, [&](CancelReason) { calls.push_back(2); });
  });
  source.request(CancelReason::User);
  EXPECT_EQ(calls, (std::vector{1, 2}));
}

TEST(Cancel, ARequestWithinAHookChangesNothing) {
  CancelSource source;
  int calls = 0;
  const CancelHook first(source, [&](CancelReason) { ++calls; });
  const CancelHook second(source, [&](CancelReason) {
    ++calls;
    source.request(CancelReason::Denied);
  });
  source.request(CancelReason::User);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(source.reason(), CancelReason::User);
}

TEST(Cancel, AHookMayOutliveItsSource) {
  auto source = std::make_unique<CancelSource>();
  int calls = 0;
  {
    const CancelHook first(*source, [&](CancelReason) { ++calls; });
    const CancelHook second(*source, [&](CancelReason) { ++calls; });
    source.reset();
  }
  EXPECT_EQ(calls, 0);
}

TEST(Cancel, ChildrenAreCancelledWithTheirParents) {
  CancelSource parent;
  CancelSource child(token(parent));
  const CancelSource grandchild(token(child));
  CancelReason seen = CancelReason::None;
  const CancelHook hook(grandchild, [&](CancelReason reason) { seen = reason; });
  parent.request(CancelReason::ClientGone);
  EXPECT_EQ(child.reason(), CancelReason::ClientGone);
  EXPECT_EQ(grandchild.reason(), CancelReason::ClientGone);
  EXPECT_EQ(seen, CancelReason::ClientGone);
}

TEST(Cancel, ParentsAreNotCancelledWithTheirChildren) {
  CancelSource parent;
  CancelSource child(token(parent));
  const CancelSource sibling(token(parent));
  child.request(CancelReason::Timeout);
  EXPECT_FALSE(parent.requested());
  EXPECT_FALSE(sibling.requested());
  parent.request(CancelReason::Shutdown);
  EXPECT_EQ(child.reason(), CancelReason::Timeout);
  EXPECT_EQ(sibling.reason(), CancelReason::Shutdown);
}

TEST(Cancel, AChildOfACancelledParentIsCancelled) {
  CancelSource parent;
  parent.request(CancelReason::Shutdown);
  const CancelSource child(token(parent));
  EXPECT_EQ(child.reason(), CancelReason::Shutdown);
}

TEST(Cancel, ADestroyedChildIsForgotten) {
  CancelSource parent;
  auto child = std::make_unique<CancelSource>(token(parent));
  const CancelSource other(token(*child));
  child.reset();
  parent.request(CancelReason::User);
  EXPECT_FALSE(other.requested());
}

}  // namespace
}  // namespace toolgate
