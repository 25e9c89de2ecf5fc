// What the golden scenarios do not reach: time, progress, questions while a tool runs, tools that
// change, and a store that fails.
#include "invoke/tools_service.h"

#include <gtest/gtest.h>

#include "invoke/memory_store.h"
#include "test_loop.h"
#include "toolgate/registry.h"

namespace toolgate {
namespace {

using Body = std::function<Task<Result<ToolResult>>(const ToolCall&, const Cancel&)>;

ToolResult text_of(std::string text) {
  ToolResult result;
  result.content.push_back({.text = std::move(text)});
  return result;
}

class TestTool final : public Tool {
 public:
  explicit TestTool(Body run, PreparedCall prepared = {})
      : run_(std::move(run)), prepared_(std::move(prepared)) {}

  Task<Result<ToolResult>> invoke(const ToolCall& call, const Cancel& cancel) override {
    return run_(call, cancel);
  }
  Task<Result<std::optional<PreparedCall>>> prepare(const ToolCall&, const Cancel&) override {
    co_return prepared_;
  }

 private:
  Body run_;
  PreparedCall prepared_;
};

Task<Result<ToolResult>> wait_for_cancel(const ToolCall&, const Cancel& cancel) {
  Event ended;
  const CancelHook hook(cancel, [&](CancelReason) { ended.set(); });
  if (!cancel.requested()) co_await ended.wait();
  co_return fail(Errc::Cancelled, "stopped");
}

class ToolsServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = std::make_unique<MemoryStore>();
    store_ = store.get();
    BookOptions options;
    options.now = [this] { return now_.load(); };
    ledger_ = Ledger::open(std::move(store), options).value();
    context_.approvals = std::make_shared<ApprovalSettings>();
    loop_.call([this] {
      InvokeSurroundings around;
      around.newest = [this] { return registry_.catalog(); };
      service_ = std::make_unique<ToolsService>(*ledger_, loop_.loop().deadlines(), around);
      return 0;
    });
  }
  void TearDown() override {
    loop_.finish();
    service_.reset();
    ledger_.reset();
  }

  void add(std::shared_ptr<Tool> tool, std::string description = "a tool", bool reads = false) {
    ToolData data;
    data.id = "tool";
    data.is_read_only = reads;
    data.model_description = std::move(description);
    registered_.undo();
    registered_ = registry_.add(std::move(data), std::move(tool)).value();
    context_.catalog = registry_.catalog();
  }
  void add(Body run, PreparedCall prepared = {}) {
    add(std::make_shared<TestTool>(std::move(run), std::move(prepared)));
  }
  void add_reader(Body run) { add(std::make_shared<TestTool>(std::move(run)), "reads", true); }
  // Ends once `go_on` is set, or when it is cancelled.
  void add_waiting_reader(Event& go_on) {
    add_reader([&](const ToolCall&, const Cancel& cancel) -> Task<Result<ToolResult>> {
      const CancelHook hook(cancel, [&](CancelReason) { go_on.set(); });
      co_await go_on.wait();
      co_return text_of("read");
    });
  }
  void set(Event& event) {
    loop_.call([&] {
      event.set();
      return 0;
    });
  }
  std::string audit_kinds() {
    std::string kinds;
    for (const AuditEntry& entry :
         ledger_->run_blocking([](InvocationBook& book) { return book.audit({}); }).value())
      kinds += fmt::format("{} ", name_of(entry.kind));
    return kinds;
  }

  std::future<Result<InvokeOutcome>> start(InvokeRequest request = {}) {
    request.tool_id = "tool";
    if (request.arguments.empty()) request.arguments = "{}";
    request.request_id = "request";
    return loop_.start(service_->invoke(std::move(request), context_, cancel_));
  }
  InvokeOutcome run(InvokeRequest request = {}) {
    return get_soon(start(std::move(request))).value();
  }

  InvocationPointer in_state(InvocationState state) {
    InvocationQuery query;
    query.state = state;
    for (;;) {
      const auto rows =
          ledger_->run_blocking([&](InvocationBook& book) { return book.list(query); }).value();
      if (!rows.empty()) return rows.front();
      std::this_thread::yield();
    }
  }
  Result<InvocationPointer> confirm(const std::string& id, Confirmation::Choice choice) {
    Confirmation confirmation;
    confirmation.id = id;
    confirmation.choice = choice;
    confirmation.by = "person";
    return loop_.run([&] { return ledger_->confirm(confirmation); });
  }

