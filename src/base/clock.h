// Time as a parameter, so that tests need not wait.
#pragma once

#include <chrono>
#include <cstdint>

namespace toolgate {

using SteadyTime = std::chrono::steady_clock::time_point;

// Seconds since 1970, for OpenAI's `created`.
inline std::int64_t unix_seconds() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace toolgate
