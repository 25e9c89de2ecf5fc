// The thread's simdjson parser and what chunk_check.cpp, which alone uses it, reads from a document.
#pragma once

#include <string_view>

#include <simdjson.h>

#include "wire/json_padding.h"

namespace toolgate {

static_assert(simdjson::SIMDJSON_PADDING <= kJsonPadding);

// The parser of this thread: its buffers would be too much for every open stream.
simdjson::dom::parser& thread_parser(std::size_t size);

inline bool read_text(simdjson::dom::element value, std::string_view& out) {
  return value.get(out) == simdjson::SUCCESS;
}

inline bool is_text(simdjson::dom::element value, std::string_view wanted) {
  std::string_view text;
  return read_text(value, text) && text == wanted;
}


}  // namespace toolgate
