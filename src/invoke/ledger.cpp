#include "invoke/ledger.h"

#include <algorithm>

#include "base/log.h"

namespace toolgate {
namespace {

using Clock = std::chrono::steady_clock;

// How long what need not be durable at once may wait for company.
constexpr std::chrono::milliseconds kCommitDelay{50};

}  // namespace

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
  thread_ = std::make_unique<BatchThread>(
      BatchThread::Steps{.begin = [this] { return begin(); },
                         .end = [this] { return end_batch(); },
                         .abort = [this] { undo(); },
                         .idle = [this] { return look_what_is_due(); }});
}

Ledger::~Ledger() {
  thread_.reset();
  if (commit_until_) (void)commit();
}

Task<Result<std::unique_ptr<Proposed>>> Ledger::propose(std::unique_ptr<Proposal> proposal,
                                                        std::shared_ptr<CallHolder> holder) {
  return thread_->run([this, proposal = std::move(proposal),
                       holder = std::move(holder)]() mutable -> Result<std::unique_ptr<Proposed>> {
    auto proposed = book_->propose(std::move(*proposal));
    must_commit_ = must_commit_ || !proposed || !proposed->written_later;
    if (!proposed) return std::unexpected(proposed.error());
    if (!is_terminal(proposed->call->state))
      new_holders_.emplace_back(proposed->call->id, std::move(holder));
    return std::make_unique<Proposed>(std::move(*proposed));
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
    if (resumed) new_holders_.emplace_back(id, std::move(holder));
    return resumed;
  });
}

Task<Result<InvocationPointer>> Ledger::end(Ending ending) {
  auto ended = co_await thread_->run([this, &ending] {
    must_commit_ = must_commit_ || !book_->is_written_later(ending.id);
    return book_->end(ending);
  });
  const bool lost =
      !ended && ended.error().code != Errc::Conflict && ended.error().code != Errc::NotFound;
  if (lost)
    thread_->post(
        [this, ending = std::move(ending)]() mutable { unwritten_.push_back(std::move(ending)); });
  co_return ended;
}

Task<Result<InvocationPointer>> Ledger::let_go(std::string id) {
  return run([this, id = std::move(id)](InvocationBook& book) {
    holders_.erase(id);
    return book.find(id);
  });
}

void Ledger::release(std::string id) {
  thread_->post([this, id = std::move(id)] { holders_.erase(id); });
}

// Before anything else happens, memory must be what is written.
Result<void> Ledger::begin() {
  if (needs_reload_) {
    if (auto reloaded = book_->reload(); !reloaded) return reloaded;
    needs_reload_ = false;
  }
  if (commit_until_) return {};
  return store_->begin();
}

// Whoever waits goes on after this.
Result<void> Ledger::end_batch() {
  if (must_commit_ || book_->failure()) return commit();
  if (!commit_until_) commit_until_ = Clock::now() + kCommitDelay;
  publish(false);
  return {};
}

Result<void> Ledger::commit() {
  must_commit_ = false;
  commit_until_.reset();
  (void)book_->write_ends();
  const auto more = book_->failure() ? Result<bool>(false) : book_->write_long_ones();
  Result<void> committed;
  if (const auto& failure = book_->failure())
    committed = std::unexpected(*failure);
  else
    committed = store_->commit();
  look_again_ = committed && *more ? std::optional(Clock::now() + kCommitDelay) : std::nullopt;
  if (!committed) {
    log(LogLevel::Error, "what was just decided could not be written and does not count: {}",
        committed.error().message);
    undo();
    return committed;
  }
  book_->committed();
  publish(true);
  return committed;
}

// Whoever reads the trail must not see an entry that may yet be undone.
void Ledger::publish(bool is_durable) {
  for (auto& [id, holder] : new_holders_) holders_[id] = std::move(holder);
  new_holders_.clear();
  auto news = book_->take_news();
  std::vector<BookEvent> told;
  if (is_durable) told = std::exchange(audit_events_, {});
  told.reserve(told.size() + news.events.size());
  for (BookEvent& event : news.events)
    (is_durable || event.kind != "audit" ? told : audit_events_).push_back(std::move(event));
  news.events = std::move(told);
  tell(std::move(news));
}

// What was done in memory counts only if it is written.
void Ledger::undo() {
  must_commit_ = false;
  commit_until_.reset();
  store_->roll_back();
  new_holders_.clear();
  audit_events_.clear();
  std::ranges::move(book_->undone_endings(), std::back_inserter(unwritten_));
  const auto reloaded = book_->reload();
  needs_reload_ = !reloaded;
  if (!reloaded) log(LogLevel::Error, "the database cannot be read: {}", reloaded.error().message);
}

bool Ledger::transact(const std::function<Result<void>()>& work) {
  if (auto begun = begin(); !begun) {
    log(LogLevel::Error, "what is due could not be written: {}", begun.error().message);
    return false;
  }
  if (work() || book_->failure()) return commit().has_value();
  undo();
  return false;
}

// Those who made the calls have gone on meanwhile.
bool Ledger::write_ends() {
  if (!book_->has_ends_to_write()) return true;
  if (!commit_until_) return transact([this] { return book_->write_ends(); });
  return book_->write_ends() || commit();  // which undoes it
}

// What waits to be written and committed, confirmations whose time is over, and endings that could
// not be written before.
std::optional<BatchThread::TimePoint> Ledger::look_what_is_due() {
  if (!write_ends()) return Clock::now() + std::chrono::seconds(1);
  if (look_again_ && !commit_until_ && *look_again_ <= Clock::now())
    (void)transact([] { return Result<void>(); });
  if (commit_until_ && *commit_until_ <= Clock::now()) (void)commit();
  auto due = look_what_is_over();
  for (const auto& other : {commit_until_, look_again_})
    if (other) due = due ? std::min(*due, *other) : other;
  return due;
}

std::optional<BatchThread::TimePoint> Ledger::look_what_is_over() {
  const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  if (!unwritten_.empty()) {
    const bool written = transact([this]() -> Result<void> {
      for (const Ending& ending : unwritten_) (void)book_->end(ending);
      return {};
    });
    if (!written) return soon;
    unwritten_.clear();
  }
  if (const auto next = book_->next_expiry(); next != 0 && next <= now_())
    if (!transact([this] { return book_->expire(); })) return soon;
  const auto next = book_->next_expiry();
  if (next == 0) return std::nullopt;
  // Not longer than that: the clock on the wall may be set, and machines sleep.
  const auto left = std::chrono::milliseconds(std::max<std::int64_t>(1, next - now_()));
  return std::min(soon, std::chrono::steady_clock::now() + left);
}

// One message to each loop, for the reason that BatchThread has.
void Ledger::tell(InvocationBook::News news) {
  events_->append(std::move(news.events));
  using Told = std::vector<std::pair<std::shared_ptr<CallHolder>, InvocationPointer>>;
  std::vector<Told> loops;
  for (InvocationPointer& row : news.settled) {
    const auto found = holders_.find(row->id);
    if (found == holders_.end()) continue;
    std::shared_ptr<CallHolder> holder = found->second;
    if (is_terminal(row->state)) holders_.erase(found);
    const auto same = [&](const Told& told) { return told.front().first->loop == holder->loop; };
    auto loop = std::ranges::find_if(loops, same);
    if (loop == loops.end()) loop = loops.emplace(loops.end());
    loop->emplace_back(std::move(holder), std::move(row));
  }
  for (Told& told : loops) {
    const LoopHandle loop = told.front().first->loop;
    loop.post([told = std::move(told)] {
      for (const auto& [holder, row] : told) holder->told(row);
    });
  }
}

}  // namespace toolgate
