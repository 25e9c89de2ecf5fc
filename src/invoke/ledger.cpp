#include "invoke/ledger.h"

#include <algorithm>

#include "base/log.h"

namespace toolgate {

Result<std::unique_ptr<Ledger>> Ledger::open(std::unique_ptr<Store> store, BookOptions options) {
  auto now = options.now;
  auto book = InvocationBook::open(*store, std::move(options));
  if (!book) return std::unexpected(book.error());
  return std::unique_ptr<Ledger>(new Ledger(std::move(store), std::move(*book), std::move(now)));
}

Ledger::Ledger(std::unique_ptr<Store> store, std::unique_ptr<InvocationBook> book,
               std::function<std::int64_t()> now)
    : store_(std::move(store)), book_(std::move(book)), now_(std::move(now)) {
  tell(book_->take_news());
  thread_ = std::make_unique<BatchThread>(BatchThread::Steps{.begin = [this] { return begin(); },
                                                             .end = [this] { return commit(); },
                                                             .idle = [this] { return expire(); }});
}

Ledger::~Ledger() {
  thread_.reset();
}

Task<Result<Proposed>> Ledger::propose(Proposal proposal, std::shared_ptr<CallHolder> holder) {
  return run([this, proposal = std::move(proposal),
              holder = std::move(holder)](InvocationBook& book) mutable {
    auto proposed = book.propose(std::move(proposal));
    if (proposed && !is_terminal(proposed->call->state))
      holders_[proposed->call->id] = std::move(holder);
    return proposed;
  });
}

Task<Result<InvocationPointer>> Ledger::confirm(Confirmation confirmation) {
  return run([this, confirmation = std::move(confirmation)](InvocationBook& book) {
    return book.confirm(confirmation, holders_.contains(confirmation.id));
  });
}

Task<Result<InvocationPointer>> Ledger::resume(std::string id, std::shared_ptr<CallHolder> holder) {
  return run([this, id = std::move(id), holder = std::move(holder)](InvocationBook& book) mutable {
    auto resumed = book.resume(id);
    if (resumed) holders_[id] = std::move(holder);
    return resumed;
  });
}

void Ledger::release(std::string id) {
  thread_->post([this, id = std::move(id)] { holders_.erase(id); });
}

Result<void> Ledger::begin() {
  return store_->begin();
}

// What was done in memory counts only if it is written; else memory becomes what was.
Result<void> Ledger::commit() {
  Result<void> committed;
  if (const auto& failure = book_->failure())
    committed = std::unexpected(*failure);
  else
    committed = store_->commit();
  if (committed) {
    tell(book_->take_news());
    return committed;
  }
  log(LogLevel::Error, "what was just decided could not be written and does not count: {}",
      committed.error().message);
  store_->roll_back();
  if (auto reloaded = book_->reload(); !reloaded)
    log(LogLevel::Error, "the database cannot be read: {}", reloaded.error().message);
  return committed;
}

std::optional<BatchThread::TimePoint> Ledger::expire() {
  auto next = book_->next_expiry();
  if (next != 0 && next <= now_()) {
    if (auto begun = begin(); !begun) {
      log(LogLevel::Error, "confirmations that have expired could not be ended: {}",
          begun.error().message);
      return std::chrono::steady_clock::now() + std::chrono::seconds(1);
    }
    const auto expired = book_->expire();
    const auto committed = commit();
    if (!expired || !committed) return std::chrono::steady_clock::now() + std::chrono::seconds(1);
    next = book_->next_expiry();
  }
  if (next == 0) return std::nullopt;
  return std::chrono::steady_clock::now() +
         std::chrono::milliseconds(std::max<std::int64_t>(1, next - now_()));
}

void Ledger::tell(InvocationBook::News news) {
  events_->append(std::move(news.events));
  for (InvocationPointer& row : news.settled) {
    const auto found = holders_.find(row->id);
    if (found == holders_.end()) continue;
    found->second->loop.post([holder = found->second, row = std::move(row)] { holder->told(row); });
  }
}

}  // namespace toolgate
