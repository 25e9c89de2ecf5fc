// Wall-clock time, for OpenAI's `created` and for spans.
#pragma once

#include <chrono>
#include <cstdint>

namespace toolgate {

inline std::int64_t unix_seconds() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

inline std::int64_t wall_nanoseconds() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace toolgate
