// The newest events in order, for /v1/events: readers follow with a cursor, and one that was too
// slow learns that it missed some. Written by the ledger's thread and by loops, read by loops; the
// one place they share, hence the lock.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "invoke/book.h"
#include "toolgate/registration.h"

namespace toolgate {

class EventLog : public std::enable_shared_from_this<EventLog> {
 public:
  struct Event : BookEvent {
    std::uint64_t number = 0;
  };
  static constexpr std::size_t kMostEvents = 10'000;
  static constexpr std::size_t kMostBytes = 8 << 20;

  EventLog();

  void append(std::vector<BookEvent> events);

  // "<instance>-<number>": an id of another instance is unknown here.
  std::string id_of(std::uint64_t number) const;
  std::optional<std::uint64_t> parse_id(std::string_view id) const;
  std::uint64_t newest() const;

  struct Batch {
    std::vector<std::shared_ptr<const Event>> events;
    bool missed = false;  // there were older ones that are gone
  };
  Batch read(std::uint64_t after, std::size_t most) const;

  // `wake` is called, from any thread, when there is something new; it must not block.
  Registration on_append(std::function<void()> wake);

 private:
  struct Listener {
    std::uint64_t id;
    std::function<void()> wake;
  };

  const std::string instance_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const Event>> events_;
  std::uint64_t next_ = 1;
  std::size_t bytes_ = 0;
  std::vector<Listener> listeners_;
  std::uint64_t next_listener_ = 1;
};

}  // namespace toolgate
