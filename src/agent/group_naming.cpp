#include "agent/group_naming.h"

#include <algorithm>

#include "async/deadline.h"
#include "base/ids.h"
#include "base/log.h"

namespace toolgate {

// Counts one of those who ask; the last to leave ends the round, however it leaves.
class GroupNaming::Asker {
 public:
  explicit Asker(GroupNaming& naming) : naming_(naming) {}
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;
  ~Asker() {
    if (--naming_.askers_ == 0) naming_.end_round();
  }

 private:
  GroupNaming& naming_;
};

GroupNaming::GroupNaming(Loop& loop, HttpClient& client, Publish publish, NamingLimits limits,
                         Clock now)
    : loop_(loop),
      client_(client),
      publish_(std::move(publish)),
      limits_(limits),
      now_(std::move(now)) {}

void GroupNaming::want(NamingWish wish) {
  if (round_ || cancel_.requested()) return;
  std::erase_if(wish.groups, [&](const UnnamedGroup& group) {
    return table_->find(group.key, now_()) != nullptr;
  });
  if (wish.groups.empty()) return;
  askers_ = std::min(limits_.at_once, wish.groups.size());
  round_.emplace(std::move(wish));
  for (std::size_t i = askers_; i > 0; --i)
    loop_.scope().spawn(ask_in_turn(), "naming groups of tools");
}

Task<> GroupNaming::ask_in_turn() {
  const Asker asker(*this);
  while (round_->next < round_->wish.groups.size()) {
    const UnnamedGroup& group = round_->wish.groups[round_->next++];
    auto names = co_await ask(group);
    if (cancel_.requested()) co_return;
    keep(group, std::move(names));
  }
}

bool GroupNaming::may_ask() {
  const NamingTime now = now_();
  if (now - hour_began_ >= std::chrono::hours(1)) {
    hour_began_ = now;
    asked_this_hour_ = 0;
  }
  if (asked_this_hour_ >= limits_.questions_per_hour) return false;
  ++asked_this_hour_;
  return true;
}

Task<Result<GroupNamer::Names>> GroupNaming::ask(const UnnamedGroup& group) {
  if (round_->failures_in_a_row >= limits_.failures_in_a_row)
    co_return fail(Errc::UpstreamBroken, "it failed {} times in a row", limits_.failures_in_a_row);
  if (!may_ask())
    co_return fail(Errc::UpstreamBroken, "no more than {} questions are asked in an hour",
                   limits_.questions_per_hour);
  const ChatProvider& model = *round_->wish.model;
  const std::string body = write_naming_request(model.info().id, group.question);
  const auto request = parse_chat_request(body);
  if (!request) co_return std::unexpected(request.error());
  const Cancel& all = cancel_;
  CancelSource cancel(all);
  Deadline deadline(loop_.deadlines(), [&] { cancel.request(CancelReason::Timeout); });
  deadline.arm(limits_.patience);
  const std::string id = make_id("req_");
  const auto reply = co_await model.answer({*request, id, client_}, cancel);
  if (cancel.reason() == CancelReason::Timeout)
    co_return fail(Errc::UpstreamTimeout, "it took longer than {} s",
                   limits_.patience.count() / 1000);
  if (!reply) co_return std::unexpected(reply.error());
  const auto* answer = std::get_if<std::string>(&reply->body);
  if (reply->status != 200 || answer == nullptr)
    co_return fail(Errc::UpstreamBroken, "it answered with status {}", reply->status);
  co_return read_naming_answer(*answer);
}

void GroupNaming::keep(const UnnamedGroup& group, Result<GroupNamer::Names> names) {
  GroupNameTable::Entry entry;
  if (names) {
    entry.names = std::move(*names);
    entry.names.name = make_unique(std::move(entry.names.name));
    round_->failures_in_a_row = 0;
    ++round_->named;
  } else {
    entry.retry_at = now_() + limits_.retry_after;
    ++round_->failures_in_a_row;
    if (round_->failure.empty()) round_->failure = names.error().message;
  }
  round_->learned.emplace_back(group.key, std::move(entry));
}

// Here, and not only when a tree is made: of two groups that are called alike the later one must
// not take over the name that conversations know the earlier one by.
std::string GroupNaming::make_unique(std::string name) {
  std::vector<std::string>& taken = round_->wish.taken;
  const auto is_taken = [&](const std::string& one) {
    return std::ranges::find(taken, one) != taken.end();
  };
  std::string unique = name;
  for (std::size_t number = 2; is_taken(unique); ++number)
    unique = fmt::format("{}_{}", name, number);
  return taken.emplace_back(std::move(unique));
}

std::shared_ptr<const GroupNameTable> GroupNaming::next_table(Round& round) const {
  auto table = std::make_shared<GroupNameTable>(*table_);
  ++table->version;
  for (auto& [key, entry] : round.learned) {
    entry.since = table->version;
    table->entries.insert_or_assign(std::move(key), std::move(entry));
  }
  std::erase_if(table->entries, [now = now_()](const auto& item) {
    return !item.second.has_names() && now >= item.second.retry_at;
  });
  while (table->entries.size() > limits_.kept) {
    std::uint64_t oldest = table->version;
    for (const auto& [key, entry] : table->entries) oldest = std::min(oldest, entry.since);
    std::erase_if(table->entries, [&](const auto& item) { return item.second.since == oldest; });
  }
  table->retry_at = NamingTime::max();
  for (const auto& [key, entry] : table->entries)
    if (!entry.has_names()) table->retry_at = std::min(table->retry_at, entry.retry_at);
  return table;
}

void GroupNaming::end_round() {
  Round round = std::move(*round_);
  round_.reset();
  if (cancel_.requested()) return;
  table_ = next_table(round);
  publish_(table_);
  tell(round);
}

// A model that goes on failing in the same way is told once.
void GroupNaming::tell(const Round& round) {
  const std::string& model = round.wish.model->info().id;
  if (round.named > 0)
    log(LogLevel::Info, "the model '{}' has named {} groups of tools", model, round.named);
  const std::string failure = round.failure.empty() ? "" : model + ": " + round.failure;
  if (!failure.empty() && failure != told_)
    log(LogLevel::Warn,
        "the model '{}' (toolgate.virtualTools.namingModel) has not named {} groups of tools, "
        "which "
        "keep the names made without it: {}",
        model, round.learned.size() - round.named, round.failure);
  told_ = failure;
}

}  // namespace toolgate