  std::atomic<std::int64_t> now_ = 1'000'000;
  MemoryStore* store_ = nullptr;
  std::unique_ptr<Ledger> ledger_;
  Registry registry_;
  Registration registered_;
  InvokeContext context_;
  CancelSource cancel_;
  TestLoop loop_;
  std::unique_ptr<ToolsService> service_;
};

TEST_F(ToolsServiceTest, AToolThatTakesTooLongIsStoppedAndSaidSo) {
  add(wait_for_cancel);
  context_.tool_time = std::chrono::milliseconds(1);
  const auto outcome = run();
  EXPECT_EQ(outcome.ending, InvokeEnding::TimedOut);
  EXPECT_TRUE(outcome.result.content.front().text.contains("took longer"));
  EXPECT_EQ(outcome.call->state, InvocationState::Completed);
  EXPECT_FALSE(outcome.call->error.empty());
}

TEST_F(ToolsServiceTest, AQuestionThatNobodyAnswersExpires) {
  add([](const ToolCall&, const Cancel&) -> Task<Result<ToolResult>> { co_return text_of("ran"); },
      {.confirmation_title = "Sure?"});
  auto answer = start();
  in_state(InvocationState::WaitingForConfirmation);
  now_ += 300'001;
  const auto outcome = get_soon(std::move(answer)).value();
  EXPECT_EQ(outcome.ending, InvokeEnding::TimedOut);
  EXPECT_EQ(outcome.call->state, InvocationState::Cancelled);
  EXPECT_EQ(parse_decision(outcome.call->decision)->kind, DecisionKind::Timeout);
}

TEST_F(ToolsServiceTest, AToolMayAskAgainWhileItRuns) {
  for (const bool yes : {true, false}) {
    add([](const ToolCall& call, const Cancel&) -> Task<Result<ToolResult>> {
      const auto go_on = co_await call.services->confirm({.confirmation_title = "Delete it?"});
      co_return text_of(go_on && *go_on ? "deleted" : "left alone");
    });
    auto answer = start();
    const auto row = in_state(InvocationState::WaitingForConfirmation);
    EXPECT_TRUE(row->confirmation.contains("Delete it?"));
    EXPECT_NE(row->started_at, 0);
    ASSERT_TRUE(confirm(row->id, yes ? Confirmation::Choice::Allow : Confirmation::Choice::Deny));
    const auto outcome = get_soon(std::move(answer)).value();
    EXPECT_EQ(outcome.call->state, yes ? InvocationState::Completed : InvocationState::Cancelled);
    if (yes) EXPECT_EQ(outcome.result.content.front().text, "deleted");
  }
}

