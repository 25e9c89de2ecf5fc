// What an undo leaves in the audit trail and tells listeners, whichever way it ends.
#include "gateway/edits_reply.h"

#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>

#include "builtin/edit_draft.h"
#include "captured_log.h"
#include "invoke/memory_store.h"
#include "temporary_folder.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;

class UndoRecordTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = std::make_unique<MemoryStore>();
    store_ = store.get();
    BookOptions options;
    options.now = [] { return std::int64_t{1'000}; };
    ledger_ = Ledger::open(std::move(store), options).value();
    root_.write("work/a.txt", "one\n");
    edit_ = apply([](EditDraft& draft) { EXPECT_TRUE(draft.write("a.txt", "two\n")); });
  }

  EditRecord apply(const std::function<void(EditDraft&)>& change) {
    EditDraft draft(workspace_);
    change(draft);
    EditOrigin origin{.tool = "create_file", .session_id = "chat", .workspace = folder_.string()};
    return edits_.apply(std::move(draft).finish().value(), std::move(origin)).value();
  }

  std::string content() const {
    std::ifstream stream(file_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }

  Result<std::string> undo(std::string_view id) {
    return write_undo(edits_, *ledger_, id, {.caller = "operator"});
  }

  std::vector<AuditEntry> trail() {
    auto entries = ledger_->run_blocking([](InvocationBook& book) { return book.audit({}); });
    EXPECT_EQ(find_broken_link(*entries), std::nullopt);
    for (const AuditEntry& entry : *entries) {
      EXPECT_EQ(entry.kind, AuditKind::Undo);
      EXPECT_EQ(entry.actor, "operator");
      EXPECT_EQ(entry.tool_id, "create_file");
      EXPECT_EQ(entry.session_id, "chat");
    }
    return std::move(*entries);
  }

  std::vector<std::string> told() {
    std::vector<std::string> events;
    for (const auto& event : ledger_->events()->read(0, 100).events)
      if (event->kind == "undo") events.push_back(event->write());
    return events;
  }

  std::string data(std::string_view outcome, std::string_view more = {}) const {
    return fmt::format(R"({{"edit":"{}","outcome":"{}"{},"workspace":"{}","files":["a.txt"]}})",
                       edit_.id, outcome, more, folder_.string());
  }

  TemporaryFolder root_;
  fs::path folder_ = root_.path() / "work";
  fs::path file_ = folder_ / "a.txt";
  Edits edits_{root_.path() / "data"};
  Workspace workspace_{(fs::create_directories(folder_), std::vector{folder_.string()})};
  MemoryStore* store_ = nullptr;  // the ledger's
  std::unique_ptr<Ledger> ledger_;
  EditRecord edit_;
};

TEST_F(UndoRecordTest, SaysThatItBeginsAndThatItIsDone) {
  ASSERT_TRUE(undo(edit_.id));
  EXPECT_EQ(content(), "one\n");
  const auto entries = trail();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].data, data("begun"));
  const std::string by = fmt::format(R"(,"undone_by":"{}")", edits_.undone_by(edit_.id));
  EXPECT_EQ(entries[1].data, data("done", by));
  std::string event = data("done", by);
  event.insert(event.size() - 1, R"(,"actor":"operator")");
  EXPECT_EQ(told(), std::vector{event});
}

TEST_F(UndoRecordTest, IsRefusedWhenAFileIsAnotherOneSince) {
  root_.write("work/a.txt", "by hand\n");
  ASSERT_FALSE(undo(edit_.id));
  const auto entries = trail();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].data, data("refused", R"(,"problem":"a.txt has changed since this edit")"));
  ASSERT_EQ(told().size(), 1u);
  EXPECT_NE(told()[0].find(R"("outcome":"refused")"), std::string::npos);
}

TEST_F(UndoRecordTest, HasFailedWhenTheBackupIsGone) {
  fs::remove_all(root_.path() / "data/edits/blobs");
  const auto failed = undo(edit_.id);
  ASSERT_FALSE(failed);
  EXPECT_EQ(content(), "two\n");
  const auto entries = trail();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].data,
            data("failed", fmt::format(R"(,"problem":"{}")", failed.error().message)));
  ASSERT_EQ(told().size(), 1u);
  EXPECT_NE(told()[0].find(R"("outcome":"failed")"), std::string::npos);
}

TEST_F(UndoRecordTest, AnUnknownEditLeavesNothing) {
  EXPECT_EQ(undo("edit_none").error().code, Errc::NotFound);
  EXPECT_TRUE(trail().empty());
  EXPECT_TRUE(told().empty());
}

TEST_F(UndoRecordTest, WhatCannotBeWrittenIsNotBegun) {
  store_->set_faults({.commit = 1});
  EXPECT_FALSE(undo(edit_.id));
  EXPECT_EQ(content(), "two\n");
  EXPECT_TRUE(trail().empty());
  EXPECT_TRUE(told().empty());
}

TEST_F(UndoRecordTest, AnEndThatCannotBeWrittenIsStillTheAnswer) {
  const CapturedLog log;
  store_->set_faults({.commit = 2});
  EXPECT_TRUE(undo(edit_.id));
  EXPECT_EQ(content(), "one\n");
  const auto entries = trail();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].data, data("begun"));
  EXPECT_TRUE(told().empty());
}

TEST_F(UndoRecordTest, NamesAHundredFilesAndCountsTheOthers) {
  const EditRecord many = apply([](EditDraft& draft) {
    for (int i = 0; i < 130; ++i) EXPECT_TRUE(draft.create(fmt::format("many{}.txt", i), "x"));
  });
  ASSERT_TRUE(undo(many.id));
  const auto entries = trail();
  EXPECT_TRUE(entries[0].data.ends_with(R"("many99.txt"],"more_files":30})")) << entries[0].data;
}

}  // namespace
}  // namespace toolgate
