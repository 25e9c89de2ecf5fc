// The ledger: the book of calls (book.h) on a thread of its own. Work from all loops goes through
// one queue, and what came while the disk was busy is committed together; a caller goes on when its
// change is durable, and so do those who wait for a decision. Only calls of read-only tools that
// nobody is asked about do not wait: they change nothing, and are written down a little later.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "async/batch_thread.h"
#include "async/loop_handle.h"
#include "invoke/book.h"
#include "invoke/event_log.h"

namespace toolgate {

using InvocationPointer = std::shared_ptr<const InvocationRow>;

// Someone on a loop who runs a call once it may, and is told of everything that happens to it.
struct CallHolder {
  LoopHandle loop;
  std::function<void(InvocationPointer)> told;  // on that loop
};

class Ledger {
 public:
  static Result<std::unique_ptr<Ledger>> open(std::unique_ptr<Store> store, BookOptions options);
  // Waits until everything that was asked for is written.
  ~Ledger();

  // Calls `work(book)`, which returns a Result, on the ledger's thread and resumes on the caller's
  // loop when what it changed is durable. Cannot be cancelled: it is short.
  template <class Work>
  auto run(Work work) {
    return thread_->run([this, work = std::move(work)]() mutable {
      must_commit_ = true;
      return work(*book_);
    });
  }
  template <class Work>
  auto run_blocking(Work work) {
    return thread_->run_blocking([this, work = std::move(work)]() mutable {
      must_commit_ = true;
      return work(*book_);
    });
  }

  // The holder is told until the call has ended, or release(); it stands before anyone can decide.
  Task<Result<std::unique_ptr<Proposed>>> propose(std::unique_ptr<Proposal> proposal,
                                                  std::shared_ptr<CallHolder> holder);
  Task<Result<InvocationPointer>> confirm(Confirmation confirmation);
  // An approved call that nobody holds: begins, held by `holder`.
  Task<Result<InvocationPointer>> resume(std::string id, std::shared_ptr<CallHolder> holder);
  // The tool has ended. What cannot be written now is written as soon as it can be.
  Task<Result<InvocationPointer>> end(Ending ending);
  // Nobody holds the call any more; one that waits goes on waiting. The row as it stands then: if
  // it may run, whoever lets go must still run it.
  Task<Result<InvocationPointer>> let_go(std::string id);
  // The same without waiting.
  void release(std::string id);

  const std::shared_ptr<EventLog>& events() const { return events_; }

 private:
  Ledger(std::unique_ptr<Store> store, std::unique_ptr<InvocationBook> book,
         std::function<std::int64_t()> now);
  Result<void> begin();
  Result<void> end_batch();
  Result<void> commit();
  void publish(bool is_durable);
  void undo();
  std::optional<BatchThread::TimePoint> look_what_is_due();
  std::optional<BatchThread::TimePoint> look_what_is_over();
  bool write_ends();
  bool transact(const std::function<Result<void>()>& work);
  void tell(InvocationBook::News news);

  std::unique_ptr<Store> store_;
  std::unique_ptr<InvocationBook> book_;
  std::function<std::int64_t()> now_;
  std::shared_ptr<EventLog> events_ = std::make_shared<EventLog>();
  // The thread's own from here on.
  std::unordered_map<std::string, std::shared_ptr<CallHolder>> holders_;
  std::vector<std::pair<std::string, std::shared_ptr<CallHolder>>> new_holders_;  // of this batch
  std::vector<Ending> unwritten_;        // of calls that have ended when the disk was full
  std::vector<BookEvent> audit_events_;  // told once their entries are durable
  bool needs_reload_ = false;
  bool must_commit_ = false;                                 // before anyone of this batch goes on
  std::optional<BatchThread::TimePoint> commit_until_ = {};  // there is a transaction; by then
  std::optional<BatchThread::TimePoint> look_again_ = {};    // whether calls run for long
  std::unique_ptr<BatchThread> thread_;                      // last: it uses all of the above
};

}  // namespace toolgate
