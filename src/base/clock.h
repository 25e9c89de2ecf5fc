// Wall-clock time, for OpenAI's `created`.
#pragma once

#include <chrono>
#include <cstdint>

namespace toolgate {

inline std::int64_t unix_seconds() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace toolgate
