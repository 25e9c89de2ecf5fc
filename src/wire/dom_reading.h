// What the checks of chunks and of whole answers share: the thread's simdjson parser and a note of
// which keys were seen. For chunk_check.cpp and answer_check.cpp only.
#pragma once

#include <string_view>

#include <simdjson.h>

#include "wire/json_padding.h"

namespace toolgate {

static_assert(simdjson::SIMDJSON_PADDING <= kJsonPadding);

// The parser of this thread: its buffers would be too much for every open stream.
simdjson::dom::parser& thread_parser(std::size_t size);

// Notes each key that matters; a second one makes a document unusual, since two readers of it could
// disagree.
class KeySet {
 public:
  bool add(unsigned bit) {
    const unsigned before = seen_;
    seen_ |= 1U << bit;
    return seen_ != before;
  }
  bool has(unsigned bit) const { return (seen_ & (1U << bit)) != 0; }
  // Whether the keys numbered 0 to count - 1 are all there.
  bool has_first(unsigned count) const {
    const unsigned wanted = (1U << count) - 1;
    return (seen_ & wanted) == wanted;
  }

 private:
  unsigned seen_ = 0;
};

inline bool read_text(simdjson::dom::element value, std::string_view& out) {
  return value.get(out) == simdjson::SUCCESS;
}

inline bool is_text(simdjson::dom::element value, std::string_view wanted) {
  std::string_view text;
  return read_text(value, text) && text == wanted;
}

inline bool is_some_text(simdjson::dom::element value) {
  std::string_view text;
  return read_text(value, text) && !text.empty();
}

}  // namespace toolgate
