// One line at the bottom of a terminal that is written anew again and again: what runs, how far it
// is, how long it takes. Nothing is written where there is no terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "cli/terminal.h"

namespace toolgate {

class StatusLine {
 public:
  explicit StatusLine(const Terminal& terminal) : terminal_(terminal) {}
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // `text` is visible text without colour; it is cut to the window.
  void show(const std::string& text, Paint paint = Paint::Plain);
  // Before anything else is printed.
  void clear();

 private:
  const Terminal& terminal_;
  std::string shown_;
};

// "⠹", another one ten times a second.
std::string_view spinner_at(std::chrono::milliseconds running);

// "42%  half of it is there  3 s", or less.
std::string progress_words(double progress, std::string_view message,
                           std::chrono::milliseconds running);

// "⠹ get_weather  42%  half of it is there  3 s"
std::string progress_text(std::string_view name, double progress, std::string_view message,
                          std::chrono::milliseconds running);

}  // namespace toolgate
