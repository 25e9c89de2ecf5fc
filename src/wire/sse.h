// Server-sent events as a model's server sends them: any line ends, any packet borders.
// models/openai feeds it from the socket; pure, bounded, fuzzed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

struct SseEvent {
  std::string_view event;  // the name, empty for the usual unnamed event
  std::string_view data;   // data lines joined by '\n'
};

class SseReader {
 public:
  explicit SseReader(std::size_t max_event_bytes = std::size_t{16} << 20)
      : max_event_bytes_(max_event_bytes) {}

  void feed(std::string_view bytes);

  // The next whole event, or nothing when more bytes are needed. Comments and empty events are
  // passed over. The views hold until the next call of feed() or next(); at least kJsonPadding
  // bytes after `data` may be read. Fails, and keeps failing, once an event is over the limit.
  Result<std::optional<SseEvent>> next();

  // At the end of input: an event that no blank line closed.
  Result<std::optional<SseEvent>> finish();

 private:
  std::optional<std::string_view> next_line();
  bool read_line(std::string_view line);
  void add_data(std::string_view value);
  std::optional<SseEvent> take_event();
  std::size_t event_bytes() const;
  Result<std::optional<SseEvent>> too_large();
  std::size_t find_cached(char c, std::size_t& cache) const;

  std::size_t max_event_bytes_;
  std::string buffer_;
  std::size_t position_ = 0;  // the first byte of the line that is read next
  // No line end of that kind stands between position_ and here, so nothing is searched twice.
  std::size_t no_newline_before_ = 0;
  std::size_t no_return_before_ = 0;
  // The data of the event being read: later lines are moved up to the first one in buffer_.
  std::size_t data_begin_ = 0;
  std::size_t data_end_ = 0;
  bool has_data_ = false;
  std::string name_;
  std::string taken_name_;
  bool at_start_ = true;
  bool after_return_ = false;  // a '\n' now belongs to the '\r' before it
  bool failed_ = false;
};

}  // namespace toolgate