TEST_F(ToolsServiceTest, ProgressIsToldAndNotTooOften) {
  add([](const ToolCall& call, const Cancel&) -> Task<Result<ToolResult>> {
    for (int i = 0; i < 1'000; ++i)
      call.services->report({.increment = 0.1, .message = fmt::format("step {}", i)});
    co_return text_of("done");
  });
  const auto outcome = run();
  EXPECT_EQ(outcome.result.message, "step 999") << "the last word becomes the past-tense message";
  std::vector<std::string> told;
  for (const auto& event : ledger_->events()->read(0, 10'000).events)
    if (event->kind == "progress") told.push_back(event->write());
  ASSERT_GE(told.size(), 2u);
  EXPECT_LE(told.size(), 5u);
  EXPECT_TRUE(told.back().contains("step 999"));
}

TEST_F(ToolsServiceTest, AToolCountsTokensInTheModelsEncoding) {
  std::size_t counted = 0;
  add([&](const ToolCall& call, const Cancel&) -> Task<Result<ToolResult>> {
    EXPECT_EQ(call.token_budget, 100u);
    counted = (co_await call.services->count_tokens(std::string(100'000, 'x'))).value();
    co_return text_of("done");
  });
  InvokeRequest request;
  request.token_budget = 100;
  request.encoding = Encoding::Cl100kBase;
  run(std::move(request));
  EXPECT_EQ(counted, count_tokens(Encoding::Cl100kBase, std::string(100'000, 'x')));
}

TEST_F(ToolsServiceTest, AnExceptionIsAFailedCallAndNothingMore) {
  add([](const ToolCall&, const Cancel&) -> Task<Result<ToolResult>> {
    throw std::runtime_error("out of cheese");
    co_return ToolResult{};
  });
  const auto outcome = run();
  EXPECT_EQ(outcome.ending, InvokeEnding::Failed);
  EXPECT_EQ(outcome.result.content.front().text, "out of cheese");
  EXPECT_EQ(outcome.call->state, InvocationState::Completed);
}

TEST_F(ToolsServiceTest, WhatWasConfirmedMustStillBeWhatThereIs) {
  const auto ran = [](const ToolCall&, const Cancel&) -> Task<Result<ToolResult>> {
    ADD_FAILURE() << "a changed tool ran";
    co_return ToolResult{};
  };
  add(std::make_shared<TestTool>(ran, PreparedCall{.confirmation_title = "Sure?"}), "before");
  const auto before = context_;
  auto answer = start();
  const auto row = in_state(InvocationState::WaitingForConfirmation);
  add(std::make_shared<TestTool>(ran), "after");
  ASSERT_TRUE(confirm(row->id, Confirmation::Choice::Allow));
  const auto outcome = get_soon(std::move(answer)).value();
  EXPECT_EQ(outcome.ending, InvokeEnding::Failed);
  EXPECT_TRUE(outcome.result.content.front().text.contains("changed"));
}

TEST_F(ToolsServiceTest, WhatCannotBeWrittenDoesNotRun) {
  bool ran = false;
  add([&](const ToolCall&, const Cancel&) -> Task<Result<ToolResult>> {
    ran = true;
    co_return text_of("ran");
  });
  (void)ledger_->run_blocking([this](InvocationBook&) -> Result<int> {
    // The first commit is that of this very work.
    store_->set_faults({.commit = 2});
    return 0;
  });
  const auto outcome = get_soon(start());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::Io);
  EXPECT_FALSE(ran);
  EXPECT_EQ(run().ending, InvokeEnding::Result) << "the next one is not affected";
}

TEST_F(ToolsServiceTest, WhatOnlyReadsDoesNotWaitForTheDisk) {
  add_reader([](const ToolCall&, const Cancel&) -> Task<Result<ToolResult>> {
    co_return text_of("read");
  });
  (void)ledger_->run_blocking([this](InvocationBook&) -> Result<int> {
    // The first commit is that of this very work.
    store_->set_faults({.commit = 2});
    return 0;
  });
  const auto outcome = run();
  EXPECT_EQ(outcome.ending, InvokeEnding::Result);
  EXPECT_EQ(outcome.call->state, InvocationState::Completed);
  // It is written with this, or by itself before; that fails, and it is written once more.
  (void)ledger_->run_blocking([](InvocationBook&) -> Result<int> { return 0; });
  const auto row =
      ledger_->run_blocking([&](InvocationBook& book) { return book.find(outcome.call->id); });
  ASSERT_TRUE(row);
  EXPECT_EQ((*row)->state, InvocationState::Completed);
  const auto entries =
      ledger_->run_blocking([](InvocationBook& book) { return book.audit({}); }).value();
  ASSERT_EQ(entries.size(), 1U) << "one entry says it all";
  EXPECT_EQ(entries.front().kind, AuditKind::Ran);
  const auto data = parse_json(entries.front().data).value();
  for (const char* key : {"arguments", "decision", "bytes", "durationMs"})
    EXPECT_TRUE(find(data, key)) << key;
}

TEST_F(ToolsServiceTest, WhatOnlyReadsIsSeenWhileItRuns) {
  Event go_on;
  add_waiting_reader(go_on);
  auto answer = start();
  const auto row = in_state(InvocationState::Executing);
  const auto all =
      ledger_->run_blocking([](InvocationBook& book) { return book.list({}); }).value();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front()->id, row->id);
  set(go_on);
  EXPECT_EQ(get_soon(std::move(answer))->ending, InvokeEnding::Result);
  const auto found =
      ledger_->run_blocking([&](InvocationBook& book) { return book.find(row->id); }).value();
  EXPECT_EQ(found->state, InvocationState::Completed);
}

TEST_F(ToolsServiceTest, WhatReadsForLongIsWrittenWhileItRuns) {
  Event go_on;
  add_waiting_reader(go_on);
  auto answer = start();
  const auto row = in_state(InvocationState::Executing);
  const auto is_written = [&] {
    return ledger_
        ->run_blocking(
            [&](InvocationBook& book) -> Result<bool> { return !book.is_written_later(row->id); })
        .value();
  };
  EXPECT_FALSE(is_written());
  now_ += 1'000;
  while (!is_written()) std::this_thread::yield();
  set(go_on);
  EXPECT_EQ(get_soon(std::move(answer))->ending, InvokeEnding::Result);
  EXPECT_EQ(audit_kinds(), "proposed decided started ended ");
}

TEST_F(ToolsServiceTest, WhatOnlyReadsIsWrittenWhenItAsks) {
  add_reader([](const ToolCall& call, const Cancel&) -> Task<Result<ToolResult>> {
    const auto said = co_await call.services->confirm({.confirmation_title = "More?"});
    co_return text_of(said && *said ? "yes" : "no");
  });
  auto answer = start();
  const auto row = in_state(InvocationState::WaitingForConfirmation);
  ASSERT_TRUE(confirm(row->id, Confirmation::Choice::Allow));
  EXPECT_EQ(get_soon(std::move(answer))->result.content.front().text, "yes");
  EXPECT_EQ(audit_kinds(), "proposed decided started decided ended ");
}

TEST_F(ToolsServiceTest, WhatOnlyReadsIsWrittenWhenItIsCancelled) {
  Event go_on;
  add_waiting_reader(go_on);
  auto answer = start();
  const auto row = in_state(InvocationState::Executing);
  const auto cancelled = ledger_->run_blocking([&](InvocationBook& book) {
    return book.cancel(row->id, {.kind = DecisionKind::Denied, .by = "person"});
  });
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(get_soon(std::move(answer))->ending, InvokeEnding::Cancelled);
  EXPECT_EQ(audit_kinds(), "proposed decided started ended ");
}

TEST_F(ToolsServiceTest, WhatOnlyReadIsThereForWhoeverLooksRightAfterIt) {
  add_reader([](const ToolCall&, const Cancel&) -> Task<Result<ToolResult>> {
    co_return text_of("read");
  });
  for (int i = 0; i < 50; ++i) {
    const auto outcome = run();
    const auto listed =
        ledger_->run_blocking([](InvocationBook& book) { return book.list({}); }).value();
    ASSERT_EQ(listed.size(), i + 1U);
    ASSERT_EQ(listed.front()->id, outcome.call->id);
    ASSERT_EQ(listed.front()->state, InvocationState::Completed);
  }
}

TEST_F(ToolsServiceTest, ADecisionThatCannotBeWrittenDoesNotCount) {
  add([](const ToolCall&, const Cancel&) -> Task<Result<ToolResult>> { co_return text_of("ran"); },
      {.confirmation_title = "Sure?"});
  auto answer = start();
  const auto row = in_state(InvocationState::WaitingForConfirmation);
  (void)ledger_->run_blocking([this](InvocationBook&) -> Result<int> {
    // The first commit is that of this very work.
    store_->set_faults({.commit = 2});
    return 0;
  });
  EXPECT_FALSE(confirm(row->id, Confirmation::Choice::Allow));
  EXPECT_EQ(in_state(InvocationState::WaitingForConfirmation)->id, row->id);
  ASSERT_TRUE(confirm(row->id, Confirmation::Choice::Allow));
  EXPECT_EQ(get_soon(std::move(answer))->ending, InvokeEnding::Result);
}

TEST_F(ToolsServiceTest, AtShutdownAQuestionStays) {
  add([](const ToolCall&, const Cancel&) -> Task<Result<ToolResult>> { co_return text_of("ran"); },
      {.confirmation_title = "Sure?"});
  auto answer = start();
  const auto row = in_state(InvocationState::WaitingForConfirmation);
  loop_.call([this] {
    cancel_.request(CancelReason::Shutdown);
    return 0;
  });
  EXPECT_EQ(get_soon(std::move(answer)).error().code, Errc::ShuttingDown);
  EXPECT_EQ(in_state(InvocationState::WaitingForConfirmation)->id, row->id);
}

}  // namespace
}  // namespace toolgate
