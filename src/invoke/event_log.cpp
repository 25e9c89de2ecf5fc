#include "invoke/event_log.h"

#include <algorithm>
#include <charconv>

#include "base/ids.h"

namespace toolgate {

EventLog::EventLog() : instance_(make_id("").substr(0, 8)) {}

void EventLog::append(std::vector<BookEvent> events) {
  if (events.empty()) return;
  const std::lock_guard lock(mutex_);
  for (BookEvent& event : events) {
    bytes_ += event.bytes;
    events_.push_back(std::make_shared<const Event>(Event{std::move(event), next_++}));
  }
  while (events_.size() > kMostEvents || (bytes_ > kMostBytes && events_.size() > 1)) {
    bytes_ -= events_.front()->bytes;
    events_.pop_front();
  }
  for (const Listener& listener : listeners_) listener.wake();
}

std::string EventLog::id_of(std::uint64_t number) const {
  return fmt::format("{}-{}", instance_, number);
}

std::optional<std::uint64_t> EventLog::parse_id(std::string_view id) const {
  if (!id.starts_with(instance_) || id.size() < instance_.size() + 2) return std::nullopt;
  const char* begin = id.data() + instance_.size() + 1;
  const char* end = id.data() + id.size();
  std::uint64_t number = 0;
  const auto read = std::from_chars(begin, end, number);
  if (id[instance_.size()] != '-' || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number <= newest() ? std::optional(number) : std::nullopt;
}

std::uint64_t EventLog::newest() const {
  const std::lock_guard lock(mutex_);
  return next_ - 1;
}

EventLog::Batch EventLog::read(std::uint64_t after, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  Batch batch;
  if (events_.empty()) return batch;
  const std::uint64_t oldest = events_.front()->number;
  batch.missed = after + 1 < oldest;
  const std::uint64_t from = std::max(after + 1, oldest);
  for (std::uint64_t i = from - oldest; i < events_.size() && batch.events.size() < most; ++i)
    batch.events.push_back(events_[i]);
  return batch;
}

Registration EventLog::on_append(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t id = next_listener_++;
  listeners_.push_back({id, std::move(wake)});
  return Registration([log = weak_from_this(), id] {
    const auto self = log.lock();
    if (!self) return;
    const std::lock_guard inner(self->mutex_);
    std::erase_if(self->listeners_, [id](const Listener& listener) { return listener.id == id; });
  });
}

}  // namespace toolgate
