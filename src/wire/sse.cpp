// Lines are found in one buffer and an event's data is joined there in place: nothing is copied for
// the usual event with one data line.
#include "wire/sse.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "wire/json_padding.h"

namespace toolgate {
namespace {

// A stream that once held a huge event gives the memory back.
constexpr std::size_t kKeptCapacity = std::size_t{256} << 10;

}  // namespace

void SseReader::feed(std::string_view bytes) {
  if (failed_) return;
  const std::size_t used = has_data_ ? data_begin_ : position_;
  if (used * 2 >= buffer_.size()) {
    if (used == buffer_.size() && buffer_.capacity() > kKeptCapacity) {
      buffer_ = std::string();
    } else {
      buffer_.erase(0, used);
    }
    position_ -= used;
    no_newline_before_ -= std::min(used, no_newline_before_);
    no_return_before_ -= std::min(used, no_return_before_);
    data_begin_ -= std::min(used, data_begin_);
    data_end_ -= std::min(used, data_end_);
  }
  const std::size_t needed = buffer_.size() + bytes.size() + kJsonPadding;
  if (needed > buffer_.capacity()) buffer_.reserve(std::max(needed, buffer_.size() * 2));
  buffer_ += bytes;
}

Result<std::optional<SseEvent>> SseReader::next() {
  if (failed_) return too_large();
  while (auto line = next_line()) {
    const bool closes = read_line(*line);
    if (event_bytes() > max_event_bytes_) return too_large();
    if (!closes) continue;
    if (auto event = take_event()) return event;
  }
  if (event_bytes() + buffer_.size() - position_ > max_event_bytes_) return too_large();
  return std::nullopt;
}

Result<std::optional<SseEvent>> SseReader::finish() {
  auto event = next();
  if (!event || *event) return event;
  const std::string_view rest = std::string_view(buffer_).substr(position_);
  position_ = buffer_.size();
  read_line(rest);
  return take_event();
}

std::size_t SseReader::find_cached(char c, std::size_t& cache) const {
  cache = std::max(cache, position_);
  if (cache < buffer_.size() && buffer_[cache] != c)
    cache = std::min(buffer_.find(c, cache), buffer_.size());
  return cache;
}

std::optional<std::string_view> SseReader::next_line() {
  if (after_return_ && position_ < buffer_.size()) {
    after_return_ = false;
    if (buffer_[position_] == '\n') ++position_;
  }
  const std::size_t end =
      std::min(find_cached('\n', no_newline_before_), find_cached('\r', no_return_before_));
  if (end == buffer_.size()) return std::nullopt;
  const auto line = std::string_view(buffer_).substr(position_, end - position_);
  after_return_ = buffer_[end] == '\r';
  position_ = end + 1;
  return line;
}

// True when the line is the blank one that closes an event.
bool SseReader::read_line(std::string_view line) {
  if (at_start_) {
    at_start_ = false;
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  }
  if (line.empty()) return true;
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value;
  if (colon != std::string_view::npos) value = line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") add_data(value);
  if (field == "event") name_ = value;
  return false;
}

void SseReader::add_data(std::string_view value) {
  if (!has_data_) {
    has_data_ = true;
    // "data" without a colon has no value in the buffer that could be pointed to.
    data_begin_ =
        value.empty() ? position_ - 1 : static_cast<std::size_t>(value.data() - buffer_.data());
    data_end_ = data_begin_ + value.size();
    return;
  }
  buffer_[data_end_++] = '\n';
  if (!value.empty()) std::memmove(buffer_.data() + data_end_, value.data(), value.size());
  data_end_ += value.size();
}

std::optional<SseEvent> SseReader::take_event() {
  taken_name_ = std::move(name_);
  name_.clear();
  if (!std::exchange(has_data_, false) || data_begin_ == data_end_) return std::nullopt;
  return SseEvent{taken_name_,
                  std::string_view(buffer_).substr(data_begin_, data_end_ - data_begin_)};
}

std::size_t SseReader::event_bytes() const {
  return (has_data_ ? position_ - data_begin_ : 0) + name_.size();
}

Result<std::optional<SseEvent>> SseReader::too_large() {
  failed_ = true;
  buffer_ = std::string();
  return fail(Errc::UpstreamBroken, "the upstream sent an event of more than {} bytes",
              max_event_bytes_);
}

}  // namespace toolgate
