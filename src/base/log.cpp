// spdlog makes the time stamp and guards the sink; the sink is ours, because spdlog's own for
// stderr writes every line at once, which costs a system call per request.
#include "base/log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <poll.h>
#include <unistd.h>

#include <climits>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

namespace toolgate {
namespace {

constexpr std::size_t kBufferBytes = 64 << 10;
constexpr std::chrono::seconds kFlushInterval{1};
constexpr int kMostWaitMs = 100;

// A reader of stderr that has stalled loses lines rather than stopping the gateway: after poll()
// has said so, a pipe takes this much without blocking.
void write_to_stderr(std::string_view text) {
  while (!text.empty()) {
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    const int polled = ::poll(&ready, 1, kMostWaitMs);
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) return;
    const auto count =
        ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count > 0)
      text.remove_prefix(static_cast<std::size_t>(count));
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
      return;
  }
}

std::string_view colour_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::debug:
      return "\x1b[36m";
    case spdlog::level::warn:
      return "\x1b[33m";
    case spdlog::level::err:
      return "\x1b[31m";
    default:
      return "\x1b[32m";
  }
}

class BufferedStderr final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit BufferedStderr(bool colour) : colour_(colour) { buffer_.reserve(kBufferBytes); }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    line_.clear();
    formatter_->format(message, line_);
    if (buffer_.size() + line_.size() > kBufferBytes) flush_();
    const std::string_view line(line_.data(), line_.size());
    if (!colour_) {
      buffer_ += line;
      return;
    }
    const auto begin = message.color_range_start;
    const auto end = message.color_range_end;
    buffer_ += line.substr(0, begin);
    buffer_ += colour_of(message.level);
    buffer_ += line.substr(begin, end - begin);
    buffer_ += "\x1b[0m";
    buffer_ += line.substr(end);
  }

  void flush_() override {
    write_to_stderr(buffer_);
    buffer_.clear();
  }

  const bool colour_;
  spdlog::memory_buf_t line_;
  std::string buffer_;
};

std::atomic<LogLevel> current_level{LogLevel::Off};

// Never destroyed: threads may log while the process ends.
spdlog::logger* logger = nullptr;

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warn:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
    case LogLevel::Off:
      break;
  }
  return spdlog::level::off;
}

void start_logger(bool colour) {
  auto sink = std::make_shared<BufferedStderr>(colour);
  sink->set_formatter(std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v",
                                                                  spdlog::pattern_time_type::utc));
  static auto* const owner =
      new std::shared_ptr(std::make_shared<spdlog::logger>("toolgate", std::move(sink)));
  logger = owner->get();
  logger->set_level(spdlog::level::trace);
  logger->flush_on(spdlog::level::warn);
  spdlog::register_logger(*owner);
}

// C1 controls (U+0080 to U+009F) steer terminals too; in UTF-8 they begin with C2.
std::size_t find_control(std::string_view text, std::size_t from) {
  for (auto i = from; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7f) return i;
    if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0)
      return i;
  }
  return text.npos;
}

std::string escape_controls(std::string_view text, std::size_t control) {
  std::string escaped;
  std::size_t done = 0;
  for (; control != text.npos; control = find_control(text, done)) {
    escaped += text.substr(done, control - done);
    const auto c = static_cast<unsigned char>(text[control]);
    if (c == '\n') {
      escaped += "\\n";
    } else if (c == '\r') {
      escaped += "\\r";
    } else if (c == '\t') {
      escaped += "\\t";
    } else if (c == 0xc2) {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[control + 1]));
    } else {
      escaped += fmt::format("\\x{:02x}", c);
    }
    done = control + (c == 0xc2 ? 2 : 1);
  }
  escaped += text.substr(done);
  return escaped;
}

}  // namespace

void open_log(LogLevel level, bool colour) {
  static std::once_flag once;
  std::call_once(once, [&] {
    start_logger(colour);
    spdlog::flush_every(kFlushInterval);
    std::atexit(flush_log);
  });
  set_log_level(level);
}

void flush_log() {
  if (logger) logger->flush();
}

void set_log_level(LogLevel level) {
  if (logger) current_level.store(level, std::memory_order_release);
}

bool log_enabled(LogLevel level) {
  return level != LogLevel::Off && level >= current_level.load(std::memory_order_acquire);
}

void log_line(LogLevel level, std::string_view line) {
  if (!log_enabled(level)) return;
  const auto to_sink = [&](std::string_view text) {
    logger->log(spdlog_level(level), spdlog::string_view_t(text.data(), text.size()));
  };
  const auto control = find_control(line, 0);
  if (control == line.npos)
    to_sink(line);
  else
    to_sink(escape_controls(line, control));
}

}  // namespace toolgate
