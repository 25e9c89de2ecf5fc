// Random lives of calls against a model that knows only what must never happen: an illegal move, a
// start without a yes, a second start, a lost decision, a broken trail. Crashes and full disks
// included.
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "invoke/book.h"
#include "invoke/canonical.h"
#include "invoke/memory_store.h"

namespace toolgate {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr int kSequences = 3'000;
#else
constexpr int kSequences = 100'000;
#endif
#endif

// What the model knows of a call.
struct Known {
  InvocationState state = InvocationState::WaitingForConfirmation;
  bool allowed = false;  // by a person, or by what a person set up
  int starts = 0;
  bool result_allowed = true;
  bool written_later = false;
  std::string tool;
};

class Life {
 public:
  explicit Life(std::uint32_t seed) : random_(seed) { reopen(); }

  void run() {
    const int steps = pick(4, 16);
    for (int i = 0; i < steps; ++i) step();
    crash();
    check_trail();
  }

 private:
  int pick(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  bool chance(int percent) { return pick(1, 100) <= percent; }

  void reopen() {
    BookOptions options;
    options.now = [this] { return now_; };
    options.resume_time = 50;
    options.most_approvals = 3;
    auto opened = InvocationBook::open(store_, options);
    ASSERT_TRUE(opened);
    book_ = std::move(*opened);
    // What ran is over, and nobody knows how; what waited waits.
    for (auto& [id, call] : calls_)
      if (!is_terminal(call.state) &&
          (call.state == InvocationState::Executing || asked_again_.contains(id)))
        call.state = seen_[id] = InvocationState::Completed;
    asked_again_.clear();
    take_news();
  }

  void crash() {
    book_.reset();
    // What only read, and had not ended, leaves no trace.
    std::erase_if(calls_, [&](const auto& call) {
      return call.second.written_later && call.second.state == InvocationState::Executing;
    });
    reopen();
    for (const auto& [id, call] : calls_) {
      const auto row = book_->find(id);
      ASSERT_TRUE(row) << id;
      EXPECT_EQ((*row)->state, call.state) << id;
    }
  }

  // One transaction; now and then the disk is full, and nothing of it may count.
  template <class Work>
  void transact(Work work) {
    ASSERT_TRUE(store_.begin());
    const auto calls = calls_;
    const auto approved = approved_;
    const auto asked_again = asked_again_;
    work();
    // The ledger may come to it before the commit, or only then.
    if (chance(50)) (void)book_->write_ends();
    const bool full = chance(3);
    if (full || book_->failure()) {
      store_.roll_back();
      ASSERT_TRUE(book_->reload());
      calls_ = calls;
      approved_ = approved;
      asked_again_ = asked_again;
      return;
    }
    ASSERT_TRUE(book_->write_ends());
    ASSERT_TRUE(store_.commit());
    book_->committed();
    take_news();
  }

  void take_news() {
    for (const BookEvent& event : book_->take_news().events)
      if (event.kind == "invocation") see(parse_json(event.write()).value());
  }

  // Every told state must be reachable from the one before it.
  void see(const json::value& row) {
    const std::string id(row.at("id").as_string());
    const auto state =
        parse_invocation_state(std::string_view(row.at("state").as_string())).value();
    const auto seen = seen_.find(id);
    if (seen != seen_.end() && seen->second != state)
      EXPECT_TRUE(is_legal_move(seen->second, state))
          << name_of(seen->second) << " to " << name_of(state);
    seen_[id] = state;
  }

  void note_row(const InvocationRow& row) {
    Known& call = calls_.at(row.id);
    if (call.state != InvocationState::Executing && row.state == InvocationState::Executing) {
      EXPECT_TRUE(call.allowed) << row.id << " runs without a yes";
      if (!asked_again_.contains(row.id)) ++call.starts;
      asked_again_.erase(row.id);
      EXPECT_LE(call.starts, 1) << row.id << " runs twice";
    }
    call.state = row.state;
  }

  void step() {
    now_ += pick(0, 20);
    switch (pick(0, 9)) {
      case 0:
      case 1:
      case 2:
        return transact([this] { propose(); });
      case 3:
      case 4:
        return transact([this] { confirm(); });
      case 5:
        return transact([this] { end(); });
      case 6:
        return transact([this] { cancel(); });
      case 7:
        return chance(50) ? transact([this] { ask_again(); }) : transact([this] { resume(); });
      case 8:
        return transact([this] { expire(); });
      default:
        return chance(30) ? crash() : transact([this] { revoke(); });
    }
  }

  void propose() {
    Proposal proposal;
    const std::string tool = fmt::format("tool{}", pick(0, 2));
    proposal.call.tool_id = tool;
    proposal.call.session_id = chance(50) ? "session" : "";
    proposal.call.workspace = "/ws";
    proposal.call.arguments = fmt::format(R"({{"n":{}}})", pick(0, 2));
    const auto canonical = canonical_json(proposal.call.arguments).value();
    proposal.call.definition_hash = chance(90) ? "definition" : "another";
    proposal.call.binding_hash = binding_hash(tool, proposal.call.definition_hash, canonical, "");
    proposal.facts.tool_id = tool;
    proposal.facts.settings = settings_;
    proposal.facts.raw_input = proposal.call.arguments;
    const bool asks = chance(70);
    PreparedCall prepared;
    if (asks) prepared.confirmation_title = "Sure?";
    prepared.confirm_results = chance(20);
    proposal.facts.prepared = prepared;
    const bool hook_allows = chance(10);
    if (hook_allows) proposal.facts.hook.kind = HookVerdict::Kind::Allow;
    proposal.facts.approvals = {.tool_id = tool,
                                .arguments_key = arguments_key(tool, canonical),
                                .session_id = proposal.call.session_id,
                                .workspace = "/ws",
                                .definition_hash = proposal.call.definition_hash};
    proposal.may_wait = chance(90);
    proposal.is_read_only = chance(40);
    proposal.confirmation_time = chance(80) ? 30 : 0;
    const auto remembered = proposal.facts.approvals;
    const auto proposed = book_->propose(std::move(proposal));
    ASSERT_TRUE(proposed);
    const InvocationRow& row = *proposed->call;
    Known call;
    call.tool = tool;
    call.allowed = !asks || hook_allows || is_remembered(remembered);
    call.result_allowed = !prepared.confirm_results;
    call.written_later = proposed->written_later;
    EXPECT_EQ(call.written_later, book_->is_written_later(row.id));
    EXPECT_EQ(store_.find_invocation(row.id).value().has_value(), !call.written_later);
    calls_[row.id] = call;
    if (row.state == InvocationState::Executing) {
      EXPECT_TRUE(call.allowed) << "a call that asks began by itself";
      calls_[row.id].starts = 1;
    }
    calls_[row.id].state = row.state;
  }

  // By the book's own list, which is what people can see.
  bool is_remembered(const ApprovalQuery& query) const {
    for (const Approval& approval : book_->approvals()) {
      const bool key = approval.target == ApprovalTarget::Arguments
                           ? approval.key == query.arguments_key
                           : approval.key == query.tool_id;
      const bool scope = approval.scope == ApprovalScope::Profile ||
                         (approval.scope == ApprovalScope::Session
                              ? !query.session_id.empty() && approval.scope_id == query.session_id
                              : approval.scope_id == query.workspace);
      if (approval.side == ApprovalSide::Before && key && scope &&
          approval.definition_hash == query.definition_hash)
        return true;
    }
    return false;
  }

  std::string any_call() {
    if (calls_.empty() || chance(5)) return "inv_unknown";
    auto at = calls_.begin();
    std::advance(at, pick(0, static_cast<int>(calls_.size()) - 1));
    return at->first;
  }

  void confirm() {
    Confirmation confirmation;
    confirmation.id = any_call();
    confirmation.by = "person";
    const int choice = pick(0, 3);
    if (choice == 1) confirmation.choice = Confirmation::Choice::Deny;
    if (choice == 2) confirmation.choice = Confirmation::Choice::Skip;
    if (chance(30)) confirmation.scope = static_cast<ApprovalScope>(pick(0, 3));
    if (chance(30)) confirmation.target = ApprovalTarget::Arguments;
    if (chance(10)) confirmation.arguments_hash = "what was shown before";
    if (chance(10)) confirmation.parameters = R"({"n":7})";
    const bool held = chance(80);
    const auto known = calls_.find(confirmation.id);
    const bool first = known != calls_.end() && is_waiting_for_person(known->second.state) &&
                       !approved_.contains(confirmation.id);
    const auto decided = book_->confirm(confirmation, held);
    if (!decided) return;
    EXPECT_TRUE(first) << "a second decision about " << confirmation.id;
    if (confirmation.choice == Confirmation::Choice::Allow) known->second.allowed = true;
    if ((*decided)->state == InvocationState::WaitingForConfirmation) {
      approved_.insert(confirmation.id);
      asked_again_.erase(confirmation.id);
    }
    note_row(**decided);
  }

  void resume() {
    const std::string id = any_call();
    const auto resumed = book_->resume(id);
    if (!resumed) return;
    EXPECT_TRUE(approved_.erase(id) == 1) << id << " was resumed without an approval";
    note_row(**resumed);
  }

  void ask_again() {
    const std::string id = any_call();
    const auto asked = book_->ask_again(id, {.confirmation_title = "Really?"}, 30);
    if (!asked) return;
    EXPECT_EQ(calls_.at(id).state, InvocationState::Executing);
    calls_.at(id).allowed = false;
    calls_.at(id).written_later = false;
    asked_again_.insert(id);
    calls_.at(id).state = (*asked)->state;
  }

  void end() {
    const std::string id = any_call();
    const auto ended = book_->end({.id = id, .facts = {.is_error = chance(20)}});
    if (!ended) return;
    EXPECT_EQ(calls_.at(id).starts, 1) << "ended without a start";
    note_row(**ended);
  }

  void cancel() {
    const std::string id = any_call();
    const auto ended = book_->cancel(id, {.kind = DecisionKind::Denied, .by = "caller"});
    if (!ended) return;
    EXPECT_FALSE(is_terminal(calls_.at(id).state)) << "an ended call was ended";
    approved_.erase(id);
    note_row(**ended);
  }

  void expire() {
    now_ += pick(0, 60);
    ASSERT_TRUE(book_->expire());
    for (auto& [id, call] : calls_) {
      const auto row = book_->find(id);
      ASSERT_TRUE(row);
      if (call.state == (*row)->state) continue;
      EXPECT_TRUE(is_waiting_for_person(call.state));
      EXPECT_EQ((*row)->state, InvocationState::Cancelled);
      call.state = (*row)->state;
      approved_.erase(id);
    }
  }

  void revoke() {
    const auto approvals = book_->approvals();
    if (chance(10)) {
      EXPECT_EQ(book_->reset_approvals("person").value(), approvals.size());
      return;
    }
    if (approvals.empty()) return;
    const auto& one =
        approvals[static_cast<std::size_t>(pick(0, static_cast<int>(approvals.size()) - 1))];
    EXPECT_TRUE(book_->revoke(one.id, "person"));
  }

  void check_trail() {
    AuditQuery all;
    all.limit = 100'000;
    const auto entries = book_->audit(all).value();
    EXPECT_EQ(find_broken_link(entries), std::nullopt);
    std::map<std::string, int> starts;
    for (const AuditEntry& entry : entries)
      if (entry.kind == AuditKind::Started || entry.kind == AuditKind::Ran)
        ++starts[entry.invocation_id];
    for (const auto& [id, count] : starts) EXPECT_EQ(count, 1) << id;
    for (const auto& [id, call] : calls_) EXPECT_EQ(starts.contains(id) ? 1 : 0, call.starts) << id;
  }

  std::mt19937 random_;
  std::int64_t now_ = 1'000;
  MemoryStore store_;
  std::unique_ptr<InvocationBook> book_;
  std::shared_ptr<const ApprovalSettings> settings_ = std::make_shared<ApprovalSettings>();
  std::map<std::string, Known> calls_;
  std::map<std::string, InvocationState> seen_;
  std::set<std::string> approved_;     // and not yet resumed
  std::set<std::string> asked_again_;  // while they ran
};

TEST(InvocationBook, KeepsItsPromisesThroughRandomLives) {
  for (std::uint32_t seed = 0; seed < kSequences; ++seed) {
    Life(seed).run();
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
}

}  // namespace
}  // namespace toolgate
