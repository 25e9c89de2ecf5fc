// simdjson reads in blocks: text given to it must have this many readable bytes behind its end.
#pragma once

#include <cstddef>

namespace toolgate {

inline constexpr std::size_t kJsonPadding = 64;

}  // namespace toolgate
