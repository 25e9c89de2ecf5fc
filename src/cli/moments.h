// Times as people write them on a command line and as commands print them. All are milliseconds,
// moments since 1970.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace toolgate {

std::int64_t wall_clock();

// "45s", "30m", "2h", "1d", "2w"; several after each other are added: "1h30m".
Result<std::int64_t> parse_duration(std::string_view text);

// A duration before `now`, or a date: "2025-03-01", "2025-03-01 14:30", "2025-03-01T14:30:05Z",
// "…+02:00". Without a zone it is the local time.
Result<std::int64_t> parse_since(std::string_view text, std::int64_t now);

// "just now", "5 min ago", "3 h ago", "12 days ago"
std::string how_long_ago(std::int64_t then, std::int64_t now);

// "4:59", "2 h 5 min", "12 days"; of what is over, "0:00".
std::string time_until(std::int64_t then, std::int64_t now);

// "12 ms", "1.4 s", "2 min 5 s"
std::string duration_words(std::int64_t milliseconds);

// "2025-03-01 14:30:05", local time.
std::string local_time(std::int64_t moment);

}  // namespace toolgate
