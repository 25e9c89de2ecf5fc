// Log lines: one event, a sentence and fields. spdlog stands behind it, in log.cpp only.
// Never pass a header, a body or a key; ids, names, counts and durations are fine.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace toolgate {

enum class LogLevel { Debug, Info, Warn, Error, Off };

// Call before other threads start; before it nothing is written. A later call only sets the level.
void open_log(LogLevel level, bool colour);
// May be changed while others log; without effect before open_log.
void set_log_level(LogLevel level);
// Writes what is buffered; lines below Warn wait up to a second otherwise.
void flush_log();

bool log_enabled(LogLevel level);
void log_line(LogLevel level, std::string_view line);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> text, Args&&... args) {
  if (!log_enabled(level)) return;
  fmt::memory_buffer buffer;
  fmt::format_to(std::back_inserter(buffer), text, std::forward<Args>(args)...);
  log_line(level, {buffer.data(), buffer.size()});
}

}  // namespace toolgate
