#include "invoke/book.h"

#include <algorithm>
#include <limits>

#include "base/ids.h"
#include "base/json_object.h"
#include "invoke/book_open.h"
#include "invoke/canonical.h"

namespace toolgate {
namespace {

// Beyond this, ended calls are thrown out now and then, not one by one.
constexpr std::size_t kPruneEvery = 1'000;

bool is_ask(const Verdict& verdict) {
  return verdict.kind == Verdict::Kind::Ask;
}

InvocationState first_state(const Verdict& verdict) {
  if (is_ask(verdict)) return InvocationState::WaitingForConfirmation;
  return Invocation::ready({}, verdict.decision).state();
}

// Someone who cannot wait gets the answer that a person would have to give, and it is no.
void refuse_instead_of_asking(Verdict& verdict) {
  verdict.kind = Verdict::Kind::Refuse;
  verdict.decision = {.kind = DecisionKind::Denied,
                      .by = "caller",
                      .rule = "confirmation of the request",
                      .message =
                          "a person would have to confirm this call, and the caller did not "
                          "want to wait for one"};
}

// What is asked now is whether a model may see the result.
std::string ask_about_result(const std::string& confirmation, bool may_be_remembered) {
  if (confirmation.empty() && may_be_remembered) return {};
  auto shown = parse_json(confirmation).value_or(json::object());
  if (auto* object = shown.if_object()) (*object)["mayBeRemembered"] = may_be_remembered;
  return write_json(shown);
}

Error already_ended(const InvocationRow& row) {
  return {
      Errc::Conflict,
      fmt::format("{} is {}: nothing can be decided about it any more", row.id, name_of(row.state)),
      {}};
}

}  // namespace

InvocationBook::InvocationBook(Store& store, BookOptions options)
    : store_(store),
      options_(std::move(options)),
      approvals_(options_.most_approvals),
      redaction_(std::make_shared<const Redaction>(options_.redaction)) {}

InvocationBook::~InvocationBook() = default;

Result<std::unique_ptr<InvocationBook>> InvocationBook::open(Store& store, BookOptions options) {
  std::unique_ptr<InvocationBook> book(new InvocationBook(store, std::move(options)));
  if (auto begun = store.begin(); !begun) return std::unexpected(begun.error());
  auto loaded = book->load();
  if (loaded) loaded = book->mark_interrupted();
  if (loaded) loaded = store.commit();
  if (loaded) return book;
  store.roll_back();
  return std::unexpected(loaded.error());
}

// Takes over what the store says, all of it or nothing. What only memory knows of calls that are
// still open stays.
Result<void> InvocationBook::load() {
  auto last = store_.last_audit();
  if (!last) return std::unexpected(last.error());
  auto approvals = store_.load_approvals();
  if (!approvals) return std::unexpected(approvals.error());
  auto rows = store_.open_invocations();
  if (!rows) return std::unexpected(rows.error());

  auto before = std::exchange(open_, {});
  expiries_.clear();
  news_ = {};
  failure_.reset();
  last_audit_ = std::move(*last);
  approvals_ = Approvals(options_.most_approvals);
  for (Approval& approval : *approvals) (void)approvals_.remember(std::move(approval));
  for (InvocationRow& row : *rows) {
    watch(row);
    const auto known = before.find(row.id);
    auto id = row.id;
    auto open = std::make_unique<Open>(
        restore_open(std::move(row), known == before.end() ? nullptr : known->second.get()));
    if (known == before.end()) open->number = next_number_++;
    open_.emplace(std::move(id), std::move(open));
  }
  keep_unwritten(std::move(before));
  return {};
}

// Calls that run and are in no store yet are still there when a transaction was undone, except
// those that came with it.
void InvocationBook::keep_unwritten(std::unordered_map<std::string, std::unique_ptr<Open>> before) {
  for (auto& [id, open] : before)
    if (open->written_later) open_[id] = std::move(open);
  for (JustEnded& call : std::exchange(just_ended_, {}))
    open_[call.row->id] = std::move(call.before);
  for (JustWritten& call : std::exchange(just_written_, {})) {
    const std::string id = call.before->row->id;
    open_[id] = std::move(call.before);
  }
  for (const std::string& id : std::exchange(new_unwritten_, {})) open_.erase(id);
  unwritten_.clear();
  for (const auto& [id, open] : open_)
    if (open->written_later) unwritten_.push_back(id);
}

Result<void> InvocationBook::reload() {
  return load();
}

// What ran when the last process died may have done its work or not: it is never run again. That
// goes for one that asked a question while it ran, too.
Result<void> InvocationBook::mark_interrupted() {
  std::vector<std::string> interrupted;
  for (const auto& [id, open] : open_)
    if (open->row->started_at != 0 && open->row->state != InvocationState::WaitingForPostApproval)
      interrupted.push_back(id);
  std::ranges::sort(interrupted);
  for (const std::string& id : interrupted) {
    Open& open = *open_.at(id);
    InvocationRow row = *open.row;
    row.unknown_outcome = true;
    row.error = "the gateway stopped while this call ran; whether it finished is not known";
    row.ended_at = options_.now();
    unwatch(row);
    row.expires_at = 0;
    row.state = InvocationState::Completed;
    if (auto noted = note(AuditKind::Unknown, row, "gateway", "{}"); !noted) return noted;
    if (auto written = write(open, std::move(row)); !written) return written;
    open_.erase(id);
  }
  return {};
}

Result<Proposed> InvocationBook::propose(Proposal proposal) {
  if (open_.size() >= options_.most_open)
    return fail(Errc::Overloaded, "{} calls are open; no more can be taken", open_.size());
  const std::int64_t now = options_.now();
  Proposed proposed;
  proposed.verdict = decide_call(proposal.facts, approvals_, now, Trail::Left);
  Verdict& verdict = proposed.verdict;
  if (is_ask(verdict) && !proposal.may_wait) refuse_instead_of_asking(verdict);

  auto open = std::make_unique<Open>();
  open->server_key = proposal.facts.approvals.server_key;
  open->server_definition_hash = proposal.facts.approvals.server_definition_hash;
  open->may_be_remembered = verdict.question.prepared.allow_auto_confirm.value_or(true);
  open->approval_key = meaning_key(proposal.call.tool_id, verdict.question.prepared.approval_key);
  open->confirm_results = verdict.question.prepared.confirm_results;
  open->confirmation_time = proposal.confirmation_time;
  open->definition = std::move(proposal.definition);
  open->server_definition = std::move(proposal.server_definition);
  if (open->confirm_results)
    open->facts = std::make_shared<const CallFacts>(std::move(proposal.facts));

  open->written_later = proposal.is_read_only && verdict.kind == Verdict::Kind::Run &&
                        !verdict.outdated && !open->confirm_results;
  if (verdict.outdated) {
    const Approval outdated = *verdict.outdated;
    verdict.outdated = nullptr;
    proposed.definition_changes = definition_changes(outdated, *open);
    const auto voided = void_approval(outdated, "gateway", "the definition has changed");
    if (!voided) return std::unexpected(voided.error());
  }
  if (verdict.approval) {
    const auto used = note_use(*verdict.approval, now);
    if (!used) return std::unexpected(used.error());
    verdict.approval = nullptr;
  }

  InvocationRow row = std::move(proposal.call);
  row.id = make_id("inv_");
  row.created_at = now;
  row.state = first_state(verdict);
  if (is_ask(verdict)) {
    row.confirmation = write_confirmation(verdict.question, *open, proposed.definition_changes);
    if (proposal.confirmation_time > 0) row.expires_at = now + proposal.confirmation_time;
  } else {
    row.decision = write_decision(verdict.decision);
    row.decided_at = now;
    (verdict.kind == Verdict::Kind::Run ? row.started_at : row.ended_at) = now;
    if (verdict.kind == Verdict::Kind::Refuse) row.error = verdict.decision.message;
  }

  proposed.written_later = open->written_later;
  if (proposed.written_later) {
    open->decision = std::make_shared<const Decision>(verdict.decision);
    new_unwritten_.push_back(row.id);
    unwritten_.push_back(row.id);
  } else {
    if (auto written = stored(store_.insert_invocation(row)); !written)
      return std::unexpected(written.error());
    if (auto noted = note_beginning(row, is_ask(verdict) ? nullptr : &verdict.decision); !noted)
      return std::unexpected(noted.error());
  }

  proposed.call = std::make_shared<const InvocationRow>(std::move(row));
  tell_call(proposed.call);
  if (!is_terminal(proposed.call->state)) {
    open->row = proposed.call;
    open->number = next_number_++;
    watch(*proposed.call);
    open_.emplace(proposed.call->id, std::move(open));
  } else if (auto pruned = count_ended(); !pruned) {
    return std::unexpected(pruned.error());
  }
  return proposed;
}

Result<InvocationBook::Open*> InvocationBook::find_open(std::string_view id) {
  const auto found = open_.find(std::string(id));
  if (found != open_.end()) return found->second.get();
  if (auto written = write_ends(); !written) return std::unexpected(written.error());
  auto ended = stored(store_.find_invocation(id));
  if (!ended) return std::unexpected(ended.error());
  if (*ended) return std::unexpected(already_ended(**ended));
  return fail(Errc::NotFound, "there is no call {}", id);
}

Result<InvocationBook::Row> InvocationBook::confirm(const Confirmation& confirmation, bool held) {
  auto found = find_open(confirmation.id);
  if (!found) return std::unexpected(found.error());
  Open& open = **found;
  InvocationRow row = *open.row;
  const bool about_result = row.state == InvocationState::WaitingForPostApproval;
  if (!is_waiting_for_person(row.state))
    return fail(Errc::Conflict, "{} is {}: it does not wait for a decision", row.id,
                name_of(row.state));
  if (open.approved)
    return fail(Errc::Conflict, "{} is approved already and can be resumed", row.id);
  if (confirmation.arguments_hash && *confirmation.arguments_hash != row.binding_hash)
    return fail_at("arguments_hash", Errc::Conflict,
                   "what you saw is not what would run: look at {} again", row.id);
  // Everything is looked at before anything is written.
  if (confirmation.parameters)
    if (auto taken = take_edited(confirmation, row); !taken) return std::unexpected(taken.error());
  const bool allows = confirmation.choice == Confirmation::Choice::Allow;
  std::optional<Approval> approval;
  if (allows && confirmation.scope != ApprovalScope::Once) {
    auto made = make_approval(confirmation, open, row);
    if (!made) return std::unexpected(made.error());
    approval = std::move(*made);
  }
  if (confirmation.parameters)
    if (auto noted = note_proposal(row, confirmation.by, true); !noted)
      return std::unexpected(noted.error());
  if (approval)
    if (auto kept = remember(std::move(*approval), row); !kept)
      return std::unexpected(kept.error());

  const Decision decision = decision_of(confirmation);
  const bool has_begun = row.started_at != 0;
  if (allows && !has_begun && !held) return keep_for_resume(open, std::move(row), decision);
  return settle(open, std::move(row), decision, about_result);
}

// Approved, but whoever asked has gone: it begins when someone resumes it, and not later than that.
Result<InvocationBook::Row> InvocationBook::keep_for_resume(Open& open, InvocationRow row,
                                                            const Decision& decision) {
  open.approved = true;
  row.decision = write_decision(decision);
  row.decided_at = options_.now();
  unwatch(row);
  row.expires_at = row.decided_at + options_.resume_time;
  watch(row);
  if (auto noted = note_decision(row, decision); !noted) return std::unexpected(noted.error());
  if (auto written = write(open, std::move(row)); !written) return std::unexpected(written.error());
  news_.settled.push_back(open.row);
  tell_call(open.row);
  return open.row;
}

Result<InvocationBook::Row> InvocationBook::settle(Open& open, InvocationRow row,
                                                   const Decision& decision, bool about_result) {
  const std::int64_t now = options_.now();
  auto machine = open.machine();
  machine.confirm(decision);
  unwatch(row);
  row.expires_at = 0;
  row.state = machine.state();
  (about_result ? row.post_decision : row.decision) = write_decision(decision);
  if (!about_result) row.decided_at = now;
  const bool begins = row.state == InvocationState::Executing && row.started_at == 0;
  if (begins) row.started_at = now;
  if (is_terminal(row.state)) {
    row.ended_at = now;
    if (!decision.lets_run()) {
      row.error = decision.message;
      if (about_result) row.result.clear();
    }
  }
  if (auto noted = note_decision(row, decision); !noted) return std::unexpected(noted.error());
  if (begins)
    if (auto noted = note_start(row); !noted) return std::unexpected(noted.error());
  return finish(open, std::move(row));
}

// Writes the row down and tells it; an ended one leaves the book.
Result<InvocationBook::Row> InvocationBook::finish(Open& open, InvocationRow row) {
  if (auto written = write(open, std::move(row)); !written) return std::unexpected(written.error());
  Row now = open.row;
  news_.settled.push_back(now);
  tell_call(now);
  if (is_terminal(now->state)) {
    open_.erase(now->id);
    if (auto pruned = count_ended(); !pruned) return std::unexpected(pruned.error());
  }
  return now;
}

Result<InvocationBook::Row> InvocationBook::resume(std::string_view id) {
  auto found = find_open(id);
  if (!found) return std::unexpected(found.error());
  Open& open = **found;
  if (!open.approved)
    return fail(Errc::Conflict,
                "{} is {}: only a call that was approved while nobody waited for it "
                "can be resumed",
                id, name_of(open.row->state));
  auto decision = parse_decision(open.row->decision);
  if (!decision) return std::unexpected(decision.error());
  InvocationRow row = *open.row;
  open.approved = false;
  auto machine = open.machine();
  machine.confirm(*decision);
  unwatch(row);
  row.expires_at = 0;
  row.state = machine.state();
  row.started_at = options_.now();
  if (auto noted = note_start(row); !noted) return std::unexpected(noted.error());
  return finish(open, std::move(row));
}

Result<InvocationBook::Row> InvocationBook::ask_again(std::string_view id,
                                                      const PreparedCall& question,
                                                      std::int64_t confirmation_time) {
  auto found = find_open(id);
  if (!found) return std::unexpected(found.error());
  Open& open = **found;
  if (auto written = write_so_far(open); !written) return std::unexpected(written.error());
  auto machine = open.machine();
  // Only a tool that runs can ask; what it gave back is another question.
  if (open.row->state != InvocationState::Executing || !machine.request_confirmation(question))
    return fail(Errc::Conflict, "{} is {}: it cannot ask now", id, name_of(open.row->state));
  InvocationRow row = *open.row;
  open.may_be_remembered = question.allow_auto_confirm.value_or(true);
  open.approval_key = meaning_key(row.tool_id, question.approval_key);
  open.confirm_results = question.confirm_results;
  row.state = machine.state();
  row.decision.clear();
  row.confirmation = write_confirmation({Question::TitleFrom::Tool, question}, open, {});
  // Another question: an answer to the one before must not count for it.
  row.binding_hash = sha256_hex(row.binding_hash + row.confirmation);
  if (confirmation_time > 0) row.expires_at = options_.now() + confirmation_time;
  watch(row);
  return finish(open, std::move(row));
}

Result<InvocationBook::Row> InvocationBook::end(const Ending& ending) {
  auto found = find_open(ending.id);
  if (!found) return std::unexpected(found.error());
  Open& open = **found;
  if (is_waiting_for_person(open.row->state)) {
    if (open.row->started_at == 0 || open.row->state == InvocationState::WaitingForPostApproval)
      return fail(Errc::Conflict, "{} is {}: it cannot end now", ending.id,
                  name_of(open.row->state));
    return cancel(ending.id, {.kind = DecisionKind::Denied,
                              .by = "tool",
                              .message = "the tool ended while it asked a question"});
  }
  const std::int64_t now = options_.now();
  std::optional<Decision> automatic;
  if (open.facts) automatic = decide_result(*open.facts, approvals_, now);
  auto machine = open.machine();
  machine.executed(ending.facts, automatic);
  InvocationRow row = *open.row;
  row.state = machine.state();
  row.result = ending.result;
  row.error = options_.redaction.hide(ending.error, row.arguments);
  row.ended_at = now;
  if (const auto& decision = machine.post_decision()) row.post_decision = write_decision(*decision);
  if (open.written_later && is_terminal(row.state)) return finish_unwritten(std::move(row), ending);
  if (auto written = write_so_far(open); !written) return std::unexpected(written.error());
  if (auto noted = note_end(row, ending); !noted) return std::unexpected(noted.error());
  if (is_waiting_for_person(row.state)) {
    row.binding_hash = sha256_hex(row.binding_hash + row.result);
    open.may_be_remembered =
        !open.facts || !offered_approvals(*open.facts, ApprovalSide::Results, {}).empty();
    row.confirmation = ask_about_result(row.confirmation, open.may_be_remembered);
    if (open.confirmation_time > 0) row.expires_at = now + open.confirmation_time;
    watch(row);
  }
  return finish(open, std::move(row));
}

InvocationBook::Row InvocationBook::finish_unwritten(InvocationRow row, const Ending& ending) {
  const auto ended = std::make_shared<const InvocationRow>(std::move(row));
  news_.settled.push_back(ended);
  tell_call(ended);
  const auto entry = open_.find(ended->id);
  just_ended_.push_back({std::move(entry->second), ending, ended});
  open_.erase(entry);
  return ended;
}

// What is left when the store fails is undone with the rest of the transaction.
Result<void> InvocationBook::write_ends() {
  for (JustEnded& call : std::exchange(just_ended_, {})) {
    const auto& [before, ending] =
        just_written_.emplace_back(std::move(call.before), std::move(call.ending));
    if (failure_) continue;
    if (auto noted = note_run(*call.row, *before->decision, *ending); !noted) continue;
    if (auto written = stored(store_.insert_invocation(*call.row)); !written) continue;
    (void)count_ended();
  }
  return failure_ ? std::unexpected(*failure_) : Result<void>();
}

Result<InvocationBook::Row> InvocationBook::cancel(std::string_view id, Decision reason) {
  auto found = find_open(id);
  if (!found) return std::unexpected(found.error());
  Open& open = **found;
  if (auto written = write_so_far(open); !written) return std::unexpected(written.error());
  InvocationRow row = *open.row;
  if (is_waiting_for_person(row.state)) {
    const bool about_result = row.state == InvocationState::WaitingForPostApproval;
    open.approved = false;
    return settle(open, std::move(row), reason, about_result);
  }
  // It has begun, so it counts as run: with an error that says how it ended.
  auto machine = open.machine();
  machine.executed({.is_error = true, .confirm_results = false});
  row.state = machine.state();
  row.error = reason.message.empty() ? "cancelled" : reason.message;
  row.ended_at = options_.now();
  if (auto noted = note(AuditKind::Ended, row, reason.by,
                        write_json(json::value(json::object{{"error", row.error}})));
      !noted)
    return std::unexpected(noted.error());
  return finish(open, std::move(row));
}

Result<void> InvocationBook::expire() {
  const std::int64_t now = options_.now();
  while (!expiries_.empty() && expiries_.begin()->first <= now) {
    const std::string id = expiries_.begin()->second;
    const bool approved = open_.at(id)->approved;
    const Decision reason{.kind = DecisionKind::Timeout,
                          .by = "timeout",
                          .rule = approved ? "" : "toolgate.confirmation.timeoutSeconds",
                          .message = approved ? "it was approved, and nobody resumed it in time"
                                              : "nobody confirmed this call in time"};
    if (auto ended = cancel(id, reason); !ended) return std::unexpected(ended.error());
  }
  for (const Approval& approval : approvals_.drop_expired(now))
    if (auto gone = void_approval(approval, "gateway", "it has expired"); !gone) return gone;
  return {};
}

std::int64_t InvocationBook::next_expiry() const {
  return expiries_.empty() ? 0 : expiries_.begin()->first;
}

Result<InvocationBook::Row> InvocationBook::find(std::string_view id) {
  const auto found = open_.find(std::string(id));
  if (found != open_.end()) return found->second->row;
  if (auto written = write_ends(); !written) return std::unexpected(written.error());
  auto row = store_.find_invocation(id);
  if (!row) return std::unexpected(row.error());
  if (!*row) return fail(Errc::NotFound, "there is no call {}", id);
  return std::make_shared<const InvocationRow>(std::move(**row));
}

Result<std::vector<InvocationBook::Row>> InvocationBook::list(const InvocationQuery& query) {
  if (query.state && !is_terminal(*query.state) && query.before.empty())
    return open_rows(query, false);
  std::vector<Row> rows;
  InvocationQuery written = query;
  if (!query.state && (query.before.empty() || is_written_later(query.before))) {
    rows = open_rows(query, true);
    written.before.clear();
  }
  if (auto ends = write_ends(); !ends) return std::unexpected(ends.error());
  auto found = store_.list_invocations(written);
  if (!found) return std::unexpected(found.error());
  for (InvocationRow& row : *found)
    if (rows.size() < query.limit)
      rows.push_back(std::make_shared<const InvocationRow>(std::move(row)));
  return rows;
}

// Newest first; all of them, or only those that are in no store yet.
std::vector<InvocationBook::Row> InvocationBook::open_rows(const InvocationQuery& query,
                                                           bool only_unwritten) const {
  const auto before = open_.find(query.before);
  const std::uint64_t below =
      before == open_.end() ? std::numeric_limits<std::uint64_t>::max() : before->second->number;
  std::vector<const Open*> matches;
  for (const auto& [id, open] : open_)
    if ((!query.state || open->row->state == *query.state) &&
        (query.session_id.empty() || open->row->session_id == query.session_id) &&
        (query.tool_id.empty() || open->row->tool_id == query.tool_id) && open->number < below &&
        (open->written_later || !only_unwritten))
      matches.push_back(open.get());
  std::ranges::sort(matches, std::greater(), &Open::number);
  if (matches.size() > query.limit) matches.resize(query.limit);
  std::vector<Row> rows;
  rows.reserve(matches.size());
  for (const Open* open : matches) rows.push_back(open->row);
  return rows;
}

Result<bool> InvocationBook::write_long_ones() {
  constexpr std::int64_t kLong = 50;  // milliseconds
  const std::int64_t now = options_.now();
  std::vector<std::string> young;
  for (std::string& id : std::exchange(unwritten_, {})) {
    const auto found = open_.find(id);
    if (found == open_.end() || !found->second->written_later) continue;
    if (now - found->second->row->started_at < kLong)
      young.push_back(std::move(id));
    else if (auto written = write_so_far(*found->second); !written)
      return std::unexpected(written.error());
  }
  unwritten_ = std::move(young);
  return !unwritten_.empty();
}

void InvocationBook::committed() {
  just_written_.clear();
}

std::vector<Ending> InvocationBook::undone_endings() {
  std::vector<Ending> endings;
  for (JustWritten& call : just_written_)
    if (call.ending) endings.push_back(std::move(*call.ending));
  for (JustEnded& call : just_ended_) endings.push_back(std::move(call.ending));
  return endings;
}

bool InvocationBook::is_written_later(std::string_view id) const {
  const auto found = open_.find(std::string(id));
  return found != open_.end() && found->second->written_later;
}

Result<void> InvocationBook::write(Open& open, InvocationRow row) {
  if (auto written = stored(store_.update_invocation(row)); !written) return written;
  open.row = std::make_shared<const InvocationRow>(std::move(row));
  return {};
}

Result<void> InvocationBook::count_ended() {
  if (++ended_since_pruning_ < kPruneEvery) return {};
  ended_since_pruning_ = 0;
  if (auto pruned = stored(store_.prune_invocations(options_.keep_ended)); !pruned)
    return std::unexpected(pruned.error());
  return {};
}

void InvocationBook::watch(const InvocationRow& row) {
  if (row.expires_at != 0) expiries_.emplace(row.expires_at, row.id);
}

void InvocationBook::unwatch(const InvocationRow& row) {
  expiries_.erase({row.expires_at, row.id});
}

void InvocationBook::tell_call(const Row& row) {
  const std::size_t bytes =
      row->arguments.size() + row->confirmation.size() + row->result.size() + 1'000;
  news_.events.emplace_back("invocation", bytes, [row, redaction = redaction_] {
    return write_invocation(*row, redaction.get());
  });
}

InvocationBook::News InvocationBook::take_news() {
  new_unwritten_.clear();
  return std::exchange(news_, {});
}

}  // namespace toolgate
